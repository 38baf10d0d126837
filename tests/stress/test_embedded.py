"""Real servers on this machine: what the embedded Triton does with the repositories of `fixtures/repositories`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tritoncheck.stress.embedded import embedded_binary, is_installed
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.host import HostError, MissingExtra
from tritoncheck.stress.journal import Journal, read_attempts, read_facts
from tritoncheck.stress.leftovers import Guard
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.owner import VARIABLE, machine, me
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.process_host import Binary, ProcessHost, find_binary
from tritoncheck.stress.records import Attempt, ModelOutcome

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = ROOT / "fixtures" / "repositories"
Run = Callable[..., list[Attempt]]


@pytest.fixture
def run(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Starts the real server on a repository; nothing of it may be left afterwards."""
    monkeypatch.syspath_prepend(str(installed))
    count = iter(range(100))

    def run(repository: str | Path, listener: Silent | None = None, stop: Stop | None = None, **more: object) -> object:
        wish = Wish(str(REPOSITORIES / repository), **{"restarts": 1, **more})  # type: ignore[arg-type]
        plan = make_plan(wish, "embedded")
        folder = tmp_path / f"run{next(count)}"
        with Journal(folder, plan, resume=False) as journal:
            host = ProcessHost(plan, embedded_binary(journal.work))
            Engine(plan, host, journal, listener or Silent(), stop or Stop()).run()
        assert sorted(one.name for one in folder.iterdir()) == ["journal.jsonl", "logs"]
        facts = read_facts(folder)
        assert facts[-1].triton == "2.51.0" or facts[-1].triton == ""
        return list(read_attempts(folder))

    yield run  # type: ignore[misc]
    assert left() == []
    assert not list(REPOSITORIES.rglob("__pycache__"))


