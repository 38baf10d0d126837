"""The drawings of the HTML report as shapes in per cent of their width, so that they fit any screen without distortion.

A shape's class says what it stands for; its colour is the style sheet's business. Height tells outcomes apart as well,
for those who do not see the colours. Knows nothing of HTML.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tritoncheck.stress.divergence import line_times
from tritoncheck.stress.fold import LETTERS
from tritoncheck.stress.logs import Event
from tritoncheck.stress.owners import Owners
from tritoncheck.stress.records import Attempt

OUTCOMES = {letter: outcome for outcome, letter in LETTERS.items()}
HEIGHTS = {"ready": 45, "degraded": 75, "knock-on": 75, "unknown": 75}
_COLUMNS = 200
_CAPTURED = re.compile(r"captured CUDA graph for (?P<instance>\S+?),")


class Shape(NamedTuple):
    """A rectangle: place and size in per cent, the outcome it shows, the text that a pointer reveals."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str


class Mark(NamedTuple):
    """A point in time of a load: `lost` (a graph), `failed`, `captured`."""

    x: float
    kind: str
    title: str


class Bar(NamedTuple):
    """A model's load in one start, in per cent of the time shown. told: whether the log has its times."""

    model: str
    x: float
    width: float
    kind: str
    title: str
    note: str
    marks: tuple[Mark, ...]
    told: bool


class Gantt(NamedTuple):
    """The loads of one start; ticks: places of the axis and their labels."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]


def cells(strip: str, numbers: Sequence[int]) -> list[Shape]:
    """The attempts of a model side by side; where they are too many, several to a column, stacked by their share."""
    n = len(strip)
    if n <= _COLUMNS:
        return [
            _shape(100 * place / n, 100 / n, 0, HEIGHTS.get(outcome, 100), outcome, f"attempt {number}: {outcome}")
            for place, (letter, number) in enumerate(zip(strip, numbers, strict=True))
            if (outcome := OUTCOMES.get(letter))
        ]
    found = []
    for column in range(_COLUMNS):
        begin, end = column * n // _COLUMNS, (column + 1) * n // _COLUMNS
        counts, at = Counter(strip[begin:end]), 0.0
        for letter, outcome in reversed(OUTCOMES.items()):
            height = 100 * counts[letter] / (end - begin)
            if height:
                title = f"attempts {numbers[begin]} to {numbers[end - 1]}: {counts[letter]} {outcome}"
                found.append(_shape(100 * column / _COLUMNS, 100 / _COLUMNS, at, height, outcome, title))
            at += height
    return found


def _shape(x: float, width: float, base: float, height: float, kind: str, title: str) -> Shape:
    return Shape(round(x, 3), round(100 - base - height, 2), round(width, 3), round(height, 2), kind, title)


def gantt(attempt: Attempt, events: Sequence[Event]) -> Gantt | None:
    """The loads of one start; events: of its kept log, for the moments at which something broke. None without times."""
    loads = {name: one for name, one in attempt.models.items() if one.begun is not None}
    times = line_times(events)
    moments = _moments(attempt, events, times)
    ends = [(one.begun or 0) + (one.seconds or 0) for one in loads.values()]
    if not loads:
        return None
    begin = min(one.begun or 0 for one in loads.values())
    end = max([*ends, *(time for each in moments.values() for time, _, _ in each)])
    span = max(end - begin, 1e-6) * 1.03
    bars = []
    for name, one in sorted(attempt.models.items(), key=lambda item: (item[1].begun is None, item[1].begun, item[0])):
        marks = tuple(
            Mark(round(100 * (time - begin) / span, 2), kind, title) for time, kind, title in moments.get(name, ())
        )
        note = one.outcome if one.outcome != "failed" else one.failure or "failed"
        if one.lost:
            note += f", lost its {', '.join(one.lost)}"
        if one.culprits:
            note += (" · waits for " if one.outcome == "knock-on" else " · hit by ") + ", ".join(one.culprits)
        if one.begun is None:
            bars.append(Bar(name, 0, 0, one.outcome, "", note, marks, False))
            continue
        seconds = one.seconds if one.seconds is not None else max(0.0, end - one.begun)
        title = f"{name}: {one.begun - begin:.3f} s to {one.begun - begin + seconds:.3f} s, {note}"
        x = 100 * (one.begun - begin) / span
        bars.append(Bar(name, round(x, 2), round(100 * seconds / span, 2), one.outcome, title, note, marks, True))
    return Gantt(tuple(bars), tuple(_ticks(span)))


def _moments(
    attempt: Attempt, events: Sequence[Event], times: Mapping[int, float]
) -> dict[str, list[tuple[float, str, str]]]:
    """By model: when a line told its cause, and when it captured a graph (`--log-verbose=1`)."""
    found: dict[str, list[tuple[float, str, str]]] = {}
    for name, one in attempt.models.items():
        if one.text and one.line in times:
            kind = "lost" if one.outcome == "degraded" else "failed"
            title = f"line {one.line}, {times[one.line]:.3f} s: {one.text[:200]}"
            found.setdefault(name, []).append((times[one.line], kind, title))
    owners = Owners(attempt.models)
    for event in events:
        hit = _CAPTURED.search(event.text) if event.row is None else None
        if hit and event.line in times and (name := owners.of(event.text, hit["instance"])):
            title = f"line {event.line}, {times[event.line]:.3f} s: {event.text[:200]}"
            found.setdefault(name, []).append((times[event.line], "captured", title))
    return found


def _ticks(span: float) -> list[tuple[float, str]]:
    """Round places on an axis from 0, four to eight of them."""
    raw = span / 5
    scale = 10 ** math.floor(math.log10(raw))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= raw)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [
        (round(100 * place * step / span, 2), f"{place * step:.{decimals}f} s") for place in range(int(span / step) + 1)
    ]
