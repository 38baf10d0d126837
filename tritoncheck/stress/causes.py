"""Finds the cause of a failure among the lines of a start.

The text of the failure itself decides, if it says why. Else a line that names the model; else, for a text that is
known to say only that something failed, a line near it that names no model. Nothing else is taken for a cause.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from tritoncheck.stress.history import History
from tritoncheck.stress.owners import Owners
from tritoncheck.stress.signatures import Match, find
from tritoncheck.stress.trail import Failure, Hit, ModelHistory

# How many events back a line may stand that explains a failure without naming the model; how many lost captures
# before and behind a failure are looked at.
NEAR = 20
_SYMPTOMS = 20
_PARSE = "config-parse"
# Classes of texts that say only that something failed, and that a line near them may explain.
_EXPLAINED = (_PARSE, "trt-deserialize", "stub-timeout", "other")
# For how many lines without a name it is looked up whether only one model was loading.
_GUESSES = 200
# Model loads that never return, by the file that they lack (python_backend, 23.07 on; measured on 2.36.0 to 2.51.0).
_NEVER_RETURNS = "Failed to preinitialize Python stub: Python model file not found"


class Spot(NamedTuple):
    """A line of the log; order: its place among the events."""

    order: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a model failed: the class, the first line that says so, and further lines. near: that line names no model."""

    kind: str
    line: int
    text: str
    order: int
    match: Match | None = None
    near: bool = False
    symptoms: tuple[Spot, ...] = ()


