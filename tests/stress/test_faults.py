"""The surroundings fail in the middle of a start: no attempt and no crash; the run waits, and goes on or ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tritoncheck.stress.docker_server import DockerServer
from tritoncheck.stress.engine import Engine, GaveUp, Stop
from tritoncheck.stress.host import EnvironmentFault
from tritoncheck.stress.journal import Journal, read_attempts, read_lines
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import MockHost, Script, load_steps
from tritoncheck.stress.plan import Wish
from tritoncheck.stress.records import Plan
from tritoncheck.stress.run import StressOptions, run_stress
from tritoncheck.stress.summary import summarise

GOOD = Script(load_steps({"a": (1.0, "")}), rows=None)
LOST = Script(load_steps({"a": (5.0, "")}), rows=None, lost=2.0)


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritoncheck.stress.engine._PAUSES", (0.001,))


def breaking(at: int, times: int) -> Callable[[int], Script]:
    """The engine goes away so many times in the middle of this attempt."""
    left = [times]

    def scenario(number: int) -> Script:
        if number == at and left[0]:
            left[0] -= 1
            return LOST
        return GOOD

    return scenario


def test_an_engine_that_goes_away_in_a_start_is_no_crash(tmp_path: Path) -> None:
    plan, host = Plan("scripted", ("a",), "mock", restarts=4), MockHost(breaking(3, 2))
    with Journal(tmp_path, plan, resume=False) as journal:
        Engine(plan, host, journal, Silent(), Stop()).run()
    kinds = [kind for kind, _ in read_lines(tmp_path / "journal.jsonl")]
    assert kinds == [
        "plan",
        "facts",
        "attempt",
        "attempt",
        *["environment"] * 2,
        "attempt",
        "attempt",
        "decision",
        "end",
    ]
    assert [(one.number, one.whole, one.ended) for one in read_attempts(tmp_path)] == [
        (number, True, "settled") for number in (1, 2, 3, 4)
    ]
    assert (host.started, host.running) == (6, 0)
    assert sorted(one.name for one in (tmp_path / "logs").iterdir()) == ["attempt-00001.log.gz"]
    summary = summarise(tmp_path)
    assert (summary.whole.verdict, summary.troubles, summary.exit_code) == ("clean", 2, 0)


def test_one_that_stays_away_ends_the_run_with_everything_kept(tmp_path: Path) -> None:
    plan, host = Plan("scripted", ("a",), "mock", restarts=4), MockHost(breaking(3, 10**6))
    with Journal(tmp_path, plan, resume=False) as journal, pytest.raises(GaveUp, match="went away"):
        Engine(plan, host, journal, Silent(), Stop(), patience=0.05).run()
    assert host.running == 0
    assert [one.number for one in read_attempts(tmp_path)] == [1, 2]
    assert summarise(tmp_path).exit_code == 4
    assert sorted(one.name for one in tmp_path.iterdir()) == ["journal.jsonl", "logs"]
    with Journal(tmp_path, plan, resume=True) as journal:
        Engine(plan, MockHost(lambda _: GOOD), journal, Silent(), Stop()).run()
    assert [one.number for one in read_attempts(tmp_path)] == [1, 2, 3, 4]
    assert summarise(tmp_path).exit_code == 0


def test_the_command_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tritoncheck.stress.engine.PATIENCE", 0.05)
    monkeypatch.setattr("tritoncheck.stress.run.make_host", lambda *_: MockHost(breaking(3, 10**6)))
    options = StressOptions(Wish(restarts=4, expected=("a",)), output=str(tmp_path / "run"), demo=True)
    monkeypatch.setattr("tritoncheck.stress.mock_host.DEMO_MODELS", ("a",))
    assert run_stress(options) == 4
    out, err = capsys.readouterr()
    assert "2 of 4 planned attempts are done" in out
    last = err.splitlines()[-1]
    assert last.startswith("tritoncheck: the engine went away; gave up after 2 attempts, which are kept: --resume ")


class Client:
    """An engine whose container has ended, with the events that it remembers."""

    def __init__(self, own: list[str], others: int = 0, state: dict[str, Any] | None = None) -> None:
        self.api = self
        self.own, self.others = own, others
        self.state = {"Running": False, "ExitCode": 137, "FinishedAt": "2025-11-30T09:00:00.5Z", **(state or {})}

    def inspect_container(self, name: str) -> dict[str, Any]:
        """How it ended."""
        return {"State": self.state}

    def events(self, filters: dict[str, str] | None = None, **more: object) -> list[dict[str, str]]:
        """Of the container, or all."""
        found = [{"Action": action} for action in self.own]
        return found if filters else [*found, *[{"Action": "exec_start"}] * self.others]


@pytest.mark.parametrize(
    ("client", "code"),
    [
        (Client(["create", "start", "die"]), 137),
        (Client([]), None),
        (Client(["kill", "die", "stop"], others=3), None),
        (Client(["die"], others=255), 137),
        (Client([], state={"OOMKilled": True}), 137),
        (Client([], state={"ExitCode": 139}), 139),
        (Client([], state={"ExitCode": 0}), None),
    ],
)
def test_a_server_that_the_engine_ended_did_not_crash(client: Client, code: int | None) -> None:
    server = DockerServer(client, "c", local=True, keep=False)  # type: ignore[arg-type]
    server._ended = True
    if code is None:
        with pytest.raises(EnvironmentFault, match="ended in the middle of a start"):
            server.over()
    else:
        assert server.over()
        assert server.exit_code() == code
