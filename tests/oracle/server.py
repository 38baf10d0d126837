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
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

DEFAULT_WHEEL = "0.5.14"

RELEASES = {
    "0.1.5": "2.28.0",
    "0.2.5": "2.33.0",
    "0.3.1": "2.36.0",
    "0.4.2": "2.39.0",
    "0.5.5": "2.44.0",
    "0.5.14": "2.51.0",
    "0.7.0": "2.51.0",
}
"""Version of the nvidia-pytriton wheel → release of the Triton server inside it."""

_WANTED = re.compile(r"(pytriton/tritonserver/|[^/]*\.libs/|.*external_libs/)")
_MODEL = "parsed_only_7f3a"
_PR_SET_PDEATHSIG = 1  # linux/prctl.h

# libprotobuf's log handler writes "[libprotobuf LEVEL FILE:LINE] TEXT\n";
# TextFormat::Parser::ParserImpl::ReportError writes the text, without a position where there is none.
_ENTRY = re.compile(
    rb"^\[libprotobuf (?P<level>[A-Z]+) [^\]\n]*\] "
    rb"(?:(?:Error|Warning) parsing text-format [\w.]+: (?:(?P<line>\d+):(?P<column>\d+): )?)?",
    re.MULTILINE,
)
# A line of the server itself: E1130 11:30:09.433118 4031 model_repository_manager.cc:1460] "Poll failed for …
_SERVER_LINE = re.compile(rb"^[EWI]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ [\w./-]+:\d+\] ", re.MULTILINE)
_UNREAD = b"failed to read text proto from "


class OracleUnavailable(Exception):
    """No real server can be had here: another platform, no network, no pip, or it does not start."""


class OracleConfused(Exception):
    """The server behaved in a way this module does not understand, so its log proves nothing."""


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """One unpacked server."""

    wheel: str
    release: str
    binary: Path
    libraries: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ServerError:
    """One `line:column: message` of the log.

    Both count from 1; both are 0 where the server names no position. Columns are libprotobuf's: bytes, with a
    tab going to the next multiple of 8. Bytes of the message that are not UTF-8 are kept as lone surrogates
    (`surrogateescape`).
    """

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the server said of one text.

    `errors` holds every error in the order of the log: the tokenizer goes on after its errors, the parser
    stops at its first. `crashed` is true where the server died of the text or had to be killed for it.
    """

    accepted: bool
    errors: tuple[ServerError, ...]
    crashed: bool


def cache_folder() -> Path:
    """Where unpacked servers are kept: `TRITONCHECK_CACHE`, else `.cache/tritoncheck` in the checkout."""
    named = os.environ.get("TRITONCHECK_CACHE")
    return Path(named) if named else Path(__file__).resolve().parents[2] / ".cache" / "tritoncheck"


@contextlib.contextmanager
def _locked(name: str) -> Iterator[Path]:
    """The cache folder, while no other process holds the lock of that name."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache


def find_server(wheel: str = DEFAULT_WHEEL) -> ServerFiles:
    """The server of a `nvidia-pytriton` wheel, fetched with pip and unpacked at the first call.

    The folder gets its name by a rename at the very end, so a killed download leaves nothing that counts.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise OracleUnavailable("nvidia-pytriton holds a server for Linux on x86-64 only")
    with _locked(f"pytriton-{wheel}") as cache:
        home = cache / f"pytriton-{wheel}"
        if not home.is_dir():
            unfinished = cache / f"pytriton-{wheel}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            try:
                _unpack(_download(wheel, unfinished / "wheel"), unfinished)
                shutil.rmtree(unfinished / "wheel")
                unfinished.rename(home)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    binary = home / "pytriton" / "tritonserver" / "bin" / "tritonserver"
    libraries = sorted(home.glob("*.libs")) + sorted(home.rglob("external_libs"))
    return ServerFiles(wheel, RELEASES.get(wheel, ""), binary, tuple(libraries))


def _download(wheel: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), f"nvidia-pytriton=={wheel}"]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise OracleUnavailable(f"pip cannot fetch nvidia-pytriton=={wheel}: {done.stdout.strip()[-500:]}")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if _WANTED.match(name):
                archive.extract(name, folder)
                path = folder / name
                if path.is_file():
                    path.chmod(0o755)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel kills the server when the thread that started it ends."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def read_errors(log: bytes) -> tuple[ServerError, ...]:
    """The parse errors in a piece of the server's log, in order.

    A message may hold newlines and any byte (it quotes the text), so it ends where the next entry of
    libprotobuf or the server's own line about the unread file begins, not at the end of its line.
    """
    unread = log.rfind(_UNREAD)
    if unread >= 0:
        own = [match.start() for match in _SERVER_LINE.finditer(log, 0, unread)]
        log = log[: own[-1]] if own else log[:unread]
    entries = list(_ENTRY.finditer(log))
    ends = [entry.start() for entry in entries[1:]] + [len(log)]
    found = []
    for entry, end in zip(entries, ends, strict=False):
        if entry["level"] == b"ERROR" and b"parsing text-format" in entry.group():
            message = log[entry.end() : end].removesuffix(b"\n").decode("utf-8", "surrogateescape")
            found.append(ServerError(int(entry["line"] or 0), int(entry["column"] or 0), message))
    return tuple(found)


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
        self._closing.callback(lambda: self._log.close())
        try:
            self._start()
        except BaseException:
            self._closing.close()
            raise
        return self

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
        if not crashed and (_UNREAD in log) != bool(errors):
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
        with _locked("oracle-folders"):
            for old in Path(tempfile.gettempdir()).glob(f"{prefix}*/owner.lock"):
                with contextlib.suppress(OSError), open(old, "rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(old.parent, ignore_errors=True)
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix=prefix))
            own = held.enter_context(open(Path(folder) / "owner.lock", "wb"))
            fcntl.flock(own, fcntl.LOCK_EX)
        yield Path(folder)
