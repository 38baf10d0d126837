"""The folder of a run: its journal, on disk line by line before the next attempt begins, and the logs that are kept.

A line counts once its line break is there: what a kill tore off is cut away when the run is resumed. Knows nothing of
what the records mean.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Self

from tritoncheck.stress.fold import UNCLEAR, WRONG, letter_of
from tritoncheck.stress.records import (
    JOURNAL_VERSION,
    Attempt,
    Facts,
    Plan,
    RecordError,
    attempt_from,
    facts_from,
    plan_from,
    to_line,
)

NAME = "journal.jsonl"
LOGS = "logs"
_LOCK = ".lock"
_OPEN_LOG = ".attempt.log"
_WORK = ".server"
_BLOCK = 1024 * 1024


class JournalError(Exception):
    """A run's folder that cannot be used; the text says why in one line."""


def default_folder(plan: Plan) -> Path:
    """Where a run goes if nobody says."""
    return Path("tritoncheck-runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{plan.digest()[:8]}"


class Journal:
    """A run's folder, open for writing by one process. A context manager."""

    def __init__(self, folder: Path, plan: Plan, resume: bool, keep_all: bool = False) -> None:
        self.folder = folder
        self.plan = plan
        self.attempts = 0
        self.failures = 0
        self.unknown = 0
        self.seconds = 0.0
        self._keep_all = keep_all
        self._kept_good = False
        self._closing = contextlib.ExitStack()
        try:
            self._open(resume)
        except OSError as error:
            self._closing.close()
            raise JournalError(f"{folder}: {error.strerror or error}") from None
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; what was open of an attempt is dropped."""
        shutil.rmtree(self.work, ignore_errors=True)
        with contextlib.suppress(OSError):
            (self.folder / _OPEN_LOG).unlink(missing_ok=True)
            (self.folder / _LOCK).unlink(missing_ok=True)
        self._closing.close()

    def discard_if_empty(self) -> None:
        """Remove the folder of a run that never began: nothing but the plan is in it."""
        if not self.attempts and self._fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                if self.folder.parent.name == "tritoncheck-runs":
                    self.folder.parent.rmdir()

    @property
    def work(self) -> Path:
        """A folder for the host's own files, which does not outlive the session."""
        return self.folder / _WORK

    def write(self, kind: str, record: Any) -> None:
        """Append a record; it is on disk when this returns."""
        line, end = to_line(kind, record).encode() + b"\n", self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fdatasync(self._file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(end)  # a full disk takes half a line
            raise

    def write_attempt(self, attempt: Attempt) -> None:
        """Append an attempt and count it."""
        self.write("attempt", attempt)
        self._count(attempt)

    def open_log(self) -> BinaryIO:
        """A file for the log of the attempt that begins."""
        return open(self.folder / _OPEN_LOG, "wb")

    def keep_log(self, number: int, worth: bool) -> str:
        """Keep the log of the attempt, packed, if it is worth it or the first good one: its name, "" if dropped."""
        source = self.folder / _OPEN_LOG
        if not (worth or self._keep_all or not self._kept_good):
            source.unlink(missing_ok=True)
            return ""
        self._kept_good = self._kept_good or not worth
        name = f"attempt-{number:05}.log.gz"
        target = self.folder / LOGS / name
        target.parent.mkdir(exist_ok=True)
        with open(source, "rb") as plain, gzip.open(target.with_suffix(".part"), "wb", compresslevel=6) as packed:
            shutil.copyfileobj(plain, packed)
        target.with_suffix(".part").replace(target)
        source.unlink()
        return name

    def _open(self, resume: bool) -> None:
        path = self.folder / NAME
        if path.exists() and not resume:
            raise JournalError(f"{self.folder} holds a run already; continue it with --resume, or name another folder")
        if resume and not path.exists():
            raise JournalError(f"{self.folder}: no run to resume there")
        self._fresh = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._closing.enter_context(open(self.folder / _LOCK, "wb"))  # noqa: SIM115
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalError(f"{self.folder}: another process is writing this run") from None
        if resume:
            self._resume(path)
        self._file = self._closing.enter_context(open(path, "ab", buffering=0))  # noqa: SIM115
        if not resume or self._file.tell() == 0:
            self.write("plan", self.plan)

    def _resume(self, path: Path) -> None:
        """Cut off a torn line, count what is there, refuse another plan."""
        _cut_torn(path)
        for part in (self.folder / LOGS).glob("*.part"):
            part.unlink()
        shutil.rmtree(self.work, ignore_errors=True)
        seen = None
        for kind, table in read_lines(path):
            try:
                if kind == "plan":
                    seen = plan_from(table)
                elif kind == "attempt":
                    self._count(attempt_from(table))
            except RecordError as error:
                raise JournalError(f"{path}: a damaged line, {error}; it can be reported, but not resumed") from None
        if seen is not None and seen.digest() != self.plan.digest():
            changed = [name for name in Plan.__dataclass_fields__ if getattr(seen, name) != getattr(self.plan, name)]
            if changed == ["contents"]:
                raise JournalError(f"{self.folder}: the files of its repository have changed since; begin a new run")
            what = ", ".join(changed) or "unknown"
            raise JournalError(f"{self.folder} holds a run of another plan (changed: {what}); it cannot be resumed")

    def _count(self, attempt: Attempt) -> None:
        self.attempts += 1
        letter = letter_of(attempt)
        self.failures += letter == WRONG
        self.unknown += letter == UNCLEAR
        self.seconds += max(attempt.seconds, attempt.took)
        self._kept_good = self._kept_good or (attempt.whole and bool(attempt.log))


def read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every whole line of a journal as (kind, table). JournalError for one that this version cannot read."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                table = json.loads(line)
                kind, version = table.pop("kind"), table.pop("version")
            except (ValueError, KeyError, AttributeError, TypeError):
                raise JournalError(f"{path}, line {number}: not a line of a journal") from None
            if version > JOURNAL_VERSION:
                raise JournalError(f"{path}: written by a newer tritoncheck (journal version {version})")
            yield kind, table


def read_plan(folder: Path) -> Plan:
    """The plan of a run."""
    try:
        for kind, table in read_lines(folder / NAME):
            if kind == "plan":
                return plan_from(table)
    except RecordError as error:
        raise JournalError(f"{folder}: its journal is damaged: {error}") from None
    except OSError as error:
        raise JournalError(f"{folder}: no run there ({error.strerror})") from None
    raise JournalError(f"{folder}: its journal holds no plan")


def read_attempts(folder: Path) -> Iterator[Attempt]:
    """The attempts of a run, one at a time."""
    return (attempt_from(table) for kind, table in read_lines(folder / NAME) if kind == "attempt")


def read_facts(folder: Path) -> list[Facts]:
    """What each session of a run ran on."""
    return [facts_from(table) for kind, table in read_lines(folder / NAME) if kind == "facts"]


def _cut_torn(path: Path) -> None:
    """Cut the file after its last line break."""
    with open(path, "rb+") as file:
        end = file.seek(0, os.SEEK_END)
        at = end
        while at > 0:
            begin = max(0, at - _BLOCK)
            file.seek(begin)
            found = file.read(at - begin).rfind(b"\n")
            if found >= 0:
                at = begin + found + 1
                break
            at = begin
        if at < end:
            file.truncate(at)
            os.fsync(file.fileno())
