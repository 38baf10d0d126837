"""Finds the files near a model repository that may start a Triton server, and reads them.

Where is searched, `search` decides; then whether the bytes say `triton`: most runs read nothing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice

from tritoncheck.deployment.files import MOST_BYTES, FileError, Files
from tritoncheck.deployment.kinds import ORDER, kind_of, read_file, says_triton
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.deployment.search import Search
from tritoncheck.rule import Span

_OVERRIDE = re.compile(r"(?:docker-)?compose\.override\.ya?ml", re.IGNORECASE)
_MOST_FURTHER = 20
_TEMPLATES = "/templates/"


class Finder:
    """Finds files for one repository after the other; each folder and file is looked at once. repositories: those of
    the run, into which no search from outside goes."""

    def __init__(self, repositories: tuple[str, ...] = ()) -> None:
        self._search = Search(repositories)
        self._wanted: dict[str, bool] = {}

    def near(self, repository: str) -> tuple[str, ...]:
        """The files near a repository that speak of Triton, nearest first; of those that do not lie right beside it the
        first so many only, since to read one takes milliseconds."""
        beside, further = (filter(self._speaks, dict.fromkeys(paths)) for paths in self._search.near(repository))
        return tuple(dict.fromkeys((*beside, *islice(further, _MOST_FURTHER))))

    def _speaks(self, path: str) -> bool:
        if path not in self._wanted:
            self._wanted[path] = _is_wanted(path)
        return self._wanted[path]


def near(repository: str) -> tuple[str, ...]:
    """The files near one repository that speak of Triton, nearest first."""
    return Finder((repository,)).near(repository)


def _is_wanted(path: str) -> bool:
    """Whether a file speaks of Triton. One that cannot be read is wanted if it is called as Compose's are, to be told
    of: too large, a folder, a pipe, a link to nowhere."""
    name = os.path.basename(path)
    if _OVERRIDE.fullmatch(name):
        return False  # read with the file that it overrides
    try:
        status = os.stat(path)
        if status.st_size > MOST_BYTES or not stat.S_ISREG(status.st_mode):
            return kind_of(name) == "compose"
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES)
    except OSError:
        return kind_of(name) == "compose"
    return says_triton(kind_of(name), data)


class Library:
    """Reads deployment files, each once, whoever asks."""

    def __init__(self) -> None:
        self.files = Files()
        self._read: dict[str, tuple[Reading, frozenset[str]]] = {}

    def read(self, path: str) -> tuple[Reading, frozenset[str]]:
        """The launches in a file of any kind, and all files that it led to. What cannot be read is among its faults."""
        if path not in self._read:
            self.files.asked = set()
            reading = _read(path, self.files)
            self._read[path] = (reading, frozenset(self.files.asked))
        return self._read[path]

    def read_all(self, paths: tuple[str, ...]) -> Reading:
        """The launches in several files. One that another leads to, as a service to its Dockerfile or the values of a
        chart to its templates, does not count by itself."""
        launches: list[Launch] = []
        faults: list[Fault] = []
        unread: list[Span] = []
        led: set[str] = set()
        for path in sorted(paths, key=lambda one: ORDER.index(kind_of(os.path.basename(one)))):
            if path in led:
                continue
            reading, others = self.read(path)
            led |= others
            launches += reading.launches
            faults += (one for one in reading.faults if one not in faults)
            unread += reading.unread
        return Reading(tuple(_filled(launches)), tuple(faults), tuple(unread))


def _filled(launches: list[Launch]) -> Iterator[Launch]:
    """The launches without those of templates whose chart has values that say more."""
    charts = {os.path.dirname(one.source) for one in launches if kind_of(os.path.basename(one.source)) == "values"}
    for one in launches:
        chart, templates, _ = one.source.rpartition(_TEMPLATES)
        if not (templates and chart in charts):
            yield one


def _read(path: str, files: Files) -> Reading:
    try:
        return read_file(path, os.path.basename(path), files)
    except FileError as error:
        return Reading(faults=(Fault(f"cannot be read: {error}", Span(path)),))
