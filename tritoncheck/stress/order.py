"""One order for the events of several streams, which does not depend on which of them was read first.

A server writes INFO to stdout and the rest to stderr (since 25.06), and whoever collects both may be late with either.
Knows of what a line says only whether it begins a load: in a log without parts of a second the header decides nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import islice

from tritoncheck.stress.logs import Event

# So many events are held to be put in order; in a longer log the others come as they are.
HELD = 100_000


def in_order(events: Iterable[Event]) -> Iterator[Event]:
    """Events by their own times. What has no header stays behind what its stream said before it.

    At one and the same time a load begins before it fails, and fails before it succeeds: a failure that a retry healed
    is followed by success, never success by failure.
    """
    source, last = iter(events), dict[str, float]()
    held: dict[str, list[tuple[float, Event]]] = {}
    for event in islice(source, HELD):
        if event.source and event.time is not None:
            last[event.stream] = event.time
        held.setdefault(event.stream, []).append((last.get(event.stream, float("-inf")), event))
    for stream in held.values():
        stream.sort(key=lambda pair: pair[0])
    merged = heapq.merge(*(held[name] for name in sorted(held)), key=_place)
    yield from (event for _, event in merged)
    yield from source


def _place(pair: tuple[float, Event]) -> tuple[float, int]:
    time, event = pair
    if event.level == "I":
        return time, 0 if event.text.startswith("loading: ") else 2
    return time, 1
