"""Real servers in real containers. Needs an engine; see `engine_of_docker` for where one comes from."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import pytest

from tests.needs import needed
from tests.stress.engine_of_docker import Daemon, NoEngine, build_image, engine
from tritoncheck.stress.docker_host import DockerHost
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.host import EnvironmentFault, HostError
from tritoncheck.stress.journal import Journal, read_attempts, read_facts
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.owner import LABEL
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.records import Attempt

pytestmark = pytest.mark.docker
ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = ROOT / "fixtures" / "repositories"
Run = Callable[..., list[Attempt]]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon | None]:
    """An engine that answers; None if it was not started here."""
    with needed(NoEngine), engine(tmp_path_factory.mktemp("engine")) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def image(daemon: Daemon | None) -> str:
    """The image with the real Triton."""
    with needed(NoEngine):
        return build_image()


@pytest.fixture
def client(image: str) -> Iterator[Any]:
    """The engine's client. After the test no container of ours may be left."""
    client = docker.from_env()
    yield client
    assert client.api.containers(all=True, filters={"label": LABEL}) == []
    client.close()


@pytest.fixture
def run(image: str, client: Any, tmp_path: Path) -> Run:
    """Starts the image on a repository."""
    count = iter(range(100))

    def run(repository: str, listener: Silent | None = None, stop: Stop | None = None, **more: object) -> object:
        wish = Wish(str(REPOSITORIES / repository), **{"restarts": 1, "image": image, **more})  # type: ignore[arg-type]
        plan = make_plan(wish, "docker")
        folder = tmp_path / f"run{next(count)}"
        with Journal(folder, plan, resume=False) as journal:
            Engine(plan, DockerHost(plan), journal, listener or Silent(), stop or Stop()).run()
        assert read_facts(folder)[0].image_digest.startswith("sha256:")
        return list(read_attempts(folder))

    return run  # type: ignore[return-value]


def outcomes(attempt: Attempt) -> dict[str, str]:
    """The outcome of each model."""
    return {name: one.outcome for name, one in attempt.models.items()}


def test_a_clean_repository_is_clean(run: Run) -> None:
    attempts = run("clean", restarts=2)
    assert [attempt.whole for attempt in attempts] == [True, True]


def test_a_race_is_lost_now_by_one_and_now_by_the_other(run: Run) -> None:
    stop, losers = Stop(), set[str]()

    class Watcher(Silent):
        def finished(self, attempt: Attempt) -> None:
            losers.update(name for name, one in attempt.models.items() if one.outcome == "failed")
            stop.soon = len(losers) == 2

    for attempt in run("port_race", Watcher(), stop, restarts=25):
        assert sorted(outcomes(attempt).values()) == ["failed", "ready"]
    assert losers == {"left", "right"}


def test_one_container_can_be_restarted(run: Run, client: Any) -> None:
    seen: set[str] = set()

    class Watcher(Silent):
        def started(self, number: int) -> None:
            seen.update(one["Id"] for one in client.api.containers(filters={"label": LABEL}))

    attempts = run("clean", Watcher(), restarts=2, restart_mode="restart")
    assert [attempt.whole for attempt in attempts] == [True, True]
    assert len(seen) == 1


def test_shared_memory_decides(run: Run) -> None:
    (attempt,) = run("low_shm")
    assert outcomes(attempt) == {"detect": "ready", "frames": "failed"}
    (attempt,) = run("low_shm", shm_size="256m")
    assert outcomes(attempt) == {"detect": "ready", "frames": "ready"}


def test_a_container_has_no_rights_that_it_does_not_need(run: Run, client: Any) -> None:
    found: list[dict[str, Any]] = []

    class Watcher(Silent):
        def started(self, number: int) -> None:
            (one,) = client.api.containers(filters={"label": LABEL})
            found.append(client.api.inspect_container(one["Id"]))

    run("clean", Watcher(), memory="2g", cpus=1.5, environment=("PLACE=here",))
    (one,) = found
    assert not one["HostConfig"]["Privileged"]
    assert [mount["RW"] for mount in one["Mounts"]] == [False]
    assert {pair["HostIp"] for pairs in one["NetworkSettings"]["Ports"].values() for pair in pairs} == {"127.0.0.1"}
    assert one["HostConfig"]["Memory"] == 2 << 30
    assert one["HostConfig"]["NanoCpus"] == 1_500_000_000
    assert "PLACE=here" in one["Config"]["Env"]


