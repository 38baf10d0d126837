"""One ensemble: its steps as written, the models behind them, and what the core finds between them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.ensembles.edges import Edges, read_edges
from tritoncheck.ensembles.flow import Flow, read_flow
from tritoncheck.ensembles.part import Part
from tritoncheck.ensembles.places import Place
from tritoncheck.ensembles.streams import Streams, read_streams
from tritoncheck.rule import Span

if TYPE_CHECKING:
    from tritoncheck.model import Model


# Of tensors that may have been meant so many are looked at.
_MOST_LIKENED = 50


class Step(NamedTuple):
    """One step. version: as written, 0 where it is left out. inputs, outputs: the maps, tensor of the part to tensor
    of the ensemble, in the order of the keys, since protobuf's own changes from run to run."""

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
                dict(sorted(step.input_map.items())),
                dict(sorted(step.output_map.items())),
            )
            for index, step in enumerate(model.config.ensemble_scheduling.step)
        )

    def map_at(self, step: int, side: str, key: str) -> Span:
        """The place of the tensor that an entry of a step's `input_map` (side `input`) or `output_map` names."""
        return self.model.value_at("ensemble_scheduling", "step", step, f"{side}_map", key, "value")

    def step_at(self, step: int) -> Span:
        """The place of a step: its model's name."""
        return self.model.at("ensemble_scheduling", "step", step, "model_name")

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
        """How the responses of decoupled parts run through it.

        Inner ensembles are read before outer ones here, since a chain of them may be longer than Python's stack.
        """
        waiting = [self]
        while True:
            last = waiting[-1]
            inner = next((one for one in last.inner if "streams" not in vars(one)), None)
            if inner is not None:
                waiting.append(inner)
            elif waiting.pop() is self:
                return read_streams(self)
            else:
                vars(last)["streams"] = read_streams(last)

    @property
    def circular(self) -> bool:
        """Whether it depends on itself."""
        return self.model.name in self.model.repository.ensembles.circles

    @cached_property
    def inner(self) -> tuple[Ensemble, ...]:
        """The ensembles among its parts, none where it depends on itself."""
        if self.circular:
            return ()
        return tuple(part.model.ensemble for part in self.parts if part is not None and part.model.ensemble is not None)

    def meant(self, name: str) -> str:
        """A tensor that nothing writes and whose name is much like this one, "" if there is none."""
        return _near(name, [*(one for one, _ in self.flow.unwritten), *self.flow.missing_outputs])

    def unread(self, name: str) -> str:
        """A tensor that nothing reads and whose name is much like this one, "" if there is none."""
        return _near(name, [*(one for one, _ in self.flow.unused), *self.flow.unused_inputs])

    @property
    def decoupled(self) -> bool | None:
        """Whether a part is decoupled, and so the ensemble, whatever it says itself; None where unknown."""
        return self.streams.decoupled


def _near(name: str, names: list[str]) -> str:
    from tritoncheck.schema.advice import nearest

    return nearest(name, names[:_MOST_LIKENED]) or ""
