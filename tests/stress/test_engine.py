"""The loop of a run on scripted servers: what counts as an attempt, what ends a run, what a kill leaves behind."""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tritoncheck.stress import engine as engine_module
from tritoncheck.stress.engine import Engine, GaveUp, Stop
from tritoncheck.stress.host import HostError, Row
from tritoncheck.stress.journal import Journal, JournalError, read_attempts, read_facts, read_lines, read_plan
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import MockHost, Scenario, Script, header, load_steps
from tritoncheck.stress.outcomes import with_index
from tritoncheck.stress.records import Attempt, ModelOutcome, Plan
from tritoncheck.stress.stop import Decision
from tritoncheck.stress.summary import summarise

ROOT = Path(__file__).resolve().parents[2]
FAILS = "Internal: OSError: [Errno 98] Address already in use"


def plan_of(*models: str, **more: object) -> Plan:
    """A plan for scripted servers."""
    return Plan(**{"repository": "scripted", "expected": models, "host": "mock", "restarts": 1, **more})  # type: ignore[arg-type]


def rows(**states: str) -> tuple[Row, ...]:
    """An index."""
    return tuple(Row(name, "1" if state else "", state, "") for name, state in states.items())


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[list[Attempt], Decision | None]]:
    """Runs a scenario to its end, in a folder of its own: the attempts and the decision."""
    count = iter(range(1000))

    def run(scenario: Scenario | Script, plan: Plan, listener: Silent | None = None, **more: object) -> object:
        host = MockHost((lambda _: scenario) if isinstance(scenario, Script) else scenario)
        folder = tmp_path / str(next(count))
        with Journal(folder, plan, resume=False) as journal:
            decision = Engine(plan, host, journal, listener or Silent(), Stop(), **more).run()  # type: ignore[arg-type]
        assert host.running == 0
        return list(read_attempts(folder)), decision

    return run  # type: ignore[return-value]


