"""One ensemble: its steps as written, the models behind them, and what the core finds between them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.ensembles.edges import Edges, read_edges
from tritoncheck.ensembles.flow import Flow, read_flow
from tritoncheck.ensembles.part import Part
from tritoncheck.ensembles.places import Place
from tritoncheck.ensembles.streams import Streams, read_streams

if TYPE_CHECKING:
    from tritoncheck.model import Model


class Step(NamedTuple):
    """One step. version: as written, 0 where it is left out. inputs, outputs: the maps, tensor of the part to tensor
    of the ensemble."""

    number: int
    name: str
    version: int
    namespace: str
    inputs: dict[str, str]
    outputs: dict[str, str]


class Ensemble:
    """A model with `ensemble_scheduling`, whatever its platform."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.steps = tuple(
            Step(
                index,
                step.model_name,
                step.model_version,
                getattr(step, "model_namespace", ""),  # since 23.03
                dict(step.input_map),
                dict(step.output_map),
            )
            for index, step in enumerate(model.config.ensemble_scheduling.step)
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """For each step the model that it means."""
        find = self.model.repository.ensembles.find
        return tuple(find(step.name, step.namespace) for step in self.steps)

    @cached_property
    def parts(self) -> tuple[Part | None, ...]:
        """For each step its model, None where it is not there or cannot be looked at."""
        return tuple(place.model.part if place.model is not None else None for place in self.places)

    @cached_property
    def flow(self) -> Flow:
        """How tensors run through it, by its own text."""
        config = self.model.config
        return read_flow((one.name for one in config.input), (one.name for one in config.output), self.steps)

    @cached_property
    def edges(self) -> Edges:
        """Where it does not agree with its parts."""
        return read_edges(self)

    @cached_property
    def streams(self) -> Streams:
        """How the responses of decoupled parts run through it."""
        return read_streams(self)

    @property
    def decoupled(self) -> bool | None:
        """Whether a part is decoupled, and so the ensemble, whatever it says itself; None where unknown."""
        return self.streams.decoupled