class Causes:
    """The lines of one start by the model that they speak of."""

    def __init__(self, history: History, expected: Collection[str] = ()) -> None:
        names = {*history.models, *expected}
        owners = Owners(names)
        self._own: dict[str, list[Hit]] = {}
        self._free: list[Hit] = []
        self._losses: dict[str, list[Hit]] = {}
        for hit in history.hits:
            groups = (hit.loss or hit.match).groups if hit.loss or hit.match else {}  # type: ignore[union-attr]
            name = owners.of(hit.event.text, groups.get("instance", ""))
            if not name and hit.loss and len(self._free) < _GUESSES:
                name = _only_one_loading(history, hit)
            if name:
                self._own.setdefault(name, []).append(hit)
            else:
                self._free.append(hit)
            if name and hit.loss:
                self._losses.setdefault(name, []).append(hit)
        self._free_orders = [hit.order for hit in self._free]
        failures = [one.order for model in history.models.values() for one in (*model.failures, *model.retried)]
        refusals = [model.refused.order for model in history.models.values() if model.refused]
        self._ends = sorted(failures + refusals)
        self._more: dict[str, list[Failure]] = {}
        for one in history.unclaimed:
            self._more.setdefault(owners.of(one.why), []).append(one)
        self._models = history.models
        lost = [
            (hit.order, name, history.models[name].began_order)
            for name, hits in self._losses.items()
            if name in history.models
            for hit in hits
        ]
        self._lost = sorted(lost)

    def capturing(self, victim: ModelHistory, order: int) -> tuple[str, ...]:
        """The models that lost a capture while they and the victim were loading, those nearest to an event first."""
        middle = bisect_left(self._lost, (order,))
        around = self._lost[max(0, middle - NEAR) : middle + NEAR]
        around.sort(key=lambda one: abs(one[0] - order))
        ended = victim.ended_order or order
        names = [
            name for lost, name, began in around if began <= ended and victim.began_order < lost and name != victim.name
        ]
        return tuple(dict.fromkeys(names))

    def losses(self, name: str) -> list[Hit]:
        """What a model lost in its last load."""
        began = self._models[name].began_order if name in self._models else 0
        return [hit for hit in self._losses.get(name, ()) if hit.order >= began]

    def instances(self, model: ModelHistory) -> list[Failure]:
        """Every instance of a model that failed."""
        return [*model.instances, *(self._more.get(model.name, ()) if model.name else ())]

    def of(self, model: ModelHistory, failures: list[Failure]) -> Cause:
        """The cause of a model's failures."""
        own = sorted([*self.instances(model), *failures], key=lambda one: one.order)
        named = [
            hit
            for hit in self._own.get(model.name, ())
            if model.began_order <= hit.order <= own[-1].order and hit.match
        ]
        told = [(match, one) for one in own if (match := find(one.why, "reason"))]
        certain = [pair for pair in told if not pair[0].signature.vague]
        lines = [*map(_spot, own), *map(_spot, named)]
        if certain:
            kind = min((match.signature for match, _ in certain), key=lambda one: one.rank).kind
            spots = [(_spot(one), found) for found, one in certain if found.signature.kind == kind]
            spots += [(_spot(hit), hit.match) for hit in named if _kind(hit) == kind and hit.match]
            spot, match = min(spots, key=lambda pair: pair[0].order)
            return _cause(match, spot, lines)
        clear = [hit for hit in named if not hit.match.signature.vague and not hit.loss]  # type: ignore[union-attr]
        if clear:
            best = _best(clear)
            return _cause(best.match, _spot(best), lines)
        if told:
            near = self._near(own[0], own[-1], told[0][0].signature.kind)
            if near is not None:
                return _cause(near.match, _spot(near), lines, near=True)
            match, one = told[0]
            return _cause(match, _spot(one), lines)
        return _cause(None, _spot(own[0]), lines)

    def of_loss(self, losses: list[Hit]) -> Cause:
        """Where a model lost something."""
        first = losses[0]
        assert first.loss is not None
        return _cause(first.loss, _spot(first), [_spot(hit) for hit in losses])

    def stuck(self, model: ModelHistory) -> Cause | None:
        """The line that says why a load will never come to an end."""
        for hit in self._own.get(model.name, ()):
            if hit.order >= model.began_order and _NEVER_RETURNS in hit.event.text:
                return _cause(hit.match, _spot(hit), [])
        return None

    def _near(self, first: Failure, last: Failure, kind: str) -> Hit | None:
        """A line before a failure that says why and names no model; rather one since the failure before it.

        What is wrong in a text is told before the refusal to read it, and never explains anything else.
        """
        if kind not in _EXPLAINED:
            return None
        start = bisect_left(self._free_orders, first.order - NEAR)
        stop = bisect_left(self._free_orders, last.order)
        around = [hit for hit in self._free[start:stop] if hit.match and not hit.match.signature.vague]
        around = [hit for hit in around if (_kind(hit) == _PARSE) == (kind == _PARSE)]
        before = bisect_left(self._ends, first.order)
        since = self._ends[before - 1] if before else 0
        close = [hit for hit in around if hit.order > since]
        return _best(close or around) if around else None


def _best(hits: list[Hit]) -> Hit:
    """The hit that ranks first; of the errors in one configuration, the first."""
    if _kind(hits[0]) == _PARSE:
        return hits[0]
    return min(hits, key=lambda hit: hit.match.signature.rank if hit.match else 999)


def _kind(hit: Hit) -> str:
    return hit.match.signature.kind if hit.match else ""


def _spot(one: Failure | Hit) -> Spot:
    if isinstance(one, Hit):
        return Spot(one.order, one.event.line, one.event.text)
    return Spot(one.order, one.line, one.text)


def _cause(match: Match | None, spot: Spot, spots: list[Spot], near: bool = False) -> Cause:
    symptoms = sorted({one for one in spots if one.line != spot.line})[:_SYMPTOMS]
    kind = match.signature.kind if match else "other"
    return Cause(kind, spot.line, spot.text, spot.order, match, near, tuple(symptoms))


def _only_one_loading(history: History, hit: Hit) -> str:
    """The model that was loading when a line was written, if it was the only one."""
    loading = [
        name
        for name, model in history.models.items()
        if 0 < model.began_order < hit.order and not 0 < model.ended_order < hit.order
    ]
    return loading[0] if len(loading) == 1 else ""
