"""The files of a repository's models, each read at most once and kept as the little that rules ask for.

Whatever a file holds, reading it gives a record or None, in bounded time and memory. Knows no rules.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.modelfile.plan_file import PlanVersion, plan_version
from tritoncheck.modelfile.sniff import HEAD, is_text, kind_of, read_head
from tritoncheck.modelfile.window import Window, read_whole

if TYPE_CHECKING:
    from tritoncheck.modelfile.archive_file import Archive
    from tritoncheck.modelfile.network_file import Network
    from tritoncheck.modelfile.onnx_file import OnnxModel
    from tritoncheck.modelfile.python_file import PythonModule


class _Head(NamedTuple):
    kind: str
    plan: PlanVersion | None
    binary: bool = False


class Contents:
    """What lies in files, by their paths. listed: a listing said that the file is a regular one."""

    def __init__(self) -> None:
        self._heads: dict[str, _Head] = {}
        self._onnx: dict[str, OnnxModel | None] = {}
        self._archives: dict[str, Archive | None] = {}
        self._networks: dict[str, Network | None] = {}
        self._modules: dict[tuple[str, tuple[int, int] | None], PythonModule | None] = {}
        self._exists: dict[str, bool] = {}

    def kind(self, path: str) -> str:
        """What kind of file it is, by its first bytes: `an ONNX model`, `empty`; "" if unknown."""
        return self._of(path).kind

    def is_binary(self, path: str) -> bool:
        """Whether it can be read and is no plain text, by its first bytes."""
        return self._of(path).binary

    def plan(self, path: str, listed: bool = False) -> PlanVersion | None:
        """The TensorRT that built a plan; None where the file does not say."""
        return self._of(path, listed).plan

    def onnx(self, path: str, listed: bool = False) -> OnnxModel | None:
        """An ONNX file; None where it is something else or cannot be read in reasonable time."""
        if path not in self._onnx:
            self._onnx[path] = self._read_onnx(path, listed)
        return self._onnx[path]

    def archive(self, path: str, listed: bool = False) -> Archive | None:
        """A file that PyTorch wrote; None where it is of a known other kind or cannot be read."""
        if path not in self._archives:
            self._archives[path] = self._read_archive(path, listed)
        return self._archives[path]

    def _read_archive(self, path: str, listed: bool) -> Archive | None:
        if self._of(path, listed).kind not in ("", "a zip archive"):
            return None
        window = Window.open(path, listed)
        if window is None:
            return None
        from tritoncheck.modelfile.archive_file import parse_archive

        with window:
            return parse_archive(window)

    def convolves(self, path: str) -> bool:
        """Whether an ONNX file is known to have a convolution."""
        from tritoncheck.modelfile.onnx_file import convolves

        return bool(convolves(path))

    def _read_onnx(self, path: str, listed: bool) -> OnnxModel | None:
        """Opened once for its kind and for what it says."""
        window = Window.open(path, listed)
        if window is None:
            return None
        from tritoncheck.modelfile.onnx_file import parse_onnx

        with window:
            try:
                head = window.move(0)[:HEAD]
            except OSError:
                return None
            self._heads[path] = _head(head)
            kind = self._heads[path].kind
            if kind == "an ONNX model":
                return parse_onnx(window)
            # ORT's own format, which some name so, is no protobuf message; a text stands for a file that comes later.
            if kind or is_text(head) or head[4:8] == b"ORTM":
                return None
            found = parse_onnx(window)
            return found._replace(fault="no model") if found and found.fault else found

    def network(self, path: str, listed: bool = False) -> Network | None:
        """The `.xml` of an OpenVINO model; None where it is something else."""
        if path not in self._networks:
            from tritoncheck.modelfile.network_file import SIZE_LIMIT, parse_network

            content = read_whole(path, SIZE_LIMIT, listed)
            if content is not None:
                self._heads[path] = _head(content[:HEAD])
            self._networks[path] = None if content is None else parse_network(content)
        return self._networks[path]

    def module(self, path: str, listed: bool = False, version: tuple[int, int] | None = None) -> PythonModule | None:
        """A Python file as that version reads it; None where it cannot be read."""
        key = (path, version)
        if key not in self._modules:
            from tritoncheck.modelfile.python_file import read_python

            self._modules[key] = read_python(path, version, listed)
        return self._modules[key]

    def exists(self, path: str) -> bool:
        """Whether something is there, or what a link points to."""
        if path not in self._exists:
            self._exists[path] = os.path.exists(path)
        return self._exists[path]

    def writers(self, path: str) -> str:
        """Who but its owner may write to a file: `everybody`, `its group`; "" for nobody, or where that is unknown."""
        try:
            mode = os.stat(path).st_mode
        except OSError:
            return ""
        return "everybody" if mode & stat.S_IWOTH else "its group" if mode & stat.S_IWGRP else ""

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there, or a link to one."""
        return self.exists(path) and os.path.isdir(path)

    def _of(self, path: str, listed: bool = False) -> _Head:
        if path not in self._heads:
            head = read_head(path, listed)
            self._heads[path] = _Head("", None) if head is None else _head(head)
        return self._heads[path]


def _head(head: bytes) -> _Head:
    return _Head(kind_of(head), plan_version(head), not is_text(head))
