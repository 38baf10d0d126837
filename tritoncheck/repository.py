"""What Triton sees on disk: models, version folders, files, links. Reads names and sizes, never contents.

Triton lists the folders of a repository (core `filesystem/implementations/local.h`, `GetDirectorySubdirs`), takes
each as a model, follows links, and reads version folders by a prefix-tolerant number conversion. Nothing below a
version folder is listed, so loops and huge trees cost nothing, and nothing is opened, so a FIFO cannot block.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_PLAIN = re.compile(r"0|[1-9][0-9]*")
_INT64_MAX = 2**63 - 1
# What `stat` says of a link to nothing, through a file, in a circle.
_NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
# Folders in which no one keeps a model repository.
_NO_SEARCH = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))


class Entry(NamedTuple):
    """One name in a folder.

    kind: `file`, `folder`, `dangling` (a link to nothing, or a loop), `unreadable` or `other` (FIFO, socket, device).
    link: where it points if it is a link, else "". outside: whether that lies outside the tree that is linted.
    size: bytes, of the target for a link. hidden: its name begins with a dot.
    """

    name: str
    kind: str
    link: str = ""
    outside: bool = False
    size: int = 0

    @property
    def hidden(self) -> bool:
        """Whether the name begins with a dot."""
        return self.name.startswith(".")


@dataclass(slots=True)
class VersionFolder:
    """A folder inside a model. number: the version Triton takes it for, None where it is none. error: why it could
    not be listed, "" if it could."""

    name: str
    number: int | None
    entries: tuple[Entry, ...]
    error: str = ""

    @property
    def plain(self) -> bool:
        """Whether the name is the version's number and nothing else, so that its path is found again."""
        return str(self.number) == self.name

    def entry(self, name: str) -> Entry | None:
        """The entry of this name, None if there is none."""
        return next((one for one in self.entries if one.name == name), None)


@dataclass(slots=True)
class ModelFolder:
    """A folder that Triton takes as a model. error: why it could not be listed, "" if it could."""

    name: str
    path: str
    entries: tuple[Entry, ...]
    folders: tuple[VersionFolder, ...]
    error: str = ""

    def entry(self, name: str) -> Entry | None:
        """The entry of this name, None if there is none."""
        return next((one for one in self.entries if one.name == name), None)


@dataclass(slots=True)
class RepositoryFolder:
    """A model repository: every folder in it, every other entry. error: why it could not be listed, "" if it could.
    alone: only one of its models is looked at, so that nothing is known of the others."""

    path: str
    models: tuple[ModelFolder, ...]
    entries: tuple[Entry, ...]
    error: str = ""
    alone: bool = False


def version_number(name: str) -> int | None:
    """The version that Triton takes a folder's name for; None where it ignores the folder.

    As `std::stoll`: leading white space, a sign and digits are read, what follows them is ignored (`1_old` is 1). A
    leading zero is refused (core `model_lifecycle.cc`, `VersionsToLoad`), `0` alone is version 0. Above 2^63-1 the
    conversion throws and the server dies: such a number is returned as it is.
    """
    found = _NUMBER.match(name)
    if not found or (len(name) > 1 and name[0] == "0"):
        return None
    return int(found.group(1))


def crashes(number: int) -> bool:
    """Whether this version number ends the server (measured on 22.11 to 24.10: `what(): stoll`)."""
    return not -_INT64_MAX - 1 <= number <= _INT64_MAX


def list_folder(path: str, tree: str) -> tuple[Entry, ...]:
    """The entries of a folder, by name. `tree` is the real path of what is linted. Raises OSError."""
    with os.scandir(path) as entries:
        return tuple(sorted((_entry(one, tree) for one in entries), key=lambda entry: entry.name))


def _entry(one: os.DirEntry[str], tree: str) -> Entry:
    link, outside = "", False
    try:
        if one.is_symlink():
            link = os.readlink(one.path)
            target = os.path.realpath(one.path)
            outside = target != tree and not target.startswith(tree.rstrip("/") + "/")
        elif one.is_dir(follow_symlinks=False):
            return Entry(one.name, "folder")
        status = os.stat(one.path)
    except OSError as error:
        kind = "dangling" if link and error.errno in _NOWHERE else "unreadable"
        return Entry(one.name, kind, link, outside)
    mode = status.st_mode
    kind = "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
    return Entry(one.name, kind, link, outside, status.st_size)


def read_model(path: str, tree: str) -> ModelFolder:
    """A model folder with its version folders. Raises OSError if it cannot be listed."""
    entries = list_folder(path, tree)
    folders = []
    for entry in entries:
        if entry.kind != "folder":
            continue
        number = version_number(entry.name)
        try:
            folders.append(VersionFolder(entry.name, number, list_folder(f"{path}/{entry.name}", tree)))
        except OSError as error:
            folders.append(VersionFolder(entry.name, number, (), error.strerror or "unreadable"))
    return ModelFolder(os.path.basename(path), path, entries, tuple(folders))


