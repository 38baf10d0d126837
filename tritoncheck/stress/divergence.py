"""Where the log of a bad start first says something that no good start says: the shortest useful difference.

The models of a server load side by side, so the order of the lines differs from start to start and tells little.
Lines are therefore compared as a set, without numbers that change each time; the nearest good log is the one that
shares most with the bad one.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tritoncheck.stress.logs import Event, read_log

# A kept log is read up to this size, unpacked.
_MOST = 16 * 1024 * 1024
_AROUND, _SHOWN, _TEXT = 3, 6, 500
_CHANGES = re.compile(
    r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b|/tmp/\S+|(?<![A-Za-z_\d])\d+(?:\.\d+)*(?=\s?(?:us|ms|s|ns|seconds|bytes|MiB|GiB)?\b)"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of a log as shown. time: seconds since the log's first line. new: no good log has it."""

    line: int
    time: float | None
    level: str
    text: str
    new: bool


@dataclass(frozen=True, slots=True)
class Divergence:
    """bad, good: numbers of the attempts. lines: around the first new line; further: more new ones; missing: lines of
    the good log that never came."""

    bad: int
    good: int
    lines: tuple[Shown, ...]
    further: tuple[Shown, ...]
    missing: tuple[Shown, ...]


def read_kept(path: Path) -> list[Event]:
    """The events of a kept log, packed or not; none where it cannot be read."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
            return read_log(file.read(_MOST))
    except (OSError, EOFError, zlib.error):
        return []


def diverge(bad: tuple[int, list[Event]], good: Sequence[tuple[int, list[Event]]]) -> Divergence | None:
    """Compare the log of a bad start with the nearest of the good ones; None where nothing differs.

    Each log comes with the number of its attempt.
    """
    number, events = bad
    mine = [_key(event) for event in events]
    candidates = [(n, log, [_key(event) for event in log]) for n, log in good if log]
    if not events or not candidates:
        return None
    counts = Counter(mine)
    nearest, log, theirs = min(candidates, key=lambda one: (-sum((counts & Counter(one[2])).values()), len(one[2])))
    new = _unmatched(mine, theirs)
    missing = _unmatched(theirs, mine)
    if not new and not missing:
        return None
    begin, begin_good = _begin(events), _begin(log)
    first = new[0] if new else len(events)
    window = range(max(0, first - _AROUND), min(len(events), first + 1))
    return Divergence(
        number,
        nearest,
        tuple(_shown(events[at], begin, at == first) for at in window),
        tuple(_shown(events[at], begin, True) for at in new[1 : 1 + _SHOWN]),
        tuple(_shown(log[at], begin_good, False) for at in missing[:_SHOWN]),
    )


def line_times(events: Sequence[Event]) -> dict[int, float]:
    """Seconds since the first line of the log, by the number of the line."""
    begin = _begin(events)
    if begin is None:
        return {}
    times = {event.line: event.time - begin for event in events if event.time is not None}
    # A line within an event of several lines has the time of that event.
    for one, following in pairwise(sorted(times)):
        times.update(dict.fromkeys(range(one + 1, min(following, one + 50)), times[one]))
    return times


def _key(event: Event) -> str:
    """What is the same of a line in every start; "" for rows of tables, which say again what came of it all."""
    return "" if event.row is not None else event.level + _CHANGES.sub("#", event.text)


def _unmatched(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """The places of what the first has more often than the second, in order."""
    left, places = Counter(other), []
    for place, key in enumerate(one):
        if not key:
            continue
        if left[key]:
            left[key] -= 1
        else:
            places.append(place)
    return places


def _begin(events: Sequence[Event]) -> float | None:
    return next((event.time for event in events if event.time is not None), None)


def _shown(event: Event, begin: float | None, new: bool) -> Shown:
    time = event.time - begin if event.time is not None and begin is not None else None
    text = " | ".join(event.row.cells) if event.row else event.text
    return Shown(event.line, time, event.level, text[:_TEXT], new)
