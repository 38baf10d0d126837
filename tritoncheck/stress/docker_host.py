"""Runs the server in containers of a Docker engine: what a container is given, and how it is followed.

Containers get no privileges, the repository read-only, a port on 127.0.0.1 only, and labels that say whose they are.
They are removed by the run that made them; those of a run that was killed, by the next one.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from tritoncheck.deployment.probe import driver_and_gpus
from tritoncheck.stress.docker_engine import (
    attach,
    connect,
    device_request,
    faults,
    find_image,
    frames,
    heeds,
    require_docker,
    signal_others,
    sweep,
)
from tritoncheck.stress.flags import value, without_repository
from tritoncheck.stress.host import (
    MEASURING,
    Chunk,
    EnvironmentFault,
    HostError,
    HostFacts,
    Note,
    Row,
)
from tritoncheck.stress.owner import LABEL, me
from tritoncheck.stress.probe import ask_index, require_client
from tritoncheck.stress.records import Plan
from tritoncheck.stress.variables import values

if TYPE_CHECKING:
    from docker import DockerClient

REPOSITORY = "/models"
_RUN = "tritoncheck.run"
_GRPC = 8001


class DockerHost:
    """Starts each server in a container of its own, or one container again and again."""

    def __init__(self, plan: Plan) -> None:
        if not plan.image:
            raise HostError("the Docker host needs --image")
        if plan.server:
            raise HostError("--server is for programs of this machine; with --image the image has the server")
        require_docker()
        require_client()
        self._plan = plan
        self._engine: DockerClient | None = None
        self._image = ""
        self._gpus = plan.gpus or "none"
        self._local = True
        self._running: DockerServer | None = None
        self._kept = ""

    @property
    def engine(self) -> DockerClient:
        """The engine's client."""
        assert self._engine is not None, "prepare comes first"
        return self._engine

    def prepare(self, note: Note) -> HostFacts:
        """Find the engine, sweep what dead runs left, fetch the image."""
        with faults("the Docker engine does not answer", lasting=True):
            self._engine = connect()
            version, info = self.engine.version(), self.engine.info()
        self._local = str(self.engine.api.base_url).startswith(
            ("http+docker://localunixsocket", "http+docker://localnpipe")
        )
        with faults("the Docker engine does not list its containers", lasting=True):
            swept = sweep(self.engine)
        if swept:
            note(f"removed {swept} container{'s' * (swept > 1)} that a run which was killed had left")
        image = find_image(self.engine, self._plan.image, note)
        self._image = str(image.id)
        if not self._plan.gpus and "nvidia" in (info.get("Runtimes") or {}):
            self._gpus = "all"
        digests = image.attrs.get("RepoDigests") or [image.id]
        driver, gpus = driver_and_gpus() if self._local else ("", "")
        return HostFacts(
            driver=driver,
            gpu=gpus,
            engine=f"Docker {version.get('Version', '')}, API {version.get('ApiVersion', '')}, {info.get('Name', '')}",
            image_digest=str(digests[0]),
            cpus=info.get("NCPU"),
            command=tuple(self._command()),
        )

    def start(self, number: int) -> DockerServer:
        """Create a container and start it, or start the one again."""
        with faults("the Docker engine cannot start a container"):
            if self._running is not None and not self._running.removed:
                self._running.remove()
            fresh = self._plan.restart_mode == "fresh"
            if fresh or not self._kept:
                self._kept = self._create()
            self._running = DockerServer(self.engine, self._kept, self._local, keep=not fresh)
            try:
                self._running.start()
            except BaseException:
                self._running.remove()
                self._kept = ""
                raise
            return self._running

    def close(self) -> None:
        """Remove every container of this run."""
        if self._engine is None:
            return
        with contextlib.suppress(Exception):
            sweep(self.engine, me())
        with contextlib.suppress(Exception):
            self.engine.close()
        self._engine = None

    def _create(self) -> str:
        api, plan = self.engine.api, self._plan
        settings: dict[str, Any] = {
            "binds": {plan.repository: {"bind": REPOSITORY, "mode": "ro"}},
            "port_bindings": {self._port: ("127.0.0.1",)},
            "privileged": False,
            "log_config": {"Type": "none", "Config": {}},
        }
        if plan.shm_size:
            settings["shm_size"] = plan.shm_size
        if plan.memory:
            settings["mem_limit"] = plan.memory
        if plan.cpus:
            settings["nano_cpus"] = int(plan.cpus * 1e9)
        if self._gpus != "none":
            settings["device_requests"] = [device_request(self._gpus)]
        made = api.create_container(
            self._image,
            command=self._command(),
            environment={"PYTHONDONTWRITEBYTECODE": "1"} | values(plan.environment),
            ports=[self._port],
            labels={LABEL: me(), _RUN: plan.digest()},
            host_config=api.create_host_config(**settings),
        )
        return str(made["Id"])

    @property
    def _port(self) -> int:
        """The gRPC port inside the container."""
        port = value(self._plan.flags, "grpc-port")
        return int(port) if port.isdecimal() else _GRPC

    def _command(self) -> list[str]:
        command = ["tritonserver", f"--model-repository={REPOSITORY}", *without_repository(self._plan.flags)]
        return command if self._plan.as_deployed else [*command, *MEASURING]