def read_alone(path: str) -> RepositoryFolder:
    """A model as the only one of its repository, whatever lies beside it."""
    real = os.path.realpath(path)
    try:
        model = read_model(path, real)
    except OSError as error:
        return RepositoryFolder(path, (), (), error.strerror or "unreadable")
    model.name = os.path.basename(real)
    return RepositoryFolder(repository_of(path), (model,), (), alone=True)


def read_repository(path: str, tree: str = "") -> RepositoryFolder:
    """A model repository as Triton would list it. An unreadable folder is said in `error`, never raised.

    path: the repository's folder. tree: the folder that links must not leave; by default the repository.
    """
    real = os.path.realpath(tree or path)
    try:
        entries = list_folder(path, real)
    except OSError as error:
        return RepositoryFolder(path, (), (), error.strerror or "unreadable")
    models = []
    for entry in entries:
        if entry.kind != "folder":
            continue
        try:
            models.append(read_model(_join(path, entry.name), real))
        except OSError as error:
            why = error.strerror or "unreadable"
            models.append(ModelFolder(entry.name, _join(path, entry.name), (), (), why))
    return RepositoryFolder(path, tuple(models), entries)


def unreadable(repository: RepositoryFolder) -> Iterator[str]:
    """The folders that could not be listed, each with the reason."""
    if repository.error:
        yield f"{repository.path}: {repository.error}"
    for model in repository.models:
        if model.error:
            yield f"{model.path}: {model.error}"
        for version in model.folders:
            if version.error:
                yield f"{model.path}/{version.name}: {version.error}"


def links_out(repository: RepositoryFolder) -> Iterator[str]:
    """The links of a repository, of its models and of their version folders that lead out of the tree."""
    for folder, entries in (
        (repository.path, repository.entries),
        *((model.path, model.entries) for model in repository.models),
        *(
            (f"{model.path}/{version.name}", version.entries)
            for model in repository.models
            for version in model.folders
        ),
    ):
        yield from (_join(folder, entry.name) for entry in entries if entry.outside)


def _join(path: str, name: str) -> str:
    return name if path == "." else f"{path.rstrip('/')}/{name}"


def looks_like_model(path: str) -> bool:
    """Whether a folder is a model: it holds a `config.pbtxt`, whatever that is."""
    return os.path.lexists(f"{path}/config.pbtxt")


def is_misplaced(folder: str) -> bool:
    """Whether the `config.pbtxt` of a folder lies one level too deep: in a version folder, not beside it.

    `models/resnet/1/config.pbtxt` makes no model `1` in a repository `resnet`, where `models` holds other models: it is
    the configuration of `resnet`, and Triton does not read it. A folder with a version of its own is a model.
    """
    above, name = os.path.split(folder)
    if not above or not _PLAIN.fullmatch(name) or looks_like_model(above):
        return False
    around = os.path.dirname(above) or "."
    try:
        if any(_PLAIN.fullmatch(one) for one in os.listdir(folder)):
            return False
        return any(looks_like_model(_join(around, one)) for one in os.listdir(around))
    except OSError:
        return False


def find_repositories(path: str) -> list[str]:
    """The model repositories in a tree, by path: folders with a model in them. Links are not followed.

    A folder that is a model itself is not searched further. Hidden folders are not searched. A link to a model makes
    the folder it lies in a repository, unless the link leads back up. A configuration in a version folder makes none.
    """
    found, waiting = [], [path]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted((one.name, one.is_symlink()) for one in entries if _is_searched(one))
        except OSError:
            continue
        inner = []
        is_repository = False
        for name, link in listed:
            inside = _join(folder, name)
            if looks_like_model(inside) and not os.path.lexists(f"{inside}/.git"):
                is_repository = is_repository or not (_leads_up(inside) if link else is_misplaced(inside))
            elif not link:
                inner.append(inside)
        if is_repository:
            found.append(folder)
        waiting += reversed(inner)
    return sorted(found)


def _is_searched(one: os.DirEntry[str]) -> bool:
    """Whether it is a folder that may hold models, or a link, which may be a model."""
    if one.name.startswith(".") or one.name in _NO_SEARCH:
        return False
    try:
        return one.is_symlink() or one.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _leads_up(link: str) -> bool:
    """Whether a link points to a folder that it lies in."""
    target, own = os.path.realpath(link), os.path.realpath(os.path.dirname(link) or ".")
    return own == target or own.startswith(target.rstrip("/") + "/")


def repository_of(path: str) -> str:
    """The repository that a model folder lies in: its parent."""
    parent = os.path.dirname(path.rstrip("/"))
    return parent or ("/" if path.startswith("/") else ".")
