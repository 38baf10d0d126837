"""Runs the server in containers of a Docker engine: what it is given, and what a container is given.

Containers get no privileges, the repository read-only, a port on 127.0.0.1 only, and labels that say whose they are.
They are removed by the run that made them; those of a run that was killed, by the next one.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tritoncheck.deployment.probe import driver_and_gpus
from tritoncheck.stress.docker_engine import (
    connect,
    device_request,
    faults,
    find_image,
    require_docker,
    sweep,
)
from tritoncheck.stress.docker_server import DockerServer
from tritoncheck.stress.flags import value, without_repository
from tritoncheck.stress.host import (
    MEASURING,
    HostError,
    HostFacts,
    Note,
)
from tritoncheck.stress.owner import LABEL, me
from tritoncheck.stress.probe import require_client
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
            if self._running is not None:
                self._running.discard()  # what an engine that was away has not removed
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