def test_a_killed_server_is_a_crash_and_a_removed_container_no_attempt(
    run: Run, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tritoncheck.stress.engine._PAUSES", (0.1,))

    class Killer(Silent):
        removed = False

        def started(self, number: int) -> None:
            time.sleep(0.5)
            for one in client.api.containers(filters={"label": LABEL}):
                if number == 1:
                    client.api.kill(one["Id"], signal="KILL")
                elif number == 2 and not self.removed:
                    self.removed = True
                    client.api.remove_container(one["Id"], force=True)

    first, second = run("slow", Killer(), restarts=2)
    assert (first.ended, first.exit_code, first.server) == ("exit", 137, "crash-signal")
    assert second.whole


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_engine_that_is_restarted_in_the_middle(daemon: Daemon | None, run: Run) -> None:
    if daemon is None:
        pytest.skip("the engine was not started by these tests: it is not theirs to stop")
    helpers: list[threading.Thread] = []
    notes: list[str] = []

    def restart() -> None:
        daemon.stop()
        time.sleep(1)
        daemon.start()

    class Stopper(Silent):
        def started(self, number: int) -> None:
            if not helpers:
                helpers.append(threading.Thread(target=restart))
                helpers[0].start()

        def note(self, text: str) -> None:
            notes.append(text)

    attempts = run("clean", Stopper(), restarts=2)
    helpers[0].join()
    assert [attempt.whole for attempt in attempts] == [True, True]
    assert any("trying again" in note for note in notes)
    gc.collect()  # the client leaves the sockets that found nobody to the garbage collector


def test_what_the_engine_refuses_is_said(run: Run) -> None:
    with pytest.raises(HostError, match=r"[Mm]inimum memory limit"):
        run("clean", memory="1k")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    plan = make_plan(Wish(str(REPOSITORIES / "clean"), image="anything"), "docker")
    with pytest.raises(EnvironmentFault, match="does not answer"):
        DockerHost(plan).prepare(lambda text: None)
    gc.collect()  # the client leaves the socket that found nobody to the garbage collector


def stress(image: str, repository: str, folder: Path, *more: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "tritoncheck", "stress", str(REPOSITORIES / repository), "--image", image]
    command += ["--output", str(folder), "--format", "json", *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_says_so(image: str, client: Any, tmp_path: Path) -> None:
    with stress(image, "always_fails", tmp_path / "run", "--restarts", "2") as process:
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    report = json.loads(out)
    assert report["attempts"] == 2
    assert report["models"]["pose"]["failed"] == 2
    assert report["models"]["detect"]["ready"] == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_container(number: int, image: str, client: Any, tmp_path: Path) -> None:
    with stress(image, "hang", tmp_path / "run", "--restarts", "3") as process:
        until = time.monotonic() + 60
        while not client.api.containers(filters={"label": LABEL}) and time.monotonic() < until:
            time.sleep(0.05)
        assert client.api.containers(filters={"label": LABEL})
        # Another run is alive; it must not be touched by ours.
        plan = make_plan(Wish(str(REPOSITORIES / "clean"), image=image), "docker")
        host = DockerHost(plan)
        host.prepare(lambda text: None)
        assert client.api.containers(filters={"label": LABEL})
        process.send_signal(number)
        process.communicate(timeout=60)
    if number == signal.SIGTERM:
        assert client.api.containers(all=True, filters={"label": LABEL}) == []
    else:
        assert client.api.containers(all=True, filters={"label": LABEL})
        told: list[str] = []
        host.prepare(told.append)
        assert told == ["removed 1 container that a run which was killed had left"]
    host.close()


def test_an_image_that_is_nowhere(image: str, client: Any, tmp_path: Path) -> None:
    with stress("tritoncheck/no-such-image:1", "clean", tmp_path / "run") as process:
        _, told = process.communicate(timeout=120)
    assert process.returncode == 4
    assert "is not on this machine and cannot be pulled" in told
    assert not (tmp_path / "run").exists()
