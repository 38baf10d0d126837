"""Where an ensemble and its parts disagree on a tensor or on the batch size.

Core `ensemble_scheduler/ensemble_utils.cc`, `ValidateEnsembleConfig`, `ValidateTensorMapping` and
`ValidateTensorConsistency`, 20.01 to 26.06, measured on 22.11 to 24.10. A tensor's type and shape are those of its
first mention: as input or output of the ensemble (with its `reshape`), then in the order of the steps (a part's
`dims`, its `reshape` does not count). Each later mention is compared with the first one only. -1 fits any size; where
one side has a batch dimension and the other has not, it is enough that the shapes agree with -1 put before those that
have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tritoncheck.ensembles.part import Part, Tensor
from tritoncheck.rule import has_hole

if TYPE_CHECKING:
    from tritoncheck.ensembles.ensemble import Ensemble, Step
    from tritoncheck.model import Model

Dims = tuple[int, ...]


# So many wrong keys of a step are compared with the right ones.
_MOST_LIKENED = 20


class Mention(NamedTuple):
    """A place that gives a tensor its type and shape.

    model, side, number: the input or output that does. step: by which step it is mapped, -1 for the ensemble's own.
    type: 0 where unknown. dims: None where unknown. batching: None where unknown.
    """

    model: Model
    side: str
    number: int
    step: int
    type: int
    dims: Dims | None
    batching: bool | None
    reshaped: bool = False


class BadKey(NamedTuple):
    """A key of a map that is no input or output of the part. sure: the backend cannot add it. near: what may have been
    meant. twice: the part has it, but twice."""

    step: int
    side: str
    key: str
    tensor: str
    part: Part
    sure: bool
    near: str = ""
    twice: bool = False

    @property
    def swapped(self) -> bool:
        """Whether key and value look like the wrong way round."""
        return not self.near and any(
            tensor.name == self.tensor for tensor in getattr(self.part.model.config, self.side)
        )

    @property
    def meant(self) -> str:
        """The input or output that it stands for, "" where that is not plain."""
        return self.tensor if self.swapped else self.near


class Unmapped(NamedTuple):
    """An input of a part that the step leaves out, and not by a wrong key that was meant for it. sure: the backend
    cannot make it optional."""

    step: int
    part: Part
    tensor: Tensor
    sure: bool


class Mismatch(NamedTuple):
    """Two mentions of a tensor that contradict each other in `data_type` or `dims`."""

    tensor: str
    key: str
    what: str
    first: Mention
    second: Mention


class TooLarge(NamedTuple):
    """A part that takes smaller batches than the ensemble offers: only `maximum`."""

    step: int
    part: Part
    maximum: int


class Edges(NamedTuple):
    """All disagreements, in the order of the steps."""

    keys: tuple[BadKey, ...]
    unmapped: tuple[Unmapped, ...]
    mismatches: tuple[Mismatch, ...]
    batches: tuple[TooLarge, ...]


def read_edges(ensemble: Ensemble) -> Edges:
    """Compare an ensemble with its parts, as far as these are known."""
    walk = _Walk(ensemble)
    for step, part in zip(ensemble.steps, ensemble.parts, strict=True):
        if part is None:
            walk.unknown_step(step)
        else:
            walk.step(step, part)
    return Edges(tuple(walk.keys), tuple(walk.unmapped), tuple(walk.mismatches), tuple(walk.batches))


class _Walk:
    """Goes through the steps and keeps the first mention of each tensor; None where that is unknown."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.model = ensemble.model
        self.maximum = ensemble.model.config.max_batch_size
        self.first: dict[str, Mention | None] = {}
        self.keys: list[BadKey] = []
        self.unmapped: list[Unmapped] = []
        self.mismatches: list[Mismatch] = []
        self.batches: list[TooLarge] = []
        for side in ("input", "output"):
            for number, tensor in enumerate(getattr(self.model.config, side)):
                self.first.setdefault(tensor.name, self._own(side, number, tensor))

    def _own(self, side: str, number: int, tensor: Any) -> Mention:
        reshaped = tensor.HasField("reshape")
        dims = tuple(tensor.reshape.shape) if reshaped else tuple(tensor.dims) or None
        return Mention(self.model, side, number, -1, tensor.data_type, dims, self.maximum > 0, reshaped)

    def unknown_step(self, step: Step) -> None:
        """A step whose model is not known: what it mentions first is unknown."""
        for tensor in (*step.inputs.values(), *step.outputs.values()):
            self.first.setdefault(tensor, None)

    def step(self, step: Step, part: Part) -> None:
        """One step with its model."""
        if part.max_batch and part.max_batch < self.maximum:
            self.batches.append(TooLarge(step.number, part, part.max_batch))
        wrong = _bad_keys(step, part, "input", step.inputs, part.inputs)
        self.keys += wrong
        meant = {one.meant for one in wrong}
        for name, tensor in part.inputs.items():
            if name in step.inputs:
                self._mention(step, part, "input", tensor, step.inputs[name])
            elif not tensor.optional and not has_hole(name) and name not in meant:
                self.unmapped.append(Unmapped(step.number, part, tensor, part.closed("input")))
        self.keys += _bad_keys(step, part, "output", step.outputs, part.outputs)
        for key, name in step.outputs.items():
            if key in part.outputs:
                self._mention(step, part, "output", part.outputs[key], name)
        self.unknown_step(step)

    def _mention(self, step: Step, part: Part, side: str, tensor: Tensor, name: str) -> None:
        mention = Mention(part.model, side, tensor.number, step.number, tensor.type, tensor.dims, part.batching)
        first = self.first.setdefault(name, mention)
        if first is None or first is mention:
            return
        what = ""
        if first.type and mention.type and first.type != mention.type:
            what = "data_type"
        elif not consistent(first, mention):
            what = "dims"
        if what:
            self.mismatches.append(Mismatch(name, tensor.name, what, first, mention))


def _bad_keys(step: Step, part: Part, side: str, mapped: dict[str, str], known: dict[str, Tensor]) -> list[BadKey]:
    """The entries of a map that the part does not have. Nothing, where a template's holes hide its names."""
    sure = part.closed(side)
    if not (known or sure) or any(map(has_hole, known)):
        return []
    found = []
    for key, tensor in mapped.items():
        if key in known:
            if side == "output" and key in part.twice:
                found.append(BadKey(step.number, side, key, tensor, part, part.kept, twice=True))
        elif not has_hole(key):
            near = _near(key, [name for name in known if name not in mapped]) if len(found) < _MOST_LIKENED else ""
            found.append(BadKey(step.number, side, key, tensor, part, sure, near))
    return found


def _near(key: str, names: list[str]) -> str:
    from tritoncheck.schema.advice import nearest

    return nearest(key, names) or (names[0] if len(names) == 1 else "")


def consistent(one: Mention, other: Mention) -> bool:
    """Whether two mentions can be of one tensor, as far as both are known."""
    if one.dims is None or other.dims is None or _fit(one.dims, other.dims):
        return True
    if one.batching is not None and one.batching == other.batching:
        return False
    # With only one of the two batching, its batch dimension may be written out on the other side.
    return any(_fit(first, second) for first in _in_full(one) for second in _in_full(other))


def _in_full(mention: Mention) -> list[Dims]:
    """The shape with the batch dimension, both readings where it is not known whether there is one."""
    dims = mention.dims or ()
    return [dims] if mention.batching is False else [(-1, *dims)] if mention.batching else [dims, (-1, *dims)]


def _fit(one: Dims, other: Dims) -> bool:
    return len(one) == len(other) and all(a in (b, -1) or b == -1 for a, b in zip(one, other, strict=True))
