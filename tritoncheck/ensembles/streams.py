"""How the responses of decoupled parts run through an ensemble.

Core `ensemble_utils.cc`, `ValidateEnsembleConfig`, 22.11 to 24.10, and measured there: a tensor belongs to the nearest
step before it whose model is decoupled, or to none; plain steps hand it on. What a step reads must belong to the same
one, and so must all outputs of the ensemble. Inputs of the ensemble belong to none, even where a step writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tritoncheck.ensembles.ensemble import Ensemble

# The step that a tensor belongs to.
NONE = -1
UNKNOWN = -2


class Mix(NamedTuple):
    """Tensors of different streams that meet. step: where, -1 for the outputs of the ensemble. one, other: two of
    the tensors, each with the decoupled step that it belongs to, -1 for none."""

    step: int
    one: tuple[str, int]
    other: tuple[str, int]


class Streams(NamedTuple):
    """decoupled: whether a part is, None where unknown. mixes: where different streams meet."""

    decoupled: bool | None
    mixes: tuple[Mix, ...]


def read_streams(ensemble: Ensemble) -> Streams:
    """Follow the streams of an ensemble whose tensors run soundly; of others only whether a part is decoupled."""
    if ensemble.circular:
        return Streams(None, ())
    kinds = [part.decoupled if part is not None else None for part in ensemble.parts]
    decoupled = True if True in kinds else None if None in kinds else False
    if not decoupled or not ensemble.flow.sound:
        return Streams(decoupled, ())
    owners = dict.fromkeys((one.name for one in ensemble.model.config.input), NONE)
    mixes = []
    for number in ensemble.flow.order:
        step, kind = ensemble.steps[number], kinds[number]
        read = dict.fromkeys(step.inputs.values())
        mix = _mix(step.number, {tensor: owners[tensor] for tensor in read})
        if mix:
            mixes.append(mix)
        handed = {owners[tensor] for tensor in read}
        owner = step.number if kind else UNKNOWN if kind is None or len(handed) != 1 else handed.pop()
        for tensor in step.outputs.values():
            owners.setdefault(tensor, owner)
    outputs = {one.name: owners[one.name] for one in ensemble.model.config.output}
    last = None if mixes else _mix(-1, outputs)
    return Streams(decoupled, (*mixes, last) if last else tuple(mixes))


def _mix(step: int, owners: dict[str, int]) -> Mix | None:
    """Two tensors that are known to belong to different steps."""
    known = [(tensor, owner) for tensor, owner in owners.items() if owner != UNKNOWN]
    other = next((one for one in known if one[1] != known[0][1]), None)
    return Mix(step, known[0], other) if other else None