class DockerServer:
    """One start of a container. keep: the container itself is used again."""

    def __init__(self, engine: DockerClient, container: str, local: bool, keep: bool) -> None:
        self._engine = engine
        self._container = container
        self._local = local
        self._keep = keep
        self._chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self._ended = False
        self._code: int | None = None
        self.removed = False

    def start(self) -> None:
        """Attach to both streams, then start, so that no line is missed."""
        stream = attach(self._engine, self._container)
        threading.Thread(target=self._pump, args=(stream,), daemon=True).start()
        self._engine.api.start(self._container)

    def _pump(self, stream: Any) -> None:
        """Bring over what comes until the stream ends, which it does when the server does."""
        with contextlib.suppress(Exception):
            for name, data in frames(stream):
                self._chunks.put(Chunk(name, data))
        self._chunks.put(None)

    def now(self) -> float:
        """Seconds."""
        return time.monotonic()

    def read(self, timeout: float) -> list[Chunk]:
        """What was written."""
        chunks: list[Chunk] = []
        if self._ended:
            time.sleep(timeout)
            return chunks
        with contextlib.suppress(queue.Empty):
            found = self._chunks.get(timeout=timeout)
            while True:
                if found is None:
                    self._ended = True
                    break
                chunks.append(found)
                found = self._chunks.get_nowait()
        return chunks

    def over(self) -> bool:
        """Whether it has ended and all is read."""
        if not self._ended:
            return False
        if self._code is None:
            with faults("the Docker engine went away"):
                state = self._engine.api.inspect_container(self._container)["State"]
                if state.get("Running"):
                    state = self._end_of(state)
                self._code = int(state.get("ExitCode", 0))
        return True

    def _end_of(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state once it is no longer running; the streams end a moment before."""
        until = time.monotonic() + 5
        while state.get("Running") and time.monotonic() < until:
            time.sleep(0.02)
            state = self._engine.api.inspect_container(self._container)["State"]
        if state.get("Running"):
            raise EnvironmentFault("the engine stopped telling the container's log")
        return state

    def exit_code(self) -> int | None:
        """Its exit code, above 128 for a signal."""
        return self._code

    def index(self, timeout: float) -> list[Row] | None:
        """The repository index, where the engine's ports are those of this machine."""
        if not self._local:
            return None
        with contextlib.suppress(Exception):
            ports = self._engine.api.inspect_container(self._container)["NetworkSettings"]["Ports"]
            number = next(pair[0]["HostPort"] for pair in ports.values() if pair)
            return ask_index(f"127.0.0.1:{number}", timeout)
        return None

    def signal(self, number: int) -> bool:
        """Signal the container's first process, and all others unless that one ends them anyway."""
        with contextlib.suppress(EnvironmentFault, HostError), faults("the Docker engine does not answer"):
            heeded = number == signal.SIGKILL or heeds(self._engine, self._container, number)
            self._engine.api.kill(self._container, signal=number)
            if number != signal.SIGKILL:
                signal_others(self._engine, self._container, number)
            return heeded
        return False

    def remove(self) -> None:
        """End it; remove the container unless it is used again."""
        if self.removed:
            return
        self.removed = True
        with contextlib.suppress(Exception):
            if self._keep:
                self._engine.api.kill(self._container, signal=signal.SIGKILL)
                self._engine.api.wait(self._container, timeout=30)
            else:
                self._engine.api.remove_container(self._container, force=True, v=True)
