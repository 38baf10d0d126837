"""What servers of this machine leave: their stubs, shared memory, byte code beside the models; and who removes it.

Beside a run lives a small process that waits for the end of the run, however that comes, and then removes what is left:
so nothing stays after a SIGKILL either. What even that could not do, the next run does. Knows nothing of servers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tritoncheck.stress.owner import alive, dead_processes, me, processes_of

# Of the shared memory that Python models use, as the server is told to name it.
PREFIX = "tritoncheck."
_SHARED = Path("/dev/shm")
_ENDING = 10.0
_PROGRAM = "from tritoncheck.stress.leftovers import main; main()"


class Guard:
    """The process that lives beside a run. repository: where the models are."""

    def __init__(self, repository: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, me(), repository],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(one or os.getcwd() for one in sys.path)},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it has seen what was there before

    def end(self) -> None:
        """The run is over: returns when all is removed."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING)
            return
        self._process.kill()
        self._process.wait()


def main() -> None:
    """The guard's own program: owner and repository are its arguments; its stdin ends with the run."""
    owner, repository = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    before = byte_code(repository)
    with contextlib.suppress(OSError):
        os.write(1, b"\n")
    while os.read(0, 1024):
        pass
    until = time.monotonic() + _ENDING / 2
    while end_processes(processes_of(owner)) and time.monotonic() < until:
        time.sleep(0.02)
    free_memory(owner)
    for file in byte_code(repository) - before:
        with contextlib.suppress(OSError):
            file.unlink()
            file.parent.rmdir()


def byte_code(repository: str) -> set[Path]:
    """The files of byte code in a repository. A Python stub writes them, and no variable keeps it from that: it reads
    none (python_backend `pb_stub.cc`: an isolated interpreter, which has the model before any other module of ours)."""
    found = set()
    for folder, _, files in os.walk(repository, followlinks=True):
        if os.path.basename(folder) == "__pycache__":
            found |= {Path(folder, name) for name in files}
    return found


def sweep() -> int:
    """End what dead runs left; how many processes that were."""
    left = dead_processes()
    end_processes(list(left))
    owners = set(left.values())
    with contextlib.suppress(OSError):
        owners |= {path.name[len(PREFIX) :].rpartition(".")[0] for path in _SHARED.glob(f"{PREFIX}*")}
    for owner in owners:
        if owner and not alive(owner):
            free_memory(owner)
    return len(left)


def end_processes(numbers: list[int]) -> bool:
    """Kill these processes; whether there were any."""
    for number in numbers:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(number, signal.SIGKILL)
    return bool(numbers)


def free_memory(owner: str) -> None:
    """Give back the shared memory of an owner's stubs."""
    with contextlib.suppress(OSError):
        for path in _SHARED.glob(f"{PREFIX}{owner}.*"):
            path.unlink(missing_ok=True)
