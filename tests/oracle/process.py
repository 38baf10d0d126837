"""A real Triton as a process: started on a free port, asked over HTTP, ended with its children and with its parent.

Knows nothing of what it is asked for.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import http.client
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.oracle.wheels import OracleUnavailable, ServerFiles, locked

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

# What tritonserver's own handler writes first (server src/main.cc).
_DYING = re.compile(rb"^Signal \((6|11)\) received", re.MULTILINE)

Answer = tuple[int, bytes]


class ServerGone(Exception):
    """The server died of a request, or did not answer it in time (`hung`)."""

    def __init__(self, hung: bool) -> None:
        super().__init__("hung" if hung else "died")
        self.hung = hung


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel kills the server when the thread that started it ends."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ServerProcess:
    """One server, again and again: `start` after `stop`, or after it died, begins a new one with a new log."""

    def __init__(
        self,
        files: ServerFiles,
        folder: Path,
        flags: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        timeout: float = 20.0,
    ) -> None:
        self.files = files
        self.starts = 0
        self._folder = folder
        self._flags = tuple(flags)
        self._environment = dict(environment or {})
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._http: http.client.HTTPConnection | None = None
        self._log = open(os.devnull, "rb")  # noqa: SIM115  (the log outlives every single call)
        self._said = b""

    def start(self) -> None:
        """Begin a new server; OracleUnavailable where it does not start."""
        for _ in range(3):  # a free port may be taken before the server binds it
            port, metrics = _free_port(), _free_port()
            log = self._folder / f"server-{self.starts}.log"
            self.starts += 1
            self._process = self._launch(port, metrics, log)
            self._log.close()
            self._log, self._said = open(log, "rb"), b""  # noqa: SIM115
            self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=self._timeout)
            if self._wait_until_live():
                return
            runs = self._process.poll() is None
            said = self._log.read()[-500:]
            self.stop()
            if runs:
                break  # it does not lack a port
        raise OracleUnavailable(f"Triton {self.files.release} does not start: {said!r}")

    def ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        """Status and body of the answer. ServerGone where there is none; the server is stopped then."""
        assert self._http is not None
        try:
            self._http.request(method, path, body=body)
            self._wait_for_answer()
            answer = self._http.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            hung = isinstance(error, TimeoutError)
            self.stop()
            raise ServerGone(hung) from None

    def _wait_for_answer(self) -> None:
        """Returns when there is an answer. A dying server takes seconds to write its stack; it is not waited for."""
        assert self._http is not None
        until = time.monotonic() + self._timeout
        while not select.select([self._http.sock], [], [], 0.1)[0]:
            self._said += self._log.read()
            if _DYING.search(self._said):
                raise ConnectionError
            if time.monotonic() > until:
                raise TimeoutError

    def read_log(self) -> bytes:
        """What the log of the last server holds beyond what was read before."""
        said, self._said = self._said + self._log.read(), b""
        return said

    def stop(self) -> None:
        """End the server at once, or collect one that has ended by itself; its log is complete then."""
        if self._http is not None:
            self._http.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the server, and read its log no more."""
        self.stop()
        self._log.close()

    def _launch(self, port: int, metrics: int, log: Path) -> subprocess.Popen[bytes]:
        command = [
            str(self.files.binary),
            "--http-address=127.0.0.1",
            f"--http-port={port}",
            f"--metrics-port={metrics}",
            "--allow-grpc=false",
            "--log-info=false",
            "--log-warning=false",
            *self._flags,
        ]
        paths = ":".join([*map(str, self.files.libraries), *filter(None, [self._environment.get("LD_LIBRARY_PATH")])])
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **self._environment, "LD_LIBRARY_PATH": paths}
        _libc()  # loaded before the fork
        with open(log, "wb") as out:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self._folder,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509  (one call into the C library, no lock)
            )

    def _wait_until_live(self) -> bool:
        assert self._process is not None
        assert self._http is not None
        until = time.monotonic() + 60
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self._http.request("GET", "/v2/health/live")
                answer = self._http.getresponse()
                answer.read()
                if answer.status == http.client.OK:
                    return True
            except (OSError, http.client.HTTPException):
                self._http.close()
            time.sleep(0.02)
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A temporary folder, removed at the end; those whose process was killed are removed by the next one.

    An owner holds a lock inside its folder for as long as it lives, so a folder with a free lock is orphaned.
    """
    prefix = "tritoncheck-oracle-"
    with contextlib.ExitStack() as held:
        with locked("oracle-folders"):
            for old in Path(tempfile.gettempdir()).glob(f"{prefix}*/owner.lock"):
                with contextlib.suppress(OSError), open(old, "rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(old.parent, ignore_errors=True)
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix=prefix))
            own = held.enter_context(open(Path(folder) / "owner.lock", "wb"))
            fcntl.flock(own, fcntl.LOCK_EX)
        yield Path(folder)
