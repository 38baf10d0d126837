"""The Docker engine: how it is reached, what it says of images, whose containers it holds. The only door to `docker`.

Whatever the engine's client raises leaves here as one of our own faults. Knows nothing of attempts.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tritoncheck.stress.host import EnvironmentFault, HostError, MissingExtra, Note
from tritoncheck.stress.owner import LABEL, alive

if TYPE_CHECKING:
    from docker import DockerClient

# So many of its last events an engine remembers.
_EVENTS = 256
# What engines say where a plan can never be carried out: wrong options, an image without the program.
_HOPELESS = (
    "could not select device driver",
    "executable file not found",
    "no such file or directory",
    "invalid",
    "minimum memory limit",
    "range of cpus",
)


def find_image(engine: DockerClient, name: str, note: Note) -> Any:
    """The image of this name, pulled if it is not there."""
    errors = _docker().errors
    with faults(f"the engine cannot look up {name}", lasting=True), contextlib.suppress(errors.ImageNotFound):
        return engine.images.get(name)
    note(f"pulling {name}")
    with faults(f"{name} is not on this machine and cannot be pulled", lasting=True):
        _pull(engine, name, note)
        return engine.images.get(name)


def _pull(engine: DockerClient, name: str, note: Note) -> None:
    """Pull, and say every few seconds how far it is."""
    repository, tag = _docker().utils.parse_repository_tag(name)
    layers: dict[str, tuple[int, int]] = {}
    told = time.monotonic()
    for step in engine.api.pull(repository, tag=tag or "latest", stream=True, decode=True):
        if "error" in step:
            raise EnvironmentFault(f"{name} cannot be pulled: {step['error']}", lasting=True)
        detail = step.get("progressDetail") or {}
        if detail.get("total") and step.get("status") == "Downloading":
            layers[step.get("id", "")] = (detail.get("current", 0), detail["total"])
        if time.monotonic() - told > 2 and layers:
            told = time.monotonic()
            done, total = (sum(pair[at] for pair in layers.values()) / 1e6 for at in (0, 1))
            note(f"pulling {name}: {done:.0f} of {total:.0f} MB")


def device_request(gpus: str) -> Any:
    """The request for GPUs: `all`, or ids."""
    types = _docker().types
    if gpus == "all":
        return types.DeviceRequest(count=-1, capabilities=[["gpu"]])
    return types.DeviceRequest(device_ids=gpus.split(","), capabilities=[["gpu"]])


def attach(engine: DockerClient, container: str) -> Any:
    """What a container will write on both streams, as a socket; to be called before it starts."""
    wanted = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
    return engine.api.attach_socket(container, params=wanted)


def frames(stream: Any) -> Iterator[tuple[str, bytes]]:
    """The pieces that a container writes, with the stream of each, until it ends; then all is closed."""
    from docker.utils import socket

    try:
        for number, data in socket.frames_iter(stream, tty=False):  # type: ignore[no-untyped-call]
            yield ("stderr" if number == socket.STDERR else "stdout"), data
    finally:
        for one in (getattr(stream, "_response", None), stream):
            with contextlib.suppress(Exception):
                one.close()  # type: ignore[union-attr]


def witnessed(engine: DockerClient, container: str, finished: str) -> bool:
    """Whether the engine that answers is the one that started a container, and not one that was started since.

    An engine that is stopped ends its containers, which looks like the end of a server; behind a socket of systemd the
    next call waits for the next engine and is answered as if nothing had been. Only the engine itself remembers the
    start of the container, among its last 256 events (moby `daemon/events`, 19.03 on; tried on 20.10).
    """
    until = int(datetime.fromisoformat(f"{finished[:19]}+00:00").timestamp()) + 1

    def told(**more: Any) -> list[str]:
        found = engine.api.events(since=1, until=until, decode=True, **more)
        return [str(one.get("Action") or one.get("status")) for one in found]

    return "start" in told(filters={"container": container}) or len(told()) >= _EVENTS


def heeds(engine: DockerClient, container: str, number: int) -> bool:
    """Whether a container's first process has a handler for a signal; True where that cannot be found out.

    The kernel drops signals without handler that are sent to the first process of a namespace (pid_namespaces(7)), and
    `tritonserver` has none for SIGABRT while it loads (server `main.cc`: registered after `TRITONSERVER_ServerNew`).
    """
    with contextlib.suppress(_docker().errors.APIError, KeyError, ValueError, StopIteration):
        first = str(engine.api.inspect_container(container)["State"]["Pid"])
        found = engine.api.top(container, ps_args="-eo pid,caught")["Processes"]
        caught = next(row[1] for row in found if row[0] == first)
        return bool(int(caught, 16) >> (number - 1) & 1)
    return True


def signal_others(engine: DockerClient, container: str, number: int) -> None:
    """Signal all processes of a container but the first, which may be a mere `init` that does not hand this one on."""
    with contextlib.suppress(_docker().errors.APIError):
        made = engine.api.exec_create(container, ["sh", "-c", f"kill -{number} -1"], stdout=False, stderr=False)
        engine.api.exec_start(made["Id"], detach=True)


def discard(engine: DockerClient, container: str) -> None:
    """Remove a container that may be gone already."""
    with contextlib.suppress(_docker().errors.NotFound):
        engine.api.remove_container(container, force=True, v=True)


def halt(engine: DockerClient, container: str) -> None:
    """End a container that may have ended already, and keep it."""
    with contextlib.suppress(_docker().errors.APIError):
        engine.api.kill(container, signal="SIGKILL")
        engine.api.wait(container, timeout=30)


def sweep(engine: DockerClient, owner: str = "") -> int:
    """Remove the containers of this owner, else those whose owner is dead; how many there were."""
    count = 0
    for one in engine.api.containers(all=True, filters={"label": LABEL}):
        found = (one.get("Labels") or {}).get(LABEL, "")
        if found == owner if owner else not alive(found):
            discard(engine, one["Id"])
            count += 1
    return count


def connect() -> DockerClient:
    """The engine that the docker command would use: DOCKER_HOST, else the context."""
    docker = _docker()
    if not os.environ.get("DOCKER_HOST"):
        name = os.environ.get("DOCKER_CONTEXT")
        context = (
            docker.context.ContextAPI.get_context(name) if name else docker.context.ContextAPI.get_current_context()
        )
        if context is None:
            raise HostError(f"no Docker context `{name}`")
        if context.Name != "default":
            client: DockerClient = docker.DockerClient(base_url=context.Host, tls=context.TLSConfig or False)
            return client
    client = docker.from_env()
    return client


@contextlib.contextmanager
def faults(what: str, lasting: bool = False) -> Iterator[None]:
    """Turn what the engine and the way to it may raise into our own faults."""
    errors = _docker().errors
    try:
        yield
    except errors.APIError as error:
        text = str(error.explanation or error)
        if any(part in text.lower() for part in _HOPELESS):
            raise HostError(f"{what}: {text[:400]}") from None
        raise EnvironmentFault(f"{what}: {text[:400]}", lasting) from None
    except (errors.DockerException, OSError) as error:
        reason = _innermost(error)
        if isinstance(reason, FileNotFoundError | ConnectionError):
            raise EnvironmentFault(f"the Docker engine does not answer: {reason}", lasting) from None
        raise EnvironmentFault(f"{what}: {str(reason)[:300]}", lasting) from None


def _innermost(error: BaseException) -> BaseException:
    """The innermost reason: the engine's client wraps it several times."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return error


def require_docker() -> None:
    """Raises MissingExtra where the package is not installed."""
    _docker()


def _docker() -> Any:
    try:
        import docker
    except ImportError:
        raise MissingExtra("starting containers needs the Docker package: pip install 'tritoncheck[stress]'") from None
    return docker
