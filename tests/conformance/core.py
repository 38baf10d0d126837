"""A real core of Triton that judges model repositories: what it loads, refuses and in which words, what ends it.

How one repository is judged: its models are put into the server's repository and loaded over HTTP, one after the other
in the order of their names, then unloaded. What the server says is its answer and what its log got meanwhile. A
repository that shows its fault only when the whole of it is listed (a dangling link beside the models) is judged by a
start of its own. Knows nothing of lint.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import quote

from tests.binaries import copy_file
from tests.conformance.backends import make_backends
from tests.oracle.process import ServerGone, ServerProcess, own_folder
from tests.oracle.server import OracleConfused
from tests.oracle.wheels import OracleUnavailable, ServerFiles

Kind = Literal["loaded", "refused", "crashed", "hung"]
STRICT = "--disable-auto-complete-config"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a core did with one model; `words` are those of its answer and of its log, without time and place."""

    kind: Kind
    words: str = ""

    @property
    def loads(self) -> bool:
        """Whether the model serves."""
        return self.kind == "loaded"


Verdict = dict[str, Outcome]
"""The outcome of each model of a repository, by its name."""

# E1130 11:30:09.433118 4031 model_repository_manager.cc:1460] "Poll failed for …
_PREFIX = re.compile(r"^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ ([\w./-]+:\d+)\] ", re.MULTILINE)

# 10# 0x00007F5A1C85A050 in /lib/x86_64-linux-gnu/libc.so.6
_FRAME = re.compile(r" ?\d+# ")


