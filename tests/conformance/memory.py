"""Verdicts of cores kept between runs, so that after a change of a rule only lint is asked again.

A verdict belongs to a core, its flags, what stands in for backends and GPU, and everything in the repository. It is a
help for whoever writes rules: the full run asks anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.backends import HERE
from tests.conformance.core import Outcome, Verdict
from tests.oracle.wheels import cache_folder

# Bytes of a file that are looked at; larger ones stand for engines of gigabytes and are holes behind that.
MOST = 16 << 20


class Memory:
    """The verdicts of one core, in a file to which each new one is appended."""

    def __init__(self, core: str) -> None:
        self._path = cache_folder() / f"verdicts-{core}.jsonl"
        self._known: dict[str, Verdict] = {}
        self._stubs = b"".join((HERE / name).read_bytes() for name in ("stub_backend.c", "one_gpu.c"))
        if self._path.is_file():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                key, outcomes = json.loads(line)
                self._known[key] = {name: Outcome(*one) for name, one in outcomes.items()}

    def key(self, repository: Path, flags: Sequence[str], *more: str) -> str:
        """What a verdict depends on, as a digest."""
        digest = hashlib.sha256(self._stubs + repr((sorted(flags), more)).encode())
        for folder, folders, files in sorted(os.walk(repository)):
            here = Path(folder)
            place = here.relative_to(repository)
            for name in sorted((*folders, *files)):
                path = here / name
                digest.update(f"\0{place}/{name}\0".encode("utf-8", "surrogateescape"))
                if path.is_symlink():
                    digest.update(f"->{os.readlink(path)}".encode("utf-8", "surrogateescape"))
                elif path.is_file():
                    with open(path, "rb") as file:
                        digest.update(file.read(MOST))
                    digest.update(f"\0{path.stat().st_size}".encode())
        return digest.hexdigest()

    def get(self, key: str) -> Verdict | None:
        """A verdict, None if it is not known."""
        return self._known.get(key)

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict."""
        self._known[key] = verdict
        outcomes = {name: (one.kind, one.words) for name, one in verdict.items()}
        with open(self._path, "a", encoding="utf-8") as out:
            out.write(json.dumps((key, outcomes)) + "\n")
