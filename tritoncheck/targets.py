"""From the paths a user names to what is linted: repositories, and single files that lie in none.

A configuration or a model folder is widened to its repository, so that rules that look across models see the
neighbours; so is a version folder with a configuration, which Triton does not read, and a folder without any whose
version folders hold a model file. The root of a project that holds a `config.pbtxt` itself is a model by itself: what
lies beside it is other people's. Knows nothing of rules or settings.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field

from tritoncheck.backend import recognised
from tritoncheck.config_file import read_text
from tritoncheck.repository import (
    find_repositories,
    is_misplaced,
    looks_like_model,
    read_model,
    repository_of,
    version_number,
)

_PROJECT = ("readme", "license", "pyproject.toml", "setup.py", "makefile", "dockerfile", "package.json", "requirements")
_NAME = re.compile(r'^\s*name\s*:\s*"([^"]*)"', re.MULTILINE)


class TargetError(Exception):
    """A path that cannot be linted; the text says which and why."""


@dataclass(slots=True)
class Targets:
    """repositories: folders with, for each, the tree that links must not leave. alone: models that are linted without
    neighbours. files: single configurations."""

    repositories: dict[str, str] = field(default_factory=dict)
    alone: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def resolve(paths: list[str]) -> Targets:
    """Sort out the paths. TargetError for one that is missing or that cannot be read."""
    targets = Targets()
    for path in paths:
        _resolve(_clean(path), targets)
    return targets


def _clean(path: str) -> str:
    cleaned = os.path.normpath(path).replace(os.sep, "/") if path else ""
    return cleaned.removeprefix("./")


def _resolve(path: str, targets: Targets) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise TargetError(f"{path}: no such file or folder") from None
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror}") from None
    if stat.S_ISDIR(status.st_mode):
        _folder(path, targets)
    elif not stat.S_ISREG(status.st_mode):
        raise TargetError(f"{path}: neither a file nor a folder")
    else:
        _file(path, targets)


def _file(path: str, targets: Targets) -> None:
    if not os.access(path, os.R_OK):
        raise TargetError(f"{path}: Permission denied")
    folder, name = os.path.split(path)
    if name == "config.pbtxt":
        _model(folder or ".", targets)
    elif os.path.basename(folder) == "configs" and name.endswith(".pbtxt"):
        _model(os.path.dirname(folder) or ".", targets)
    elif name.endswith((".pbtxt", ".textproto", ".txtpb")):
        targets.files.append(path)
    else:
        raise TargetError(f"{path}: not a model configuration (`config.pbtxt`)")


def _model(folder: str, targets: Targets) -> None:
    """Widen a model's folder to its repository; `.` has its parent behind its real name."""
    if is_misplaced(folder):
        folder = os.path.dirname(folder)
    elif is_project(folder):
        if folder not in targets.alone:
            targets.alone.append(folder)
        return
    repository = repository_of(os.path.relpath(os.path.realpath(folder)) if folder == "." else folder)
    if folder == ".":
        repository = ".."
    targets.repositories.setdefault(repository, repository)


def _folder(path: str, targets: Targets) -> None:
    if not os.access(path, os.R_OK | os.X_OK):
        raise TargetError(f"{path}: Permission denied")
    if looks_like_model(path):
        _model(path, targets)
        if path not in targets.alone:
            return
    found = find_repositories(path)
    if not found and (_misplaced_in(path) or _is_bare_model(path)):
        _model(path, targets)
        return
    if not found and not targets.alone and _has_bare_models(path):
        found = [path]
    for one in found:
        targets.repositories.setdefault(one, path)


def _misplaced_in(path: str) -> bool:
    """Whether a folder is a model of which only a version folder holds a configuration."""
    try:
        return any(looks_like_model(f"{path}/{one}") and is_misplaced(f"{path}/{one}") for one in os.listdir(path))
    except OSError:
        return False


def is_project(folder: str) -> bool:
    """Whether a folder with a `config.pbtxt` is the root of a project rather than a model in a repository.

    It is, if version control begins there; or if it holds what the root of a project holds and neither a version folder
    nor a configuration that calls the model by the folder's name.
    """
    try:
        with os.scandir(folder) as entries:
            inside = {one.name: one.is_dir() for one in entries}
    except OSError:
        return False
    if ".git" in inside:
        return True
    if not any(name.lower().startswith(_PROJECT) for name in inside):
        return False
    if any(is_folder and version_number(name) is not None for name, is_folder in inside.items()):
        return False
    try:
        head = read_text(f"{folder}/config.pbtxt")[:4096]
    except OSError:
        return True
    named = _NAME.search(head)
    return named is None or named.group(1) != os.path.basename(os.path.realpath(folder))


def _is_bare_model(path: str) -> bool:
    """Whether a folder is a model without configuration: a version folder holds a file by which Triton knows a backend.

    Any other file in a numbered folder may be anybody's.
    """
    try:
        model = read_model(path, os.path.realpath(path))
    except OSError:
        return False
    return any(version.number is not None and recognised(version) for version in model.folders)


def _has_bare_models(path: str) -> bool:
    """Whether a folder holds models without configuration: folders with a numbered folder that is not empty."""
    try:
        with os.scandir(path) as entries:
            models = [one.path for one in entries if one.is_dir()]
        for model in models:
            with os.scandir(model) as entries:
                versions = [one.path for one in entries if one.is_dir() and version_number(one.name) is not None]
            if any(os.listdir(version) for version in versions):
                return True
    except OSError:
        return False
    return False
