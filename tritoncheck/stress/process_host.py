"""Runs a `tritonserver` binary of this machine, or of the container that we are in: for jobs without an engine.

The server gets a session of its own, ports on 127.0.0.1 that are free, and dies with this process: the kernel sees to
that. What its Python stubs leave is for `leftovers`.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

from tritoncheck.deployment.probe import driver_and_gpus
from tritoncheck.stress.flags import without_repository
from tritoncheck.stress.host import (
    MEASURING,
    Chunk,
    EnvironmentFault,
    HostError,
    HostFacts,
    Note,
    Row,
)
from tritoncheck.stress.leftovers import PREFIX, Guard, end_processes, free_memory, sweep
from tritoncheck.stress.owner import VARIABLE, me, processes_of
from tritoncheck.stress.probe import ask_index, require_client
from tritoncheck.stress.records import Plan
from tritoncheck.stress.variables import values

_PIECE = 256 * 1024
# Runs before the server: asks the kernel to kill it with its parent (linux/prctl.h), then becomes it.
_LAUNCHER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() != int(sys.argv[1]): sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True, slots=True)
class Binary:
    """A server's program. flags: what it needs beside the user's; environment: variables it needs."""

    path: str
    flags: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    version: str = ""


def find_binary(named: str = "") -> Binary | None:
    """The named `tritonserver`, or the one in the PATH, or that of NVIDIA's image."""
    found = shutil.which(named or "tritonserver") or shutil.which("/opt/tritonserver/bin/tritonserver")
    if named and not shutil.which(named):
        raise HostError(f"{named}: no program that can be run")
    return Binary(os.path.abspath(found)) if found else None


class ProcessHost:
    """Starts the server as a process."""

    def __init__(self, plan: Plan, binary: Binary) -> None:
        for name in ("image", "shm_size", "cpus", "memory"):
            if getattr(plan, name):
                option = name.replace("_", "-")
                raise HostError(f"--{option} is for containers; this server runs as a process of this machine")
        if plan.restart_mode != "fresh":
            raise HostError("--restart-mode restart is for containers")
        self._plan = plan
        self._binary = binary
        self._owner = me()
        self._running: ProcessServer | None = None
        self._guard: Guard | None = None

    def prepare(self, note: Note) -> HostFacts:
        """Sweep what dead runs left, and see to it that this one leaves nothing."""
        require_client()
        swept = sweep()
        self._guard = self._guard or Guard(self._plan.repository)
        if swept:
            note(f"ended {swept} process{'es' * (swept > 1)} that a run which was killed had left")
        engine = f"process {self._binary.version}".strip()
        driver, gpus = driver_and_gpus()
        command = tuple(one.replace(self._owner, "*") for one in self._command((0, 0)))
        return HostFacts(engine=engine, driver=driver, gpu=gpus, cpus=os.cpu_count(), command=command)

    def start(self, number: int) -> ProcessServer:
        """Start the server."""
        ports = _free_ports(2)
        command = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *self._command(ports)]
        environment = {**os.environ, **self._binary.environment, **values(self._plan.environment)}
        environment |= {VARIABLE: self._owner, "PYTHONDONTWRITEBYTECODE": "1"}
        if self._plan.gpus not in ("", "all"):
            environment["CUDA_VISIBLE_DEVICES"] = "" if self._plan.gpus == "none" else self._plan.gpus
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise EnvironmentFault(f"the server cannot be started: {error}") from None
        self._running = ProcessServer(process, ports[0], self._owner)
        return self._running

    def close(self) -> None:
        """End what runs."""
        if self._running is not None:
            self._running.remove()
            self._running = None
        if self._guard is not None:
            self._guard.end()
            self._guard = None

    def _command(self, ports: tuple[int, ...]) -> list[str]:
        flags = without_repository(self._plan.flags)
        command = [self._binary.path, f"--model-repository={self._plan.repository}", *self._binary.flags, *flags]
        if not any(flag.replace("_", "-").startswith("--backend-config=python,shm-region") for flag in flags):
            command.append(f"--backend-config=python,shm-region-prefix-name={PREFIX}{self._owner}.")
        if not any("metrics" in flag for flag in flags):
            command.append("--allow-metrics=false")
        if not self._plan.as_deployed:
            command += MEASURING
        command += [f"--grpc-port={ports[0]}", "--grpc-address=127.0.0.1"]
        return command + [f"--http-port={ports[1]}", "--http-address=127.0.0.1"]


class ProcessServer:
    """One server, its two streams, and the processes it started."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, owner: str) -> None:
        self._process = process
        self._port = port
        self._owner = owner
        self._removed = False
        self._selector = selectors.DefaultSelector()
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, name)

    def now(self) -> float:
        """Seconds."""
        return time.monotonic()

    def read(self, timeout: float) -> list[Chunk]:
        """What was written."""
        chunks = []
        if not self._selector.get_map():
            time.sleep(min(timeout, 0.01) if self.over() else timeout)
            return []
        for key, _ in self._selector.select(timeout):
            try:
                data = os.read(key.fd, _PIECE)
            except BlockingIOError:
                continue
            if data:
                chunks.append(Chunk(key.data, data))
            else:
                self._selector.unregister(key.fileobj)
        if not chunks and self._process.poll() is not None:
            self.signal(signal.SIGKILL)  # stubs keep the streams open
        return chunks

    def over(self) -> bool:
        """Whether it has ended and all is read."""
        return self._process.poll() is not None and not self._selector.get_map()

    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal."""
        return self._process.poll()

    def index(self, timeout: float) -> list[Row] | None:
        """The repository index."""
        return ask_index(f"127.0.0.1:{self._port}", timeout)

    def signal(self, number: int) -> bool:
        """Signal the server and its stubs."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
        return True

    def remove(self) -> None:
        """Kill the server and its stubs, and give back their shared memory."""
        if self._removed:
            return
        self._removed = True
        self.signal(signal.SIGKILL)
        self._process.wait()
        end_processes(processes_of(self._owner))
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        free_memory(self._owner)


def _free_ports(count: int) -> tuple[int, ...]:
    """Ports of 127.0.0.1 that nobody has now; all held at once, so that they differ."""
    try:
        with contextlib.ExitStack() as held:
            sockets = [held.enter_context(socket.socket()) for _ in range(count)]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            return tuple(int(one.getsockname()[1]) for one in sockets)
    except OSError as error:
        raise EnvironmentFault(f"no free port: {error}") from None
