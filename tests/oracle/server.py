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
import http.client
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.oracle.log import UNREAD, ServerError, read_errors
from tests.oracle.process import ServerGone, ServerProcess, own_folder
from tests.oracle.wheels import ServerFiles, find_server

_MODEL = "parsed_only_7f3a"


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


class ParserOracle:
    """One running server that judges texts. A context manager; not for several threads."""

    def __init__(self, files: ServerFiles | None = None, *, timeout: float = 20.0) -> None:
        self.files = files or find_server()
        self._timeout = timeout
        self._closing = contextlib.ExitStack()
        self._folder = Path()
        self._server: ServerProcess
        self._modified = time.time_ns() + 10**12

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as opening:
            folder = self._folder = opening.enter_context(own_folder())
            for name in ("backends", "agents", "caches"):
                (folder / name).mkdir()
            (folder / "repository" / _MODEL).mkdir(parents=True)
            flags = (
                f"--model-repository={folder / 'repository'}",
                "--model-control-mode=explicit",
                "--exit-on-error=false",
                "--disable-auto-complete-config",
                "--http-thread-count=1",
                "--allow-metrics=false",
                f"--backend-directory={folder / 'backends'}",
                f"--repoagent-directory={folder / 'agents'}",
            )
            self._server = ServerProcess(self.files, folder, flags, timeout=self._timeout)
            opening.callback(self._server.close)
            self._server.start()
            self._server.read_log()
            self._closing = opening.pop_all()
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
        config = self._folder / "repository" / _MODEL / "config.pbtxt"
        config.write_bytes(text)
        # A file is read again only if its time differs, and the file system's clock is coarser than a load.
        self._modified += 10**9
        os.utime(config, ns=(self._modified, self._modified))
        crashed = False
        try:
            status, _ = self._server.ask("POST", f"/v2/repository/models/{_MODEL}/load")
            if status == http.client.OK:
                raise OracleConfused(f"a model without versions was loaded: {text!r}")
        except ServerGone:
            crashed = True
        log = self._server.read_log()
        errors = read_errors(log)
        if not crashed and (UNREAD in log) != bool(errors):
            raise OracleConfused(f"the log contradicts itself: {log!r}")
        if crashed:
            self._server.start()
            self._server.read_log()
        return Verdict(not errors, errors, crashed)

    def _prove(self) -> None:
        """A name never used before must come back in the log, else nothing that was read since counts."""
        name = f"canary_{time.monotonic_ns()}"
        errors = self._ask(f"{name}: 1".encode()).errors
        if len(errors) != 1 or f'"{name}"' not in errors[0].message:
            raise OracleConfused(f"the server did not read the text it was given: {errors}")
