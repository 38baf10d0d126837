"""One server in a container: its two streams, its end, its index, and the signals that reach it.

Told apart are the end of the server and that of the engine, which ends its containers or leaves them to the next one.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from tritoncheck.stress.docker_engine import (
    attach,
    discard,
    faults,
    frames,
    halt,
    heeds,
    signal_others,
    witnessed,
)
from tritoncheck.stress.host import Chunk, EnvironmentFault, HostError, Row
from tritoncheck.stress.probe import ask_index

if TYPE_CHECKING:
    from docker import DockerClient

# How a server ends whose engine is stopped: by SIGTERM, SIGKILL, or in a way that the next engine does not know.
_BY_ENGINE = (0, 137, 143, 255)


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
        self._gone = False

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
                code = int(state.get("ExitCode", 0))
                doubtful = code in _BY_ENGINE and not state.get("OOMKilled")
                if doubtful and not witnessed(self._engine, self._container, state["FinishedAt"]):
                    raise EnvironmentFault("the Docker engine was ended in the middle of a start")
                self._code = code
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
        """End it; remove the container unless it is used again. What fails is done by the next start, or at the end."""
        with contextlib.suppress(Exception):
            self.discard()

    def discard(self) -> None:
        """`remove`, raising what the engine's client raises."""
        if self._gone:
            return
        if self._keep:
            halt(self._engine, self._container)
        else:
            discard(self._engine, self._container)
        self._gone = True
