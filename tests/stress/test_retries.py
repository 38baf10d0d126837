"""Loads that the server repeats: what comes up at the second try is ready, and the report says how it got there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.flags import loaded, pairs, retries, value, without_repository
from tritoncheck.stress.journal import Journal, read_attempts
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import MockHost, Script, header
from tritoncheck.stress.progress import what_happened
from tritoncheck.stress.records import ModelOutcome, Plan
from tritoncheck.stress.report import render
from tritoncheck.stress.summary import summarise

WHY = "Internal: OSError: [Errno 98] Address already in use"
FLAGS = ("--model-load-retry-count=2",)


def start(*tries: tuple[float, str]) -> Script:
    """A start in which the loads of a model end at these seconds, and why each fails, "" for the one that does not."""
    steps = [(0.0, "stdout", f'{header("I", 0.0, "model_lifecycle.cc:472")}"loading: a:1"\n')]
    for at, why in tries:
        if why:
            text = f"{header('E', at, 'model_lifecycle.cc:642')}\"failed to load 'a' version 1: {why}\"\n"
        else:
            text = f"{header('I', at, 'model_lifecycle.cc:839')}\"successfully loaded 'a'\"\n"
        steps.append((at, "stderr" if why else "stdout", text))
    end, last = tries[-1]
    if last:
        steps.append((end, "stdout", f"{header('I', end, 'model_lifecycle.cc:777')}\"failed to load 'a'\"\n"))
    serving = f'{header("I", end, "grpc_server.cc:2558")}"Started GRPCInferenceService at 0.0.0.0:8001"\n'
    return Script((*steps, (end + 0.1, "stdout", serving)), rows=None)


def run(folder: Path, scripts: list[Script], flags: tuple[str, ...] = FLAGS) -> list[tuple[int, str, str]]:
    """Runs the scripts: what was told of the model while each ran."""
    told: list[tuple[int, str, str]] = []

    class Watcher(Silent):
        def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
            told.append((number, name, outcome.outcome))

    plan = Plan("scripted", ("a",), "mock", restarts=len(scripts), flags=flags)
    with Journal(folder, plan, resume=False) as journal:
        Engine(plan, MockHost(lambda number: scripts[number - 1]), journal, Watcher(), Stop()).run()
    return told


def test_a_model_is_not_given_up_before_the_server_does(tmp_path: Path) -> None:
    """A retry that takes longer than any pause of the log."""
    told = run(tmp_path, [start((1.0, WHY), (20.0, "")), start((1.0, WHY), (9.0, WHY), (18.0, WHY))])
    assert told == [(1, "a", "ready"), (2, "a", "failed")]
    first, second = read_attempts(tmp_path)
    assert (first.whole, first.models["a"].retries, first.models["a"].failure) == (True, 1, "port-in-use")
    assert (second.whole, second.models["a"].outcome) == (False, "failed")
    assert first.log, "what a retry healed is worth keeping"
    assert what_happened(first) == "a ready by a retry"


def test_without_retries_the_first_failure_is_the_end(tmp_path: Path) -> None:
    assert run(tmp_path, [start((1.0, WHY))], ()) == [(1, "a", "failed")]


def test_every_report_says_what_was_healed(tmp_path: Path) -> None:
    scripts = [start((1.0, WHY), (2.0, ""))] * 3 + [start((1.0, ""))] * 7
    run(tmp_path, scripts)
    summary = summarise(tmp_path)
    assert (summary.whole.verdict, summary.exit_code) == ("clean", 0)
    assert summary.whole.headline == "Clean: all 10 starts came up whole, 3 of them only by a retry"
    assert summary.whole.models["a"].outcomes["ready"] == 10
    assert summary.whole.models["a"].outcomes["degraded"] == 0
    table = json.loads(render(summary, "json"))
    assert table["server"]["healed"] == 3
    assert table["models"]["a"]["healed"] == 3
    assert table["models"]["a"]["healed_classes"] == {"port-in-use": 3}
    text = " ".join(render(summary, "text").split())
    assert "Healed by a retry of the load: a in 3 attempts." in text
    assert "port-in-use, 3 times, healed by a retry" in text
    assert "load retries: 2" in text
    for format in ("markdown", "junit", "html"):
        assert "healed by a retry" in render(summary, format)


def test_flags_that_let_loads_be_retried_are_told_of(tmp_path: Path) -> None:
    run(tmp_path, [start((1.0, ""))])
    assert "none was healed by that" in " ".join(render(summarise(tmp_path), "text").split())


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ((), 0),
        (("--model-load-retry-count=3",), 3),
        (("--model-load-retry-count", "3"), 3),
        (("--model-load-retry-count=3", "--model-load-retry-count=1"), 1),
        (("--model-load-retry-count=many",), 0),
    ],
)
def test_retries_of_flags(flags: tuple[str, ...], count: int) -> None:
    assert retries(flags) == count


def test_flags() -> None:
    given = ("--log-verbose=1", "-m", "/x", "--model-store=/y", "--grpc-port", "9", "--exit-on-error=false")
    assert without_repository(given) == ["--log-verbose=1", "--grpc-port", "9", "--exit-on-error=false"]
    assert value(given, "grpc-port") == "9"
    assert value(given, "http-port") == ""
    assert pairs(()) == ()
    assert loaded((), ["a", "b"]) == ("a", "b")
    assert loaded(("--model-control-mode=explicit",), ["a", "b"]) == ()
    assert loaded(("--model-control-mode=explicit", "--load-model=b"), ["a", "b"]) == ("b",)