class Core:
    """One running server. A context manager; not for several threads.

    flags: further ones of the server. timeout: how long a load may take until it counts as hung.
    """

    def __init__(self, files: ServerFiles, flags: Sequence[str] = (), *, timeout: float = 12.0) -> None:
        self.files = files
        self.python = False
        self._flags = tuple(flags)
        self._timeout = timeout
        self._closing = contextlib.ExitStack()
        self._folder = Path()
        self._server: ServerProcess
        self._fresh = False
        self._modified = time.time_ns() + 10**12

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as opening:
            folder = self._folder = opening.enter_context(own_folder())
            for name in ("repository", "backends", "agents", "caches"):
                (folder / name).mkdir()
            backends = make_backends(self.files, folder / "backends")
            self.python = backends.python
            flags = (
                f"--backend-directory={folder / 'backends'}",
                f"--repoagent-directory={folder / 'agents'}",
                "--exit-on-error=false",
                "--allow-gpu-metrics=false",
                "--cuda-memory-pool-byte-size=0:0",
                f"--backend-config=python,shm-region-prefix-name={folder.name}",
                *self._flags,
            )
            if any(flag.startswith("--cache-config") for flag in self._flags):
                flags = (*flags, f"--cache-directory={self.files.binary.parent.parent / 'caches'}")
            self._own = (f"--model-repository={folder / 'repository'}", "--model-control-mode=explicit", *flags)
            self._alone = flags
            self._environment = backends.environment
            self._server = self._make(self._own)
            opening.callback(self._clear)
            opening.callback(_forget_shared_memory, folder.name)
            opening.callback(self._server.close)
            self._start()
            self._closing = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    @property
    def repository(self) -> Path:
        """Where the repository to judge lies."""
        return self._folder / "repository"

    def judge(self, source: Path) -> Verdict:
        """The verdict on a repository, which is copied."""
        with self.cleared() as repository:
            shutil.copytree(source, repository, symlinks=True, dirs_exist_ok=True, copy_function=copy_file)
            return self.judge_here()

    def judge_here(self) -> Verdict:
        """The verdict on what lies in `repository`, which was made there while it was `cleared`."""
        if any(not entry.exists() for entry in self.repository.iterdir()):
            return self.judge_start([self.repository])
        found: Verdict = {}
        for model in sorted(entry.name for entry in self.repository.iterdir() if entry.is_dir()):
            found[model] = self._judge_model(model)
        self._unload([model for model, outcome in found.items() if outcome.loads])
        return found

    def configuration(self, model: str) -> bytes:
        """Load a model of `repository` and ask for its configuration: JSON. OracleConfused if it does not load."""
        outcome = self._load(model)
        if not outcome.loads:
            raise OracleConfused(f"{model} does not load: {outcome.words[:500]}")
        status, body = self._server.ask("GET", f"/v2/models/{quote(model, safe='')}/config")
        if status != http.client.OK:
            raise OracleConfused(f"no configuration of {model}: {body[:500]!r}")
        return body

    def judge_start(self, repositories: Sequence[Path], flags: Sequence[str] = ()) -> Verdict:
        """The verdict of a server that starts with these repositories; it ends with them."""
        names = sorted({entry.name for one in repositories for entry in one.iterdir() if entry.is_dir()})
        server = self._make((*(f"--model-repository={one}" for one in repositories), *self._alone, *flags))
        found: Verdict = {}
        try:
            server.start()
            index = {row["name"]: row for row in self._index(server)}
        except OracleUnavailable as error:
            return dict.fromkeys(names, Outcome("crashed", str(error)))
        finally:
            log = _said(server.read_log())
            server.close()
        for name in names:
            row = index.get(name, {})
            about = "\n".join(line for line in log.splitlines() if name in line)
            words = "\n".join(filter(None, (row.get("reason", ""), about or log)))
            found[name] = Outcome("loaded") if row.get("state") == "READY" else Outcome("refused", words)
        return found

    def _index(self, server: ServerProcess) -> list[dict[str, str]]:
        try:
            status, body = server.ask("POST", "/v2/repository/index", b"{}")
        except ServerGone:  # 22.11 does not answer where the whole repository was refused
            return []
        rows = json.loads(body) if status == http.client.OK else []
        return [row for row in rows if isinstance(row, dict)]

    def _make(self, flags: Sequence[str]) -> ServerProcess:
        return ServerProcess(self.files, self._folder, flags, environment=self._environment, timeout=self._timeout)

    def _start(self) -> None:
        self._server.start()
        self._server.read_log()
        self._fresh = True

    def _judge_model(self, model: str) -> Outcome:
        """Load one model. A server that dies of it may have died of what it did before: a fresh one is asked again."""
        was_fresh = self._fresh
        outcome = self._load(model)
        if outcome.kind == "crashed" and not was_fresh:
            outcome = self._load(model)
        return outcome

    def _load(self, model: str) -> Outcome:
        self._touch(self.repository / model)
        try:
            status, body = self._server.ask("POST", f"/v2/repository/models/{quote(model, safe='')}/load")
        except ServerGone as gone:
            log = _said(self._server.read_log())
            _forget_shared_memory(self._folder.name)
            self._start()
            return Outcome("hung" if gone.hung else "crashed", log)
        self._fresh = False
        log = _said(self._server.read_log())
        if status == http.client.OK:
            return Outcome("loaded")
        try:
            answer = json.loads(body).get("error", "")
        except ValueError:
            answer = body.decode("utf-8", "replace")
        return Outcome("refused", "\n".join(filter(None, (answer, log))))

    def _touch(self, model: Path) -> None:
        """A model is read again only if a time differs, and the file system's clock is coarser than a load."""
        self._modified += 10**9
        for path in (model, *model.iterdir()):
            with contextlib.suppress(OSError):
                os.utime(path, ns=(self._modified, self._modified), follow_symlinks=False)

    def _unload(self, models: Sequence[str]) -> None:
        for model in models:
            try:
                self._server.ask("POST", f"/v2/repository/models/{quote(model, safe='')}/unload")
            except ServerGone:
                self._start()
                return

    @contextlib.contextmanager
    def cleared(self) -> Iterator[Path]:
        """The folder of the repository to judge, empty before and after."""
        self._clear()
        try:
            yield self.repository
        finally:
            self._clear()

    def _clear(self) -> None:
        for entry in self.repository.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()


def _forget_shared_memory(prefix: str) -> None:
    """A server that was killed leaves what its Python backend shared with its stubs."""
    for region in Path("/dev/shm").glob(f"{prefix}*"):
        if region.is_file():
            region.unlink(missing_ok=True)


def _said(log: bytes) -> str:
    """The server's lines without their time and place, and without the stack of a crash."""
    lines = _PREFIX.sub("", log.decode("utf-8", "replace")).splitlines()
    return "\n".join(line for line in lines if line.strip() and not _FRAME.match(line))
