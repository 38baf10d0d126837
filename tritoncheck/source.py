"""What a source tree keeps, and what it leaves to the deployment: version folders and model files.

Version control keeps no empty folders and seldom keeps weights, so what is missing in a tree says little by itself.
It says something where the neighbours have theirs and nothing in the tree explains why this one has not. Reads
names, and the texts of `.gitignore` and `.gitattributes`; knows no rules and no wording.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from tritoncheck.repository import VersionFolder

if TYPE_CHECKING:
    from tritoncheck.model import Model
    from tritoncheck.model_repository import Repository

_PLACEHOLDER = re.compile(
    r"\.[\w.-]*(?:keep|ignore|attributes)|\.DS_Store|__pycache__|.*\.(?:dvc|md|txt|url|sh|sha256|md5|lfs)|"
    r"(?i:readme|placeholder|empty|dummy|todo).*"
)
_FETCHED = re.compile(r"(?i).*\.dvc|dvc\.(?:yaml|lock)|.*(?:download|fetch|export|convert|build|install).*|makefile")
# Beside these a folder is the root of a project, which nobody serves as it is.
_PROJECT = frozenset(
    (
        *(".git", ".hg", ".svn", ".github", ".gitlab", ".circleci", ".gitlab-ci.yml", ".gitmodules"),
        *(".pre-commit-config.yaml", "setup.py", "setup.cfg", "pyproject.toml", "requirements.txt", "package.json"),
        *("Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "Makefile", "CMakeLists.txt"),
        *("LICENSE", "LICENSE.txt", "LICENSE.md", "tests", "docs"),
    )
)
_TEXT_LIMIT = 256 * 1024
_CLIMB = 12


class SourceTree:
    """One repository, looked at as part of a source tree."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._models = [model for model in repository.models if not model.variant]
        self._patterns: dict[str, tuple[str, ...]] = {}

    @cached_property
    def is_project(self) -> bool:
        """Whether the repository's folder is the root of a project."""
        return any(entry.name in _PROJECT for entry in self._repository.folder.entries)

    @cached_property
    def is_repository(self) -> bool:
        """Whether the folder is one for models: most of the folders in it are models."""
        return not self.is_project and self._foreign < len(self._names)

    @cached_property
    def is_evident(self) -> bool:
        """Whether the folder plainly is what a server reads: several models and nothing else, most with versions."""
        versions = sum(bool(model.versions) for model in self._models)
        return self.is_repository and not self._foreign and versions > 1 and 3 * versions >= 2 * len(self._models)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(model.name for model in self._models)

    @cached_property
    def _foreign(self) -> int:
        names = [folder.name for folder in self._repository.folder.models if folder.name not in self._names]
        return sum(not name.startswith(".") and name not in ("__pycache__", "lost+found") for name in names)

    def versions_beside(self, model: Model) -> Model | None:
        """For a model without version folder: a model of the same backend with one, where most of them have one."""
        return _mostly(self._with_versions, model, self._backends)

    def file_beside(self, model: Model) -> Model | None:
        """For a model without model file: a model of the same backend with its file, where most of them have one."""
        return _mostly(self._with_file, model, self._backends)

    @cached_property
    def _backends(self) -> Counter[str]:
        return Counter(model.backend.name for model in self._models)

    @cached_property
    def _with_versions(self) -> dict[str, list[Model]]:
        return _by_backend(model for model in self._models if model.versions)

    @cached_property
    def _with_file(self) -> dict[str, list[Model]]:
        return _by_backend(model for model in self._models if _has_file(model))

    def explains(self, model: Model, version: VersionFolder | None, name: str) -> bool:
        """Whether something in the tree says that the version folder or file is not kept in it."""
        entries = [entry.name for entry in model.folder.entries]
        if version is not None:
            entries += [entry.name for entry in version.entries]
            if version.entries and all(_PLACEHOLDER.fullmatch(entry.name) for entry in version.entries):
                return True
        if name.endswith(".py"):
            return self._ignored(model, name)
        entries += [entry.name for entry in self._repository.folder.entries if entry.kind == "file"]
        return any(_FETCHED.fullmatch(entry) for entry in entries) or self._ignored(model, name)

    def _ignored(self, model: Model, name: str) -> bool:
        targets = [name, model.name, *(version.name for version in model.versions or ()), "1"]
        folder = os.path.realpath(model.folder.path)
        for _ in range(_CLIMB):
            if folder not in self._patterns:
                self._patterns[folder] = _patterns(folder)
            for pattern in self._patterns[folder]:
                if any(target and fnmatchcase(target, pattern) for target in targets):
                    return True
            parent = os.path.dirname(folder)
            if parent == folder or os.path.lexists(f"{folder}/.git"):
                return False
            folder = parent
        return False


def _by_backend(models: Iterable[Model]) -> dict[str, list[Model]]:
    found: dict[str, list[Model]] = {}
    for model in models:
        found.setdefault(model.backend.name, []).append(model)
    return found


def _has_file(model: Model) -> bool:
    if not model.default_file:
        return False
    entries = [version.entry(model.default_file) for version in model.versions]
    return any(entry is not None and entry.kind in ("file", "folder") for entry in entries)


def _mostly(having: dict[str, list[Model]], model: Model, backends: Counter[str]) -> Model | None:
    """The first that has what this model lacks, if more than half have it, or all but this one."""
    backend = model.backend.name
    found = having.get(backend, []) if backend else []
    return found[0] if found and (2 * len(found) > backends[backend] or len(found) + 1 == backends[backend]) else None


def _patterns(folder: str) -> tuple[str, ...]:
    """The last names that `.gitignore` and `.gitattributes` of a folder speak of, wildcards at the end left out."""
    found: Counter[str] = Counter()
    for name in (".gitignore", ".gitattributes"):
        for line in _lines(f"{folder}/{name}"):
            if name == ".gitattributes" and "filter=lfs" not in line:
                continue
            words = line.split() if name == ".gitattributes" else [line]
            parts = [part for part in words[0].strip("/").split("/") if part not in ("*", "**", "")]
            if parts and not line.startswith(("#", "!")):
                found[parts[-1]] += 1
    return tuple(found)


def _lines(path: str) -> list[str]:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _TEXT_LIMIT:
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file if line.strip()]
    except OSError:
        return []
