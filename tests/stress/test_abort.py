"""A start that takes too long: what the server is sent, what is kept of its last words, and how long that takes."""

from __future__ import annotations

import io
import signal
from typing import Any

import pytest

from tritoncheck.stress.attempt import run_attempt
from tritoncheck.stress.docker_server import DockerServer
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import MockHost, MockServer, Script, header, load_steps
from tritoncheck.stress.records import Attempt, Plan

FRAMES = """Fatal Python error: Aborted

Current thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/models/slow/1/model.py", line 14 in initialize
"""


class Watched(MockServer):
    """Remembers its signals; a deaf one writes something all the same."""

    def __init__(self, host: MockHost, script: Script, last: str = "") -> None:
        super().__init__(host, script)
        self.signals: list[tuple[float, int]] = []
        self.last = last

    def signal(self, number: int) -> bool:
        """As it is sent."""
        self.signals.append((self.now(), number))
        if number == signal.SIGABRT and self.last:
            steps = (*self._script.steps, (self.now(), "stderr", self.last))
            self._script = Script(tuple(sorted(steps)), deaf=self._script.deaf, rows=None)
        return super().signal(number)


def hang(deaf: bool, last: str = "") -> tuple[Attempt, Watched, bytes]:
    """A start in which one of two models hangs: the attempt, its server, and the log."""
    steps = tuple(step for step in load_steps({"quick": (1.0, ""), "slow": (100.0, "")}) if step[0] < 50)
    script, keep = Script(steps, deaf=deaf, rows=None), io.BytesIO()
    server = Watched(MockHost(lambda _: script), script, last)
    plan = Plan("scripted", ("quick", "slow"), "mock", startup_timeout=30.0)
    attempt, _ = run_attempt(server, plan, 1, keep, Silent(), lambda: False)
    return attempt, server, keep.getvalue()


def test_a_server_that_heeds_the_signal_ends_by_it() -> None:
    attempt, server, _ = hang(deaf=False)
    assert [number for _, number in server.signals] == [signal.SIGABRT]
    assert (attempt.ended, attempt.exit_code) == ("timeout", -signal.SIGABRT)
    assert {name: one.outcome for name, one in attempt.models.items()} == {"quick": "ready", "slow": "hung"}


def test_one_that_cannot_is_not_waited_for() -> None:
    attempt, server, _ = hang(deaf=True)
    (asked, first), (ended, second) = server.signals
    assert (first, second) == (signal.SIGABRT, signal.SIGKILL)
    assert ended - asked < 2
    assert attempt.models["slow"].outcome == "hung"


def test_one_that_is_slow_to_die_gets_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MockServer, "signal", lambda self, number: True)
    _, server, _ = hang(deaf=True)
    (asked, first), (ended, second) = server.signals
    assert (first, second) == (signal.SIGABRT, signal.SIGKILL)
    assert ended - asked == pytest.approx(10, abs=0.6)


def test_last_words_are_kept_and_say_where_it_hung() -> None:
    attempt, _, log = hang(deaf=True, last=FRAMES)
    assert log.decode().endswith(FRAMES)
    assert attempt.models["slow"].text == "loading: slow:1; it was at /models/slow/1/model.py, line 14, in initialize"
    assert attempt.models["slow"].failure == "hang"


def test_what_dies_of_the_signal_is_no_failure_of_a_model() -> None:
    """A stub that ends makes the server say that its model failed: but it hung."""
    text = header("E", 31.0, "model_lifecycle.cc:642")
    text += "\"failed to load 'slow' version 1: Internal: Stub process 'slow_0_0' is not healthy.\"\n"
    attempt, _, log = hang(deaf=True, last=text)
    assert log.decode().endswith(text)
    assert (attempt.models["slow"].outcome, attempt.models["slow"].failure) == ("hung", "hang")


def test_how_long_a_load_was_waited_for() -> None:
    attempt, _, _ = hang(deaf=False)
    slow = attempt.models["slow"]
    assert slow.begun == pytest.approx(0, abs=0.01)
    assert slow.seconds == pytest.approx(30, abs=0.6)
    assert slow.seconds is not None
    assert slow.seconds <= attempt.seconds


class Engine:
    """An engine's client that knows one container."""

    def __init__(self, processes: list[list[str]], fails: bool = False) -> None:
        self.api = self
        self.processes, self.fails = processes, fails
        self.calls: list[tuple[str, Any]] = []

    def inspect_container(self, name: str) -> dict[str, Any]:
        """Its first process."""
        return {"State": {"Pid": 77}}

    def top(self, name: str, ps_args: str) -> dict[str, Any]:
        """Its processes."""
        import docker

        if self.fails:
            raise docker.errors.APIError("ps: unrecognized option")
        return {"Titles": ["PID", "CAUGHT"], "Processes": self.processes}

    def kill(self, name: str, signal: int) -> None:
        """To the first process."""
        self.calls.append(("kill", signal))

    def exec_create(self, name: str, command: list[str], **more: object) -> dict[str, str]:
        """To the others."""
        self.calls.append(("exec", command[-1]))
        return {"Id": "e"}

    def exec_start(self, name: str, detach: bool) -> None:
        """Nothing runs."""


@pytest.mark.parametrize(
    ("processes", "heeded"),
    [
        ([["77", "0000000100000000"], ["78", "0000000000000020"]], False),
        ([["78", "0000000000000020"], ["77", "0000000100000420"]], True),
        ([["77", "<f"]], True),
        ([["78", "0000000000000000"]], True),
    ],
)
def test_the_first_process_of_a_container_heeds_only_what_it_catches(processes: list[list[str]], heeded: bool) -> None:
    engine = Engine(processes)
    server = DockerServer(engine, "c", local=True, keep=False)  # type: ignore[arg-type]
    assert server.signal(signal.SIGABRT) is heeded
    assert engine.calls == [("kill", signal.SIGABRT), ("exec", f"kill -{int(signal.SIGABRT)} -1")]
    engine.calls.clear()
    assert server.signal(signal.SIGKILL)
    assert engine.calls == [("kill", signal.SIGKILL)]
    engine.fails = True
    assert server.signal(signal.SIGABRT), "where it cannot be found out, it gets its time"