def test_a_clean_start_is_whole(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    script = Script(load_steps({"a": (1.0, ""), "b": (2.0, "")}), rows=rows(a="READY", b="READY"))
    (attempt,), decision = run(script, plan_of("a", "b"))
    assert attempt.whole
    assert attempt.ended == "settled"
    assert {name: one.outcome for name, one in attempt.models.items()} == {"a": "ready", "b": "ready"}
    assert attempt.models["b"].seconds == pytest.approx(2.0)
    assert attempt.models["b"].begun == pytest.approx(0.0, abs=0.1)
    assert attempt.seconds == pytest.approx(2.06, abs=0.1)
    assert decision is not None
    assert decision.outcome == "complete"


def test_a_failed_model_is_told_at_its_line(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    told: list[tuple[str, str]] = []

    class Watcher(Silent):
        def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
            told.append((name, outcome.outcome))

    script = Script(load_steps({"a": (3.0, ""), "b": (1.0, FAILS)}), rows=None)
    (attempt,), _ = run(script, plan_of("a", "b"), Watcher())
    assert told == [("b", "failed"), ("a", "ready")]
    assert not attempt.whole
    assert attempt.models["b"].failure == "port-in-use"
    assert attempt.log


def test_a_hang_is_timed_out_and_ended(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    steps = load_steps({"a": (1.0, ""), "b": (1000.0, "")})
    for deaf in (False, True):
        (attempt,), _ = run(Script(steps, deaf=deaf), plan_of("a", "b", startup_timeout=30.0))
        assert attempt.ended == "timeout"
        assert attempt.models["a"].outcome == "ready"
        assert attempt.models["b"].outcome == "hung"
        assert 30 <= attempt.seconds < 31


def test_a_crash_is_none_of_the_models_that_were_ready(
    run: Callable[..., tuple[list[Attempt], Decision | None]],
) -> None:
    steps = tuple(step for step in load_steps({"a": (1.0, ""), "b": (5.0, "")}) if step[0] < 2)
    (attempt,), _ = run(Script(steps, ends=2.0, exit_code=139), plan_of("a", "b", "never"))
    assert attempt.ended == "exit"
    assert attempt.exit_code == 139
    assert attempt.server == "crash-signal"
    assert {name: one.outcome for name, one in attempt.models.items()} == {
        "a": "ready",
        "b": "crashed",
        "never": "unknown",
    }


def test_the_index_tells_what_the_log_does_not(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    script = Script(load_steps({"a": (1.0, "")}), rows=rows(a="READY", silent="READY", refused=""))
    (attempt,), _ = run(script, plan_of("a", "silent", "refused", "empty"))
    assert {name: one.outcome for name, one in attempt.models.items()} == {
        "a": "ready",
        "silent": "ready",
        "refused": "failed",
        "empty": "failed",
    }
    ready = ModelOutcome("ready")
    assert with_index(ready, "a", [Row("a", "1", "UNAVAILABLE", "Internal: gone")]).outcome == "failed"
    assert with_index(ready, "a", [Row("a", "1", "UNAVAILABLE", "unloaded")]).outcome == "ready"


def test_a_line_without_end_is_noticed(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    """Releases before 24.05 do not say where a message ends."""
    first = header("I", 0.0, "model_lifecycle.cc:462") + "loading: a:1\n"
    failed = header("E", 1.0, "model_lifecycle.cc:622") + f"failed to load 'a' version 1: {FAILS}\n"
    told: list[str] = []

    class Watcher(Silent):
        def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
            told.append(name)

    script = Script(((0.0, "stderr", first), (1.0, "stderr", failed)), rows=None)
    (attempt,), _ = run(script, plan_of("a", startup_timeout=60.0), Watcher())
    assert told == ["a"]
    assert attempt.ended == "settled"
    assert attempt.seconds < 5


def test_refused_flags_are_no_attempt(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    text = "tritonserver: unrecognized option '--nonsense'\nUsage: tritonserver [options]\n  --help\n"
    with pytest.raises(HostError, match="unrecognized option '--nonsense'"):
        run(Script(((0.0, "stderr", text),), ends=0.1, exit_code=1), plan_of("a"))


def test_an_environment_fault_is_no_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritoncheck.stress.engine._PAUSES", (0.001,))
    plan = plan_of("a", restarts=3)
    host = MockHost(lambda _: Script(load_steps({"a": (1.0, "")}), rows=None), faults=["engine away", "still away"])
    with Journal(tmp_path / "run", plan, resume=False) as journal:
        Engine(plan, host, journal, Silent(), Stop()).run()
    kinds = [kind for kind, _ in read_lines(tmp_path / "run" / "journal.jsonl")]
    assert kinds == ["plan", "facts", "environment", "environment", *["attempt"] * 3, "decision", "end"]


def test_a_lasting_fault_ends_the_run_and_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritoncheck.stress.engine._PAUSES", (0.001,))
    plan = plan_of("a", restarts=5)
    good = Script(load_steps({"a": (1.0, "")}), rows=None)
    host = MockHost(lambda number: good if number < 3 else Script(fault="engine away"))
    with Journal(tmp_path, plan, resume=False) as journal, pytest.raises(GaveUp, match="engine away"):
        Engine(plan, host, journal, Silent(), Stop(), patience=0.05).run()
    assert len(list(read_attempts(tmp_path))) == 2
    with Journal(tmp_path, plan, resume=True) as journal:
        Engine(plan, MockHost(lambda _: good), journal, Silent(), Stop()).run()
    assert [attempt.number for attempt in read_attempts(tmp_path)] == [1, 2, 3, 4, 5]


def test_a_decided_run_stops_early(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    plan = plan_of("a", restarts=500, until="decided", claim=0.05)
    attempts, decision = run(Script(load_steps({"a": (1.0, FAILS)}), rows=None), plan)
    assert len(attempts) < 10
    assert decision is not None
    assert decision.outcome == "bad"
    attempts, decision = run(Script(load_steps({"a": (1.0, "")}), rows=None), plan)
    assert 30 < len(attempts) < 500
    assert decision is not None
    assert decision.outcome == "good"


def test_a_sequential_test_ends_a_run(tmp_path: Path) -> None:
    plan = plan_of("a", restarts=160, until="sprt", claim=0.01, against=0.1)
    for why, attempts, outcome, code in (("", 31, "good", 0), (FAILS, 2, "bad", 1)):
        folder = tmp_path / outcome
        host = MockHost(dict.fromkeys(range(99), Script(load_steps({"a": (1.0, why)}), rows=None)).__getitem__)
        with Journal(folder, plan, resume=False) as journal:
            decision = Engine(plan, host, journal, Silent(), Stop()).run()
        assert decision is not None
        assert (decision.rule, decision.outcome, decision.tally.attempts) == ("sprt", outcome, attempts)
        (table,) = [table for kind, table in read_lines(folder / "journal.jsonl") if kind == "decision"]
        assert table["parameters"] == {"good": 0.01, "bad": 0.1, "most": 160, "alpha": 0.05, "beta": 0.05}
        assert read_plan(folder) == plan
        assert summarise(folder).exit_code == code


def test_a_budget_ends_a_run(run: Callable[..., tuple[list[Attempt], Decision | None]]) -> None:
    attempts, decision = run(Script(load_steps({"a": (9.9, "")}), rows=None), plan_of("a", restarts=100, budget=45.0))
    assert len(attempts) == 5
    assert decision is not None
    assert decision.rule == "time-budget"


@pytest.mark.parametrize(
    ("claim", "n", "k", "code"),
    [
        (None, 50, 0, 0),
        (None, 50, 1, 1),
        (None, 20, 0, 3),
        (None, 0, 0, 3),
        (0.01, 299, 0, 0),
        (0.01, 299, 1, 3),
        (0.01, 50, 0, 3),
        (0.01, 50, 10, 1),
    ],
)
def test_exit_codes(claim: float | None, n: int, k: int, code: int, tmp_path: Path) -> None:
    plan = plan_of("a", restarts=n or 50, claim=claim)
    if claim is None and n == 20:
        plan = plan_of("a", restarts=50)  # broken off
    with Journal(tmp_path, plan, resume=False) as journal:
        for number in range(1, n + 1):
            outcome = ModelOutcome("failed" if number <= k else "ready")
            journal.write_attempt(Attempt(number, "2026-06-01T00:00:00Z", 1.0, "settled", number > k, {"a": outcome}))
    assert summarise(tmp_path).exit_code == code


def test_attempts_leave_nothing_in_memory(memory: Path) -> None:
    script = Script(load_steps({"a": (1.0, ""), "b": (2.0, FAILS)}), rows=None)
    plan = plan_of("a", "b", restarts=520)
    marks: list[int] = []

    class Watcher(Silent):
        def finished(self, attempt: Attempt) -> None:
            if attempt.number in (120, 520):
                gc.collect()
                held = tracemalloc.take_snapshot().filter_traces([ours])
                marks.append(sum(trace.size for trace in held.traces))

    # Not what other threads of the process that runs the tests take meanwhile.
    ours = tracemalloc.Filter(True, f"{Path(engine_module.__file__).parent}/*", all_frames=True)
    tracemalloc.start(10)
    try:
        with Journal(memory / "run", plan, resume=False) as journal:
            Engine(plan, MockHost(lambda _: script), journal, Watcher(), Stop()).run()
    finally:
        tracemalloc.stop()
    assert marks[1] - marks[0] < 100_000, marks


def test_a_changed_plan_is_refused(tmp_path: Path) -> None:
    plan = plan_of("a", restarts=2)
    with Journal(tmp_path, plan, resume=False):
        pass
    with pytest.raises(JournalError, match=r"another plan \(changed: restarts\)"):
        Journal(tmp_path, plan_of("a", restarts=3), resume=True)
    with pytest.raises(JournalError, match="holds a run already"):
        Journal(tmp_path, plan, resume=False)
    with pytest.raises(JournalError, match="no run to resume"):
        Journal(tmp_path / "elsewhere", plan, resume=True)


def test_two_writers_are_refused(tmp_path: Path) -> None:
    plan = plan_of("a")
    with Journal(tmp_path, plan, resume=False), pytest.raises(JournalError, match="another process"):
        Journal(tmp_path, plan, resume=True)


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    plan = plan_of("a", restarts=2)
    good = Script(load_steps({"a": (1.0, "")}), rows=None)
    with Journal(tmp_path, plan, resume=False) as journal:
        Engine(plan, MockHost(lambda _: good), journal, Silent(), Stop()).run()
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    first = b"".join(lines[:3])  # plan, facts, one attempt
    for cut in range(len(lines[3]) - 1):
        path.write_bytes(first + lines[3][:cut])
        assert len(list(read_attempts(tmp_path))) == 1
        if cut % 97 == 0:
            with Journal(tmp_path, plan, resume=True) as journal:
                Engine(plan, MockHost(lambda _: good), journal, Silent(), Stop()).run()
            assert [attempt.number for attempt in read_attempts(tmp_path)] == [1, 2]
            for line in path.read_bytes().splitlines():
                json.loads(line)


def test_ctrl_c_once_finishes_the_attempt_twice_does_not(tmp_path: Path) -> None:
    for times, kept in ((1, 1), (2, 0)):
        plan, stop = plan_of("a", restarts=10), Stop()

        class Watcher(Silent):
            def model(
                self, number: int, name: str, outcome: ModelOutcome, stop: Stop = stop, times: int = times
            ) -> None:
                for _ in range(times):
                    stop.ask()

        host = MockHost(lambda _: Script(load_steps({"a": (1.0, ""), "b": (2.0, "")}), rows=None))
        with Journal(tmp_path / str(times), plan, resume=False) as journal:
            assert Engine(plan, host, journal, Watcher(), stop).run() is None
            assert journal.attempts == kept
        assert host.running == 0
        assert sorted(one.name for one in (tmp_path / str(times)).iterdir() if one.name != "logs") == ["journal.jsonl"]


# The program that is killed: resumes the run if there is one.
_CHILD = """
import sys
from pathlib import Path
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import DEMO_MODELS, MockHost, demo
from tritoncheck.stress.records import Plan

class Watcher(Silent):
    def finished(self, attempt):
        print(attempt.number, flush=True)

folder = Path(sys.argv[1])
plan = Plan("scripted", DEMO_MODELS, "mock", restarts=int(sys.argv[2]))
with Journal(folder, plan, resume=(folder / "journal.jsonl").exists()) as journal:
    Engine(plan, MockHost(demo(), pace=0.001), journal, Watcher(), Stop()).run()
"""


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `_CHILD` in a process of its own."""
    made: list[subprocess.Popen[str]] = []

    def spawn(folder: Path, restarts: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _CHILD, str(folder), str(restarts)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        made.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True))
        return made[-1]

    yield spawn
    for one in made:
        one.kill()
        one.wait()
        assert one.stdout is not None
        one.stdout.close()


def test_killed_at_random_moments_no_finished_attempt_is_lost(
    tmp_path: Path, spawn: Callable[..., subprocess.Popen[str]]
) -> None:
    chance = random.Random(7)
    folder = tmp_path / "run"
    seen = 0
    for _ in range(20):
        process = spawn(folder, 100_000)
        assert process.stdout is not None
        assert process.stdout.readline()
        timer = threading.Timer(chance.uniform(0, 0.15), process.kill)
        timer.start()
        told = [int(line) for line in process.stdout if line.endswith("\n")]
        process.wait()
        timer.cancel()
        numbers = [attempt.number for attempt in read_attempts(folder)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert not told or told[-1] <= numbers[-1]
        assert len(numbers) > seen
        seen = len(numbers)
    assert len(read_facts(folder)) == 20
    assert read_plan(folder).restarts == 100_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_run_in_order(number: int, tmp_path: Path, spawn: Callable[..., subprocess.Popen[str]]) -> None:
    process = spawn(tmp_path / "run", 100_000)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 0
    *_, (kind, table) = read_lines(tmp_path / "run" / "journal.jsonl")
    assert (kind, table["reason"]) == ("end", "stopped by the user")
    assert not list((tmp_path / "run").glob(".*"))
