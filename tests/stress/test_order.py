"""Two streams of one server, read in any order: what is said of its models is the same."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

import pytest

from tritoncheck.stress.attempt import run_attempt
from tritoncheck.stress.classify import classify, histories
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.logs import Event, LogReader, read_log
from tritoncheck.stress.mock_host import MockHost, Script
from tritoncheck.stress.order import in_order
from tritoncheck.stress.records import ModelOutcome, Plan

LOGS = Path(__file__).resolve().parents[2] / "fixtures" / "logs"
# Logs of one start each, in which every message is one line: as releases from 24.05 on write them.
NAMES = [
    *("crash-2.51.0.log", "duplicate-2.51.0.log", "hang-2.51.0.log", "iso8601-2.51.0.log", "killed-2.51.0.log"),
    *("mixed-2.51.0.log", "no-model-file-2.51.0.log", "port-race-2.51.0.log", "refused-2.51.0.log"),
    *("retry-2.51.0.log", "shm-2.51.0.log", "tensorrt-race.log"),
]
_CLOCK = re.compile(r"\d\d:\d\d:\d\d\.\d+")


def streams_of(text: str) -> dict[str, list[str]]:
    """The lines of a log as releases from 25.06 on would write them: INFO and tables to stdout, the rest to stderr."""
    streams: dict[str, list[str]] = {"stdout": [], "stderr": []}
    for line in text.splitlines():
        streams["stderr" if line[:1] in ("E", "W", "[") else "stdout"].append(line + "\n")
    return streams


def interleaved(streams: dict[str, list[str]], chance: random.Random) -> list[tuple[str, str]]:
    """The lines of both streams, each in its own order, in one of the orders in which they may arrive."""
    left = {name: list(lines) for name, lines in streams.items()}
    stream, found = "stdout", []
    while any(left.values()):
        if not left[stream] or chance.random() < 0.2:
            stream = {"stdout": "stderr", "stderr": "stdout"}[stream]
        if left[stream]:
            found.append((stream, left[stream].pop(0)))
    return found


def attempted(lines: list[tuple[str, str]], expected: tuple[str, ...], ends: bool) -> dict[str, ModelOutcome]:
    """What an attempt says of the models of a server that writes these lines at once."""
    steps = tuple((0.0, stream, line) for stream, line in lines)
    host = MockHost(lambda _: Script(steps, ends=0.5 if ends else None, exit_code=139, rows=None))
    plan = Plan("scripted", expected, "mock", startup_timeout=30.0)
    attempt, _ = run_attempt(host.start(1), plan, 1, io.BytesIO(), Silent(), lambda: False)
    return attempt.models


def told(models: dict[str, ModelOutcome]) -> dict[str, tuple[object, ...]]:
    """All that does not count lines."""
    return {
        name: (one.outcome, one.failure, one.text, one.culprits, one.victims, one.lost, one.retries, one.failures)
        for name, one in models.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_and_causes_do_not_depend_on_what_was_read_first(name: str) -> None:
    text = (LOGS / name).read_text(encoding="utf-8", errors="replace")
    streams = streams_of(text)
    expected = tuple(classify(histories(read_log(text))[-1]).models)
    ends = name.startswith(("crash", "killed"))
    in_the_log = told(attempted([("stdout", line + "\n") for line in text.splitlines()], expected, ends))
    chance = random.Random(name)
    orders = [interleaved(streams, chance) for _ in range(20)]
    orders += [[(name, line) for name in names for line in streams[name]] for names in (sorted(streams), streams)]
    for lines in orders:
        assert told(attempted(lines, expected, ends)) == in_the_log


@pytest.mark.parametrize("name", ["retry-2.51.0.log", "mixed-2.51.0.log", "port-race-2.51.0.log", "shm-2.51.0.log"])
def test_a_clock_of_whole_seconds_is_enough(name: str) -> None:
    """`--log-format=ISO8601` has no parts of a second: what fails in the second of its load has the same time."""
    text = (LOGS / name).read_text(encoding="utf-8")
    expected = tuple(classify(histories(read_log(text))[-1]).models)
    whole = told(attempted([("stdout", line + "\n") for line in text.splitlines()], expected, False))
    same = _CLOCK.sub("12:00:00.000000", text)
    streams, chance = streams_of(same), random.Random(name)
    orders = [interleaved(streams, chance) for _ in range(20)]
    orders += [[(name, line) for name in names for line in streams[name]] for names in (sorted(streams), streams)]
    for lines in orders:
        found = told(attempted(lines, expected, False))
        assert {name: one[0] for name, one in found.items()} == {name: one[0] for name, one in whole.items()}


def events_of(lines: list[tuple[str, str]]) -> list[Event]:
    """The events of lines in this order."""
    reader = LogReader()
    found: list[Event] = []
    for stream, line in lines:
        found += reader.feed(line, stream)
    return found + reader.close()


def test_each_stream_keeps_its_own_order() -> None:
    streams = streams_of((LOGS / "mixed-2.51.0.log").read_text(encoding="utf-8"))
    chance = random.Random(3)
    texts = [
        [(event.stream, event.text) for event in in_order(events_of(interleaved(streams, chance)))] for _ in range(10)
    ]
    assert texts[0]
    assert all(one == texts[0] for one in texts)


def test_the_last_lines_of_the_other_stream_are_waited_for() -> None:
    """The failure is written before the server serves, but arrives after."""
    text = (LOGS / "port-race-2.51.0.log").read_text(encoding="utf-8")
    streams = streams_of(text)
    first = [line for line in streams["stdout"] if not line.startswith(("|", "+"))]  # the table says it all again
    steps = [(0.0, "stdout", line) for line in first] + [(0.01, "stderr", line) for line in streams["stderr"]]
    host = MockHost(lambda _: Script(tuple(steps), rows=None))
    plan = Plan("scripted", ("port_a", "port_b"), "mock")
    attempt, _ = run_attempt(host.start(1), plan, 1, io.BytesIO(), Silent(), lambda: False)
    assert {name: one.failure for name, one in attempt.models.items()} == {"port_a": "", "port_b": "port-in-use"}
