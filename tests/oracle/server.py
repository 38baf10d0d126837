"""A real Triton server as the judge of how ModelConfig texts are parsed.

Our parser promises to accept what Triton accepts and to name the position that Triton's log names. Only
libprotobuf as Triton links it can say whether it does, so this module runs the server that a
`nvidia-pytriton` wheel carries and reads its log. It knows nothing of our parser, and nothing of what a
configuration means: a text is accepted when it parses, whatever the server does with it later.

How one text is judged: it is written as the config.pbtxt of a model without version folders, and the model is
loaded over HTTP. `ReadTextProto` is the first thing a load does (core/src/model_repository_manager.cc,
`InitializeModelInfo`); what follows fails within a millisecond, because the model's name is known to nobody,
it has no version, and the backend and agent folders are empty. What is left that ends the whole server is
`model_repository_agents` without an agent.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.oracle.log import UNREAD, ServerError, read_errors
from tests.oracle.wheels import OracleUnavailable, ServerFiles, find_server, locked

_MODEL = "parsed_only_7f3a"
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class OracleConfused(Exception):
    """The server behaved in a way this module does not understand, so its log proves nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the server said of one text.

    `errors` holds every error in the order of the log: the tokenizer goes on after its errors, the parser
    stops at its first. `crashed` is true where the server died of the text or had to be killed for it.
    """

    accepted: bool
    errors: tuple[ServerError, ...]
    crashed: bool


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel kills the server when the thread that started it ends."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ParserOracle:
    """One running server that judges texts. A context manager; not for several threads."""

    def __init__(self, files: ServerFiles | None = None, *, timeout: float = 20.0) -> None:
        self.files = files or find_server()
        self.starts = 0
        self._timeout = timeout
        self._closing = contextlib.ExitStack()
        self._folder = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self._http: http.client.HTTPConnection | None = None
        self._log = open(os.devnull, "rb")  # noqa: SIM115  (the log outlives every single call)
        self._modified = time.time_ns() + 10**12

    def __enter__(self) -> Self:
        self._folder = self._closing.enter_context(_own_folder())
        for name in ("backends", "agents", "caches"):
            (self._folder / name).mkdir()
        (self._folder / "repository" / _MODEL).mkdir(parents=True)
        self._closing.callback(self._stop)
        self._closing.callback(self._close_log)
        try:
            self._start()
        except BaseException:
            self._closing.close()
            raise
        return self

    def _close_log(self) -> None:
        self._log.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def verdicts(self, texts: Sequence[bytes]) -> list[Verdict]:
        """One verdict per text, in order. The server is proven to read what it is given before and after."""
        self._prove()
        found = [self._judge(text) for text in texts]
        self._prove()
        return found

    def _judge(self, text: bytes) -> Verdict:
        verdict = self._ask(text)
        if verdict.crashed and verdict.accepted:
            # The crash may be an echo of an earlier text; a fresh server has no earlier text.
            verdict = self._ask(text)
        return verdict

    def _ask(self, text: bytes) -> Verdict:
        """Writes the text, loads the model, reads the new part of the log; restarts a server that is gone."""
        assert self._http is not None
        config = self._folder / "repository" / _MODEL / "config.pbtxt"
        config.write_bytes(text)
        # A file is read again only if its time differs, and the file system's clock is coarser than a load.
        self._modified += 10**9
        os.utime(config, ns=(self._modified, self._modified))
        crashed = False
        try:
            self._http.request("POST", f"/v2/repository/models/{_MODEL}/load", body=b"")
            answer = self._http.getresponse()
            answer.read()
            if answer.status == http.client.OK:
                raise OracleConfused(f"a model without versions was loaded: {text!r}")
        except (OSError, http.client.HTTPException):
            crashed = True
            self._stop()
        log = self._log.read()
        errors = read_errors(log)
        if not crashed and (UNREAD in log) != bool(errors):
            raise OracleConfused(f"the log contradicts itself: {log!r}")
        if crashed:
            self._start()
        return Verdict(not errors, errors, crashed)

    def _prove(self) -> None:
        """A name never used before must come back in the log, else nothing that was read since counts."""
        name = f"canary_{time.monotonic_ns()}"
        errors = self._ask(f"{name}: 1".encode()).errors
        if len(errors) != 1 or f'"{name}"' not in errors[0].message:
            raise OracleConfused(f"the server did not read the text it was given: {errors}")

    def _start(self) -> None:
        for _ in range(3):  # a free port may be taken before the server binds it
            port = _free_port()
            log = self._folder / f"server-{self.starts}.log"
            self.starts += 1
            self._process = self._launch(port, log)
            self._log.close()
            self._log = open(log, "rb")  # noqa: SIM115
            self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=self._timeout)
            if self._wait_until_live():
                self._log.read()
                return
            said = self._log.read()[-500:]
            self._stop()
        raise OracleUnavailable(f"Triton {self.files.release} does not start: {said!r}")

    def _launch(self, port: int, log: Path) -> subprocess.Popen[bytes]:
        folder = self._folder
        command = [
            str(self.files.binary),
            f"--model-repository={folder / 'repository'}",
            "--model-control-mode=explicit",
            "--exit-on-error=false",
            "--disable-auto-complete-config",
            "--http-address=127.0.0.1",
            f"--http-port={port}",
            "--http-thread-count=1",
            "--allow-grpc=false",
            "--allow-metrics=false",
            "--log-info=false",
            "--log-warning=false",
            f"--backend-directory={folder / 'backends'}",
            f"--repoagent-directory={folder / 'agents'}",
        ]
        paths = ":".join(str(path) for path in self.files.libraries)
        environment = {**os.environ, "LD_LIBRARY_PATH": paths, "CUDA_VISIBLE_DEVICES": ""}
        _libc()  # loaded before the fork
        with open(log, "wb") as out:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
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

    def _stop(self) -> None:
        """Ends the server at once, or collects one that has ended by itself; its log is complete then."""
        if self._http is not None:
            self._http.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _own_folder() -> Iterator[Path]:
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
