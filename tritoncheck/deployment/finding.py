"""Finds the files near a model repository that may start a Triton server, and reads them.

Looked through are the repository's folder and those above it up to the root of version control, each with the
subfolders in which such files are kept; charts of Helm lie deeper in those. Names decide first, then whether the bytes
say `triton`: most runs read nothing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container

from tritoncheck.deployment.belonging import CHART_DEPTH, FOLDERS
from tritoncheck.deployment.files import MOST_BYTES, FileError, Files
from tritoncheck.deployment.kinds import ORDER, kind_of, read_file, says_triton
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.rule import Span

_OVERRIDE = re.compile(r"(?:docker-)?compose\.override\.ya?ml", re.IGNORECASE)
_LEVELS = 8
_MOST = 50  # candidates in one folder, and folders below one for deployment
_CHART = "Chart.yaml"


def near(repository: str, seen: dict[str, tuple[str, ...]] | None = None) -> tuple[str, ...]:
    """The files near a repository that speak of Triton, nearest first. seen: what other repositories of the same run
    found, by folder; it is added to."""
    seen = {} if seen is None else seen
    found: list[str] = []
    for folder in _folders(repository):
        if folder not in seen:
            seen[folder] = _candidates(folder)
        found += seen[folder]
    return tuple(dict.fromkeys(found))


def _folders(repository: str) -> list[str]:
    """The folders to look through: up to the root of version control, or the parent only where there is none."""
    chain = [repository]
    real = os.path.realpath(repository)
    home = os.path.expanduser("~")
    for _ in range(_LEVELS):
        if os.path.lexists(os.path.join(real, ".git")) or os.path.lexists(os.path.join(real, ".hg")):
            return chain
        real = os.path.dirname(real)
        if real in ("/", home):
            break
        chain.append(_above(chain[-1]))
    return chain[:2]


def _above(path: str) -> str:
    """The parent of a path, as a path of the same kind."""
    name = os.path.basename(path)
    if name in ("", ".", ".."):
        return os.path.normpath(os.path.join(path, ".."))
    return os.path.dirname(path) or "."


def _candidates(folder: str) -> tuple[str, ...]:
    """The files of a folder, and of its subfolders for deployment, that are worth reading."""
    files, inner = _listed(folder, FOLDERS)
    for sub in inner:
        files += [*_listed(sub)[0], *_charts(sub)]
    return tuple(path for path in files if _is_wanted(path))


def _charts(folder: str) -> list[str]:
    """The values of the charts below a folder for deployment, as in `deploy/helm/triton/`."""
    found, level, left = [], [folder], _MOST
    for _ in range(CHART_DEPTH):
        level = [inner for one in level for inner in _listed(one)[1]][:left]
        left -= len(level)
        for one in level:
            if os.path.isfile(_join(one, _CHART)):
                found += [path for path in _listed(one)[0] if kind_of(os.path.basename(path)) == "values"]
    return found


def _listed(folder: str, wanted: Container[str] | None = None) -> tuple[list[str], list[str]]:
    """Files that may be wanted and subfolders of some names, sorted; none where it cannot be listed."""
    files, inner = [], []
    try:
        with os.scandir(folder) as entries:
            for one in entries:
                name = one.name
                if kind_of(name) and (kind_of(name) == "compose" or _is_file(one)):
                    files.append(_join(folder, name))
                elif (wanted is None or name.lower() in wanted) and one.is_dir(follow_symlinks=False):
                    inner.append(_join(folder, name))
    except OSError:
        return [], []
    return sorted(files)[:_MOST], sorted(inner)[:_MOST]


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file or leads to one; a link that leads in a circle does not."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder.rstrip('/')}/{name}"


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
        """The launches in several files. One that another leads to, as a service to its Dockerfile, does not count by
        itself."""
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
        return Reading(tuple(launches), tuple(faults), tuple(unread))


def _read(path: str, files: Files) -> Reading:
    try:
        return read_file(path, os.path.basename(path), files)
    except FileError as error:
        return Reading(faults=(Fault(f"cannot be read: {error}", Span(path)),))
