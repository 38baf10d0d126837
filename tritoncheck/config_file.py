"""One configuration file: its text, its tree, its protobuf message, and the places in it.

A file keeps its message; the tree of a text without faults is dropped at once and read again when a place in it is
asked for, so that ten thousand models fit into little memory. Knows nothing of folders, backends or launches.
"""

from __future__ import annotations

import os
import stat
from typing import Any

from tritoncheck.rule import Edit, Span
from tritoncheck.schema.bind import Binding, bind
from tritoncheck.schema.verdict import ServerLine, server_lines
from tritoncheck.textproto import Document, Field, Message, Problem, Scalar, entry_removals, parse, removals

Path = tuple[str | int, ...]

# A model configuration of this size is no model configuration; it is not read.
SIZE_LIMIT = 4 * 1024 * 1024


class ConfigFile:
    """A `config.pbtxt`, or what stands for one that there is not.

    config_path: the file, "" where there is none. config: the configuration as written, a protobuf message of the
    target release; nothing is filled in. problems: faults of the text, in the order of the file. server: what
    libprotobuf prints for them. unreadable: why the file could not be read, "" if it could.
    """

    def __init__(
        self, config_path: str, around: str, release: tuple[int, ...] | None, edited: str | None = None
    ) -> None:
        """around: the folder that findings point to where there is no file. edited: a text that stands for the file's,
        Latin-1."""
        self.config_path = config_path
        self.problems: list[Problem] = []
        self.server: list[ServerLine] = []
        self.unreadable = ""
        self.config: Any = None
        self._around = around
        self._text = ""
        self._document: Document | None = None
        self._unknown: list[Path] = []
        if config_path:
            try:
                self._text = read_text(config_path) if edited is None else edited
            except OSError as error:
                self.unreadable = error.strerror or str(error)
        self._bind(release)

    def _bind(self, release: tuple[int, ...] | None) -> None:
        document = parse(self._text)
        binding = bind(document, release)
        problems = document.problems + binding.problems
        if problems:
            self.server = server_lines(document, problems)
            document, binding, problems = _lenient(self._text, release, problems)
            self.problems = sorted(problems, key=lambda problem: (problem.start, problem.layer))
        self.config = binding.message
        self._unknown = binding.unknown
        if problems:
            self._document = document

    @property
    def text(self) -> str:
        """The file as Latin-1, one character a byte."""
        return self._text

    @property
    def document(self) -> Document:
        """The tree, read again if it was dropped."""
        if self._document is None:
            self._document = parse(self._text, lenient=bool(self.problems))
        return self._document

    def rest(self) -> None:
        """Drop the tree."""
        self._document = None

    def written(self, *path: str | int) -> bool:
        """Whether a field stands in the text: `model.written("optimization", "cuda", "graphs")`."""
        return self.document.find(path) is not None

    def unknown(self, *path: str | int) -> bool:
        """Whether the value at a path, or part of it, is hidden behind a placeholder or a fault."""
        return any(_overlap(path, hurt) for hurt in self._unknown)

    @property
    def broken(self) -> bool:
        """Whether the text has a fault, so that Triton will not read it."""
        return bool(self.problems or self.unreadable)

    def at(self, *path: str | int) -> Span:
        """The place of a field: a scalar's name and value, a block's name, a list's item.

        What is not written gives the nearest thing around it that is; a model without configuration, its folder.
        """
        if not self.config_path:
            return Span(self._around)
        document = self.document
        for end in range(len(path), 0, -1):
            node = document.find(path[:end])
            if node is None:
                continue
            if isinstance(node, Field):
                if isinstance(node.value, Scalar):
                    return self.span(*document.span(node))
                start = document.tokens.starts[node.token]
                return self.span(start, document.tokens.ends[node.token])
            start, stop = document.span(node)
            if isinstance(node, Message):
                stop = start + 1
            return self.span(start, stop)
        first = document.tokens.starts[0]
        return self.span(first, document.tokens.ends[0])

    def value_at(self, *path: str | int) -> Span:
        """The place of a scalar field's value alone; as `at` where there is none."""
        node = self.document.find(path) if self.config_path else None
        if isinstance(node, Field) and isinstance(node.value, Scalar):
            return self.span(*self.document.span(node.value))
        return self.at(*path)

    def deletion(self, *path: str | int) -> tuple[Edit, ...]:
        """What deletes every field at a path; nothing where it is not written or a comment would be lost."""
        ranges = removals(self.document, path) if self.config_path else []
        return tuple(Edit(self.config_path, start, end, "") for start, end in ranges)

    def entry_deletion(self, path: Path, key: str) -> tuple[Edit, ...]:
        """What deletes the last entry with a key of a map field; nothing where that cannot be done cleanly."""
        ranges = entry_removals(self.document, path, key) if self.config_path else []
        return tuple(Edit(self.config_path, start, end, "") for start, end in ranges)

    def insertion(self, path: tuple[str | int, ...], text: str) -> tuple[Edit, ...]:
        """What writes a text at the beginning of a message; nothing where that is not written."""
        node = self.document.find(path) if self.config_path else None
        message = node.value if isinstance(node, Field) else node
        if not isinstance(message, Message):
            return ()
        at = self.document.span(message)[0] + 1
        gap = "" if self.text[at : at + 1].isspace() else " "
        return (Edit(self.config_path, at, at, f" {text}{gap}"),)

    def span(self, start: int, end: int) -> Span:
        """Byte offsets as a place."""
        document = self.document
        line, column = document.position(start)
        end_line, end_column = document.position(end)
        return Span(self.config_path, line, column, end_line, end_column, start, end)


def read_text(path: str) -> str:
    """A configuration file as Latin-1. OSError for what is no regular file, too large, or cannot be read."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        kind = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}.get(stat.S_IFMT(status.st_mode), "not a regular file")
        raise OSError(0, kind)
    if status.st_size > SIZE_LIMIT:
        raise OSError(0, f"{status.st_size} bytes is no model configuration")
    with open(path, "rb") as file:
        return file.read().decode("latin-1")


def _lenient(
    text: str, release: tuple[int, ...] | None, strict: list[Problem]
) -> tuple[Document, Binding, list[Problem]]:
    """The reading for people of a text that Triton refuses."""
    document = parse(text, lenient=True)
    binding = bind(document, release)
    return document, binding, (document.problems + binding.problems) or strict


def _overlap(path: Path, hurt: Path) -> bool:
    """Whether one path lies in the other; an index left out on one side fits any."""
    left = tuple(step for step in path if isinstance(step, str))
    right = tuple(step for step in hurt if isinstance(step, str))
    shorter = min(len(left), len(right))
    return left[:shorter] == right[:shorter]
