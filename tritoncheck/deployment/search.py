"""Which files near a model repository may start a server, by where they lie and how they are called. Reads none.

Looked through are the repository's folder and those above it up to the root of version control. Below each of them,
folders for deployment (`deploy`, `k8s`, `scripts`, ...) are searched for files of all kinds; below the root of version
control any other folder is too, but only for files whose mounts can lead to the repository; but not what tests are fed
with. All of it is bounded, and done once for all repositories of a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain as chained
from typing import NamedTuple

from tritoncheck.deployment.belonging import BELOW, FOLDERS
from tritoncheck.deployment.kinds import kind_of

_LEVELS = 8  # folders above a repository
_MOST_HERE = 50  # files of one folder
_MOST_DEPLOYING = 200  # folders below one for deployment
_MOST_FOLDERS = 1000  # all others of a run
_MOST_FILES = 300  # files in those
_MOST_ENTRIES = 5000  # of a folder that is searched; with more it holds data
# Folders that others than the owner of the tree have filled.
_FOREIGN = frozenset(("node_modules", "venv", "env", "virtualenv", "site-packages", "__pycache__", "third_party"))
# Folders with what tests are fed with: what starts a server there starts it for a test.
_TESTING = frozenset(("fixtures", "testdata", "test_data", "tests", "test"))
# What tells that a folder is a model, another project or a virtual environment.
_CLOSED = frozenset(("config.pbtxt", ".git", ".hg", "pyvenv.cfg"))
# Files that mount or copy folders of the host by paths relative to them.
_MOUNTING = frozenset(("compose", "dockerfile", "script", "makefile"))
_ENDS = (".yml", ".yaml", ".sh", ".bash", ".mk")


class _Folder(NamedTuple):
    """A folder's files that may be wanted and its folders, sorted. closed: whether no search from above looks at it: a
    model, another project, a heap of data."""

    files: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    closed: bool = False


class Search:
    """The search of one run. repositories: the run's, into which no search from outside goes."""

    def __init__(self, repositories: tuple[str, ...] = ()) -> None:
        self._listed: dict[str, _Folder] = {}
        self._beside: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._left = _MOST_FOLDERS
        self._own = {inode for one in repositories if (inode := _inode(one))}

    def near(self, repository: str) -> tuple[Iterator[str], Iterator[str]]:
        """The files near a repository that may start its server: those right beside it, and those further off, each
        nearest first."""
        chain, controlled = _chain(repository)
        pairs = [self._files_beside(folder) for folder in chain]
        below = (self._files_below(folder) for folder in chain[1:] if controlled and not _is_testing(folder))
        beside = chained.from_iterable(first for first, _ in pairs)
        return beside, chained.from_iterable((*(further for _, further in pairs), *below))

    def _files_beside(self, folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files of a folder and of its folders for deployment, and those below the latter."""
        if folder not in self._beside:
            here = self._list(folder)
            files = [path for path in here.files if _kind(path)]
            further: list[str] = []
            for one in here.inner:
                if not _is_testing(folder) and _is_deploying(one) and not self._list(one).closed:
                    files += self._list(one).files
                    further += self._deploying(one)
            self._beside[folder] = (tuple(files), tuple(further))
        return self._beside[folder]

    def _deploying(self, start: str) -> Iterator[str]:
        folders, left = [self._list(start)], _MOST_DEPLOYING
        for _ in range(BELOW - 1):
            level = [inner for one in folders for inner in one.inner if _is_ours(inner)][:left]
            left -= len(level)
            folders = [found for one in level if not (found := self._list(one)).closed]
            yield from (path for one in folders for path in one.files)

    def _files_below(self, start: str) -> tuple[str, ...]:
        """The files below a folder whose mounts may lead to any other."""
        if start not in self._below:
            files: list[str] = []
            level = list(self._list(start).inner)
            for _ in range(BELOW):
                folders = [found for one in level if self._may_list(one) and not (found := self._list(one)).closed]
                files += (path for one in folders for path in one.files if _kind(path) in _MOUNTING)
                level = [inner for one in folders for inner in one.inner]
            self._below[start] = tuple(files[:_MOST_FILES])
        return self._below[start]

    def _may_list(self, folder: str) -> bool:
        """Whether a folder is one of ours, and one of the first so many."""
        if not _is_ours(folder):
            return False
        if folder in self._listed:
            return True
        if self._left <= 0:
            return False
        self._left -= 1
        return True

    def _list(self, folder: str) -> _Folder:
        if folder not in self._listed:
            self._listed[folder] = _listing(folder, self._own)
        return self._listed[folder]


def _chain(repository: str) -> tuple[list[str], bool]:
    """A repository and the folders above it: up to the root of version control, or its parent only where there is none;
    and whether there is one."""
    chain = [repository]
    real = os.path.realpath(repository)
    home = os.path.expanduser("~")
    for _ in range(_LEVELS):
        if os.path.lexists(os.path.join(real, ".git")) or os.path.lexists(os.path.join(real, ".hg")):
            return chain, True
        real = os.path.dirname(real)
        if real in ("/", home):
            break
        chain.append(_above(chain[-1]))
    return chain[:2], False


def _above(path: str) -> str:
    """The parent of a path, as a path of the same kind."""
    name = os.path.basename(path)
    if name in ("", ".", ".."):
        return os.path.normpath(os.path.join(path, ".."))
    return os.path.dirname(path) or "."


def _listing(folder: str, own: set[int]) -> _Folder:
    """What is in a folder; nothing where it cannot be listed. own: the inodes of repositories, which are left out."""
    files: list[str] = []
    bare: list[str] = []  # perhaps scripts that are called as commands are
    inner: list[str] = []
    closed = False
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return _Folder(closed=True)
    for one in entries:
        name = one.name
        closed = closed or name in _CLOSED
        kind = kind_of(name) if _may_be_wanted(name) else ""
        if kind and (kind == "compose" or _is_file(one)):
            files.append(name)
        elif one.is_dir(follow_symlinks=False):
            if one.inode() not in own:
                inner.append(name)
        elif "." not in name and _is_file(one):
            bare.append(name)
    shown = (*sorted(files), *sorted(bare))[:_MOST_HERE]
    inner.sort(key=_first)
    lead = "" if folder == "." else f"{folder.rstrip('/')}/"
    paths = [tuple(lead + name for name in names) for names in (shown, inner)]
    return _Folder(paths[0], paths[1], closed or len(entries) > _MOST_ENTRIES)


def _first(name: str) -> tuple[bool, str]:
    return name.lower() not in FOLDERS, name


def _is_ours(folder: str) -> bool:
    """Whether a folder is worth a search by its name: not hidden, not filled by others, and not for tests."""
    name = folder.rpartition("/")[2]
    return not (name.startswith(".") or name.lower() in _FOREIGN or _is_testing(folder))


def _is_testing(folder: str) -> bool:
    return os.path.basename(folder).lower() in _TESTING


def _is_deploying(folder: str) -> bool:
    return os.path.basename(folder).lower() in FOLDERS


def _may_be_wanted(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(_ENDS) or "file" in lower


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    return kind_of(name) if _may_be_wanted(name) else ""


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file or leads to one; a link that leads in a circle does not."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
