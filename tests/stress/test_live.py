"""What a person sees while a run goes on, on a terminal and elsewhere."""

from __future__ import annotations

import io
import re

import pytest

from tests.stress.journals import FACTS, attempt, failed, plan, ready
from tritoncheck.stress.anytime import running_interval
from tritoncheck.stress.listener import Listener
from tritoncheck.stress.live import LiveView
from tritoncheck.stress.progress import Progress, pace, what_happened
from tritoncheck.stress.records import UNBOUNDED, Attempt, ModelOutcome
from tritoncheck.stress.stats import percent

PLAN = plan(("one", "two"), 10)
BAD = attempt(2, {"one": failed(), "two": ready()}, seconds=4.0)


def good(number: int) -> Attempt:
    """An attempt that came up whole."""
    return attempt(number, {"one": ready(), "two": ready()}, seconds=2.0)


def test_elsewhere_it_is_a_line_for_each_attempt() -> None:
    stream = io.StringIO()
    view: Listener = LiveView(stream)
    view.note("pulling the image")
    view.note("pulling the image")
    view.begin(PLAN, FACTS, [good(1)])
    view.started(2)
    view.model(2, "one", failed())
    view.finished(BAD)
    view.note("the engine\x1b does not answer")
    view.end("stopped by the user")
    assert stream.getvalue().splitlines() == [
        "pulling the image",
        "starts of nvcr.io/nvidia/tritonserver:26.06-py3, 1 done before; ends after 10 attempts; models: one, two",
        "2 of 10, about 32 s left: one failed (oom), 4.0 s; 1 of 2 did not come up whole, rate 0.63 % – 99.4 %",
        "the engine\\x1b does not answer",
        "stopped by the user (2 attempts, 6.0 s)",
    ]


def test_a_stream_that_is_gone_does_not_end_the_run() -> None:
    stream = io.StringIO()
    view = LiveView(stream)
    stream.close()
    view = LiveView(stream, terminal=False)
    view.begin(PLAN, FACTS, [])
    view.finished(BAD)
    view.end("done")


def frame(view: LiveView, width: int = 80) -> str:
    """What is drawn now, as plain text."""
    from rich.console import Console

    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(view.frame())
    return stream.getvalue()


def test_the_frame() -> None:
    view = LiveView(io.StringIO(), terminal=False)
    view.begin(PLAN, FACTS, [good(1), BAD, good(3)])
    view.started(4)
    view.model(4, "two", ready())
    shown = frame(view)
    low, high = map(percent, running_interval(1, 3)[2:])
    assert "3 of 10" in shown
    assert f"1 of 3 did not come up whole, rate {low} – {high} (95 % at any time)" in shown
    assert re.search(r"^one +1 of 3 .* \.F\.\s*$", shown, re.MULTILINE)
    assert re.search(r"^two +0 of 3 .* \.\.\.\.\s*$", shown, re.MULTILINE)
    assert "last: attempt 2: one failed (oom)" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("width", [60, 80, 200])
def test_many_models_and_long_names_fit(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"model_with_a_rather_long_name_number_{i}" for i in range(100))
    view = LiveView(io.StringIO(), terminal=False)
    monkeypatch.setattr(view, "_size", lambda: (width, 24))
    view.begin(plan(names, 900), FACTS, [])
    for number in range(1, 300):
        last = failed() if number % 7 == 0 else ready()
        view.finished(attempt(number, {**dict.fromkeys(names[:-1], ready()), names[-1]: last}))
    shown = frame(view, width)
    assert "… 84 more" in shown
    assert len(shown.splitlines()) <= 24
    rows = [line for line in shown.splitlines() if line.startswith("model")]
    assert "42 of 299" in rows[0]


def test_on_a_terminal_it_draws_and_wipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    view = LiveView(stream, terminal=True)
    view.begin(PLAN, FACTS, [])
    view.started(1)
    view.finished(good(1))
    view.note("finishing this attempt")
    view.end("stopped by the user")
    assert "\x1b[" in stream.getvalue()
    assert stream.getvalue().endswith("stopped by the user (1 attempt, 2.0 s)\n")


def test_time_left() -> None:
    progress = Progress(plan(("one",), 10, budget=12.0))
    assert progress.left() is None
    progress.add(attempt(1, {"one": ready()}, seconds=2.0))
    assert progress.left() == 10.0
    assert progress.left(into=1.5) == 8.5
    assert Progress(plan(("one",), 1)).left() is None
    assert (progress.share, pace(progress)) == (1 / 6, "1 of 10, about 10 s left")


def test_a_run_of_which_only_the_time_is_planned() -> None:
    given = plan(("one",), UNBOUNDED, budget=60.0)
    progress = Progress(given)
    progress.add(attempt(1, {"one": ready()}, seconds=2.0))
    assert pace(progress) == "attempt 1, about 58 s left"
    decided = Progress(plan(("one",), 100, until="decided"))
    decided.add(attempt(1, {"one": ready()}, seconds=1.0))
    assert pace(decided) == "1 of 100, at most 99 s left"


@pytest.mark.parametrize(
    ("models", "more", "said"),
    [
        ({"a": ready()}, {}, "all ready"),
        ({"a": ModelOutcome("degraded", "cuda-graph-capture", lost=("cuda-graph",))}, {}, "a lost its cuda-graph"),
        ({"a": ModelOutcome("knock-on"), "b": failed()}, {}, "a knock-on, b failed (oom)"),
        ({"a": ModelOutcome("crashed")}, {"server": "crash-signal"}, "server: crash-signal, a crashed"),
        ({}, {"whole": False, "ended": "timeout"}, "timeout"),
    ],
)
def test_what_happened(models: dict[str, ModelOutcome], more: dict[str, object], said: str) -> None:
    assert what_happened(attempt(1, models, **more)) == said