def left() -> list[str]:
    """Processes and shared memory that this process's servers left."""
    found = [one.name for one in Path("/dev/shm").glob(f"tritoncheck.{me()}.*")]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            if f"TRITONCHECK_OWNER={me()}\0".encode() in environment:
                found.append((folder / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


def outcomes(attempt: Attempt) -> dict[str, str]:
    """The outcome of each model."""
    return {name: one.outcome for name, one in attempt.models.items()}


def test_a_clean_repository_is_clean(run: Run) -> None:
    attempts = run("clean", restarts=2)
    assert [attempt.whole for attempt in attempts] == [True, True]
    assert outcomes(attempts[0]) == {"depth": "ready", "detect": "ready", "pose": "ready"}
    assert all(one.seconds and one.seconds > 0 for one in attempts[0].models.values())


def test_a_race_is_lost_now_by_one_and_now_by_the_other(run: Run) -> None:
    stop, losers = Stop(), set[str]()

    class Watcher(Silent):
        def finished(self, attempt: Attempt) -> None:
            losers.update(name for name, one in attempt.models.items() if one.outcome == "failed")
            if len(losers) == 2:
                stop.soon = True

    attempts = run("port_race", Watcher(), stop, restarts=25)
    assert losers == {"left", "right"}
    for attempt in attempts:
        assert sorted(outcomes(attempt).values()) == ["failed", "ready"]
        (loser,) = [one for one in attempt.models.values() if one.outcome == "failed"]
        assert loser.failure == "port-in-use"
        assert "Address already in use" in loser.text


def test_a_failing_model_takes_down_its_ensemble_and_nothing_else(run: Run) -> None:
    (attempt,) = run("ensemble")
    assert outcomes(attempt) == {"detect": "ready", "embed": "failed", "pipeline": "knock-on"}
    assert attempt.models["pipeline"].culprits == ("embed",)
    assert "/weights/pose.bin" in attempt.models["embed"].text


def test_a_model_refused_while_scanning_is_missed(run: Run) -> None:
    (attempt,) = run("refused")
    assert outcomes(attempt) == {"detect": "ready", "pose": "failed"}
    assert "pose_v2" in attempt.models["pose"].text


def test_a_hang_is_ended(run: Run) -> None:
    (attempt,) = run("hang", startup_timeout="4s")
    assert attempt.ended == "timeout"
    assert attempt.models["vlm"].outcome == "hung"


def test_a_hang_tells_where_it_is(run: Run) -> None:
    """The stub's own last words, given the time to come as far as the model's code."""
    place = re.compile(r"loading: vlm:1; it was at \S+/hang/vlm/1/model\.py, line \d+, in initialize")
    for seconds in ("5s", "15s", "30s"):
        (attempt,) = run("hang", startup_timeout=seconds)
        text = attempt.models["vlm"].text
        if place.fullmatch(text):
            break
    assert place.fullmatch(text), text


def test_a_load_that_a_retry_heals(run: Run, tmp_path: Path) -> None:
    version = tmp_path / "repository" / "shy" / "1"
    version.mkdir(parents=True)
    (version.parent / "config.pbtxt").write_text('backend: "python"\nmax_batch_size: 0\n')
    (version / "model.py").write_text(_SHY.format(mark=str(tmp_path / "mark")))
    (attempt,) = run(tmp_path / "repository", flags=("--model-load-retry-count=2",), startup_timeout="60s")
    shy = attempt.models["shy"]
    assert (shy.outcome, shy.retries, attempt.whole) == ("ready", 1, True)
    assert "not at the first try" in shy.text


def test_a_server_that_is_killed_is_a_crash(run: Run) -> None:
    class Killer(Silent):
        def started(self, number: int) -> None:
            time.sleep(1)
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    own = f"TRITONCHECK_OWNER={me()}\0".encode() in (folder / "environ").read_bytes()
                    if own and b"--model-repository=" in (folder / "cmdline").read_bytes():
                        os.kill(int(folder.name), signal.SIGSEGV)
                except OSError:
                    continue

    (attempt,) = run("slow", Killer())
    assert attempt.ended == "exit"
    assert attempt.exit_code == -signal.SIGSEGV
    assert attempt.server == "crash-signal"
    assert not attempt.whole


def test_refused_flags_are_told_in_one_line(run: Run) -> None:
    with pytest.raises(HostError, match="unrecognized option '--nonsense"):
        run("clean", flags=("--nonsense=1",))


def test_as_deployed_a_failed_model_ends_the_server(run: Run) -> None:
    (attempt,) = run("always_fails", as_deployed=True)
    assert attempt.ended == "exit"
    assert attempt.exit_code == 1
    assert attempt.models["pose"].outcome == "failed"


def test_nothing_is_left_of_a_run_that_is_killed(installed: Path, tmp_path: Path) -> None:
    """Neither the server nor its stubs, nor their shared memory, nor byte code in the repository."""
    repository = shutil.copytree(REPOSITORIES / "hang", tmp_path / "repository")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{installed}"}
    command = [sys.executable, "-m", "tritoncheck", "stress", str(repository), "--host", "embedded"]
    command += ["--restarts", "3", "--output", str(tmp_path / "run")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        servers: list[int] = []
        until = time.monotonic() + 90
        while not servers and time.monotonic() < until:
            time.sleep(0.1)
            servers = [number for number in children(process.pid) if b"--model-repository" in command_of(number)]
        assert servers
        stubs: list[int] = []
        memory: list[Path] = []
        while not (stubs and memory and list(repository.rglob("*.pyc"))) and time.monotonic() < until:
            time.sleep(0.02)
            stubs = children(servers[0])
            memory = list(Path("/dev/shm").glob(f"tritoncheck.*.{process.pid}.*"))
        assert stubs
        assert memory
        process.kill()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        left = [str(number) for number in (*servers, *stubs) if command_of(number)]
        left += [str(path) for path in (*memory, *repository.rglob("__pycache__")) if path.exists()]
        if not left:
            break
        time.sleep(0.05)
    assert not left


def test_the_next_run_ends_what_even_the_guard_could_not(tmp_path: Path) -> None:
    """A machine on which all processes of a run were killed at once but a stub."""
    dead = f"{machine()}.999999999.1"
    memory = Path("/dev/shm", f"tritoncheck.{dead}.x")
    memory.write_bytes(b"x")
    told: list[str] = []
    with subprocess.Popen(["sleep", "60"], env={VARIABLE: dead}) as stub:
        host = ProcessHost(make_plan(Wish(str(REPOSITORIES / "clean")), "process"), Binary("/bin/true"))
        host.prepare(told.append)
        assert stub.wait(10) == -signal.SIGKILL
    host.close()
    assert told == ["ended 1 process that a run which was killed had left"]
    assert not memory.exists()


def test_byte_code_that_was_there_before_is_left_alone(tmp_path: Path) -> None:
    cache = tmp_path / "m" / "1" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "model.cpython-39.pyc").write_bytes(b"old")
    guard = Guard(str(tmp_path))
    (cache / "model.cpython-311.pyc").write_bytes(b"new")
    other = tmp_path / "n" / "1" / "__pycache__"
    other.mkdir(parents=True)
    (other / "model.cpython-311.pyc").write_bytes(b"new")
    guard.end()
    assert sorted(path.name for path in tmp_path.rglob("*.pyc")) == ["model.cpython-39.pyc"]
    assert not other.exists()


def children(number: int) -> list[int]:
    """The processes that a process started."""
    try:
        return [int(one) for one in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except OSError:
        return []


def command_of(number: int) -> bytes:
    """The command line of a process, empty if it is gone."""
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


_SHY = """
import os


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        return config

    def initialize(self, args):
        if not os.path.exists({mark!r}):
            open({mark!r}, "w").close()
            raise RuntimeError("not at the first try")

    def execute(self, requests):
        return []
"""
_FAKE = """#!/bin/sh
echo 'I1130 09:00:00.000000 1 model_lifecycle.cc:472] "loading: detect:1"'
echo 'I1130 09:00:00.000000 1 model_lifecycle.cc:472] "loading: pose:1"' >&2
sleep 0.5
printf 'E1130 09:00:00.500000 1 model_lifecycle.cc:642] "failed to load '"'detect'"' version 1: Internal: %s"\\n' \
    $(date +%s.%N) >&2
sleep 0.5
exit 3
"""


def test_a_failed_model_is_noticed_at_once(tmp_path: Path) -> None:
    fake = tmp_path / "tritonserver"
    fake.write_text(_FAKE)
    fake.chmod(0o755)
    plan = make_plan(Wish(str(REPOSITORIES / "clean"), restarts=3, expected=("detect", "pose")), "process")
    late: list[float] = []

    class Watcher(Silent):
        def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
            late.append(time.time() - float(outcome.text.rpartition(" ")[2]))

    with Journal(tmp_path / "run", plan, resume=False) as journal:
        Engine(plan, ProcessHost(plan, Binary(str(fake))), journal, Watcher(), Stop()).run()
    assert len(late) == 3
    assert min(late) < 0.1
    for attempt in read_attempts(tmp_path / "run"):
        assert outcomes(attempt) == {"detect": "failed", "pose": "crashed"}
        assert (attempt.ended, attempt.exit_code) == ("exit", 3)


def test_options_of_containers_are_refused() -> None:
    plan = make_plan(Wish(str(REPOSITORIES / "clean"), shm_size="64m"), "process")
    with pytest.raises(HostError, match="--shm-size is for containers"):
        ProcessHost(plan, Binary("/bin/true"))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tritoncheck.stress.embedded.DISTRIBUTION", "nvidia-pytriton-of-another-world")
    assert not is_installed()
    with pytest.raises(MissingExtra, match=r"pip install 'tritoncheck\[stress,embedded\]'"):
        embedded_binary(tmp_path)
    with pytest.raises(HostError, match="no program"):
        find_binary("/nowhere/tritonserver")
