"""YAML with places: values as text, each with where it stands. Reads what anybody may have written, and builds nothing.

Scalars stay text, since `no`, `8000:8000` and `1e3` mean different things to Docker, Kubernetes and YAML 1.1. Tags are
kept as names and never acted on. Aliases share one node, `<<` is resolved. A text that is too large, too deep, or that
unfolds into too much is refused with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tritoncheck.deployment.lines import Lines
from tritoncheck.rule import Span

# A compose file or a manifest of one server has some hundred values. What is above these is refused: reading is slow.
MOST_VALUES = 8_000  # written in one document
MOST_UNFOLDED = 50_000  # once its aliases are followed
MOST_NESTED = 60
MOST_CHARACTERS = 256 * 1024  # of one document

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "yes", "on", "y"))
_FALSE = frozenset(("false", "no", "off", "n"))
_MARK = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_EMPTY = re.compile(r"(?:(?:---)?[ \t]*(?:[#%][^\n]*)?\r?(?:\n|\Z))*")  # comments and directives only


class YamlError(ValueError):
    """A text that cannot be read as YAML; `span` is where."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


@dataclass(slots=True, eq=False)
class Node:
    """A value. `value`: text, a list or a mapping by key. plain: a text without quotes. tag: `!reset` and the like, ""
    without one. keys: where each key of a mapping stands. unfolded: how many values it holds, aliases followed."""

    value: str | list[Node] | dict[str, Node]
    span: Span
    plain: bool = False
    tag: str = ""
    keys: dict[str, Span] = field(default_factory=dict)
    unfolded: int = 1

    @property
    def text(self) -> str:
        """A scalar's text; "" for anything else and for null."""
        return self.value if isinstance(self.value, str) and not self.null else ""

    @property
    def null(self) -> bool:
        """Whether it is no value at all."""
        return self.plain and isinstance(self.value, str) and self.value in _NULLS

    @property
    def items(self) -> dict[str, Node]:
        """A mapping's values by key; none for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def entries(self) -> list[Node]:
        """A list's values; none for anything else."""
        return self.value if isinstance(self.value, list) else []

    @property
    def is_scalar(self) -> bool:
        """Whether it is a text that is not null."""
        return isinstance(self.value, str) and not self.null

    @property
    def boolean(self) -> bool | None:
        """A truth value, None where it is none."""
        word = self.text.lower()
        return True if word in _TRUE else False if word in _FALSE else None

    @property
    def number(self) -> float | None:
        """A number, None where it is none; whole ones are exact."""
        if re.fullmatch(r"[+-]?\d{1,15}", self.text):
            return int(self.text)
        return float(self.text) if re.fullmatch(r"[+-]?(\d{1,15}\.?\d*|\.\d+)(e[+-]?\d{1,2})?", self.text) else None

    def get(self, *path: str) -> Node | None:
        """The value at a path of keys, None where a step is missing or no mapping."""
        node: Node | None = self
        for step in path:
            node = node.items.get(step) if node is not None else None
        return node

    def place(self, *path: str) -> Span:
        """Where the value at a path stands: key and value of a short one, the key of a block, and the nearest thing
        around it where the path ends early."""
        node, found = self, self.span
        for step in path:
            inner = node.items.get(step)
            if inner is None:
                break
            key = node.keys.get(step, inner.span)
            joined = inner.is_scalar and key.path == inner.span.path and key.line == inner.span.end_line
            found = key._replace(end_column=inner.span.end_column, end=inner.span.end) if joined else key
            node = inner
        return found


def read_documents(text: str, path: str, wanted: Callable[[str], bool] | None = None) -> list[Node]:
    """The documents of a text, empty ones left out. YamlError where one is no YAML.

    wanted: says by its text which document is of use; the others are not read, whatever they hold.
    """
    lines = Lines(text, path)
    cuts = [0, *(found.start() for found in _MARK.finditer(text) if found.start()), len(text)]
    found = []
    for start, end in pairwise(cuts):
        part = text[start:end]
        if not _EMPTY.fullmatch(part) and (wanted is None or wanted(part)):
            found += _Builder(lines, start).documents(part)
    return found


class _Builder:
    """One part of a text, from events to nodes."""

    def __init__(self, lines: Lines, offset: int) -> None:
        self.lines = lines
        self.offset = offset
        self.written = 0
        self.anchors: dict[str, Node | None] = {}
        self.events: Iterator[Any] = iter(())

    def fail(self, message: str, start: int, end: int | None = None) -> YamlError:
        """The error for a place in this part."""
        stop = start + 1 if end is None else end
        size = len(self.lines.text)
        return YamlError(message, self.lines.span(min(start + self.offset, size), min(stop + self.offset, size)))

    def documents(self, part: str) -> list[Node]:
        """All documents of the part: one, unless `...` ends one early."""
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError
        from ruamel.yaml.reader import ReaderError

        if len(part) > MOST_CHARACTERS:
            raise self.fail(f"a document of {len(part)} characters is too large to be read", 0)
        self.events = iter(YAML(typ="safe", pure=True).parse(part))
        found = []
        try:
            for event in self.events:
                kind = type(event).__name__
                if kind == "DocumentStartEvent":
                    self.anchors = {}
                    found.append(self.node(next(self.events), 0))
        except ReaderError as error:
            character = part[error.position] if error.position < len(part) else ""
            raise self.fail(f"control character {character!r}", error.position) from None
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self.fail(str(error.problem or error.context), mark.index if mark else 0) from None
        except YAMLError as error:
            raise self.fail(str(error).partition("\n")[0], 0) from None
        return [one for one in found if not one.null]

    def span(self, event: Any, end: Any = None) -> Span:
        """From the start of one event to the end of another."""
        return self.lines.span(event.start_mark.index + self.offset, (end or event).end_mark.index + self.offset)

    def node(self, event: Any, depth: int) -> Node:
        """The value that begins with an event."""
        start, kind = event.start_mark.index, type(event).__name__
        self.written += 1
        if self.written > MOST_VALUES:
            raise self.fail(f"more than {MOST_VALUES} values in one document", start)
        if depth > MOST_NESTED:
            raise self.fail(f"nested more than {MOST_NESTED} levels deep", start)
        if kind == "AliasEvent":
            return self.alias(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        tag = str(event.tag or "").removeprefix("tag:yaml.org,2002:")
        if kind == "ScalarEvent":
            if "\0" in event.value:  # written as an escape; no path, word or variable may hold it
                raise self.fail("a null character", start)
            end = event.start_mark.index + len(self.raw(event).rstrip())
            span = self.lines.span(start + self.offset, max(start, end) + self.offset)
            node = Node(event.value, span, event.implicit[0] and event.style is None, tag)
        elif kind == "SequenceStartEvent":
            node = self.sequence(event, depth)
        else:
            node = self.mapping(event, depth)
        node.tag = tag
        if node.unfolded > MOST_UNFOLDED:
            raise self.fail(f"its aliases unfold into more than {MOST_UNFOLDED} values", start)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def raw(self, event: Any) -> str:
        """The text of an event as written."""
        return self.lines.text[event.start_mark.index + self.offset : event.end_mark.index + self.offset]

    def alias(self, event: Any) -> Node:
        """What an alias stands for, at the alias' place."""
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor not in self.anchors:
            raise self.fail(f"the alias `*{event.anchor}` has no anchor before it", start, end)
        meant = self.anchors[event.anchor]
        if meant is None:
            raise self.fail(f"the alias `*{event.anchor}` lies inside what it stands for", start, end)
        return Node(meant.value, self.span(event), meant.plain, meant.tag, meant.keys, meant.unfolded)

    def sequence(self, event: Any, depth: int) -> Node:
        """A list."""
        values: list[Node] = []
        for inner in self.events:
            if type(inner).__name__ == "SequenceEndEvent":
                break
            values.append(self.node(inner, depth + 1))
        return Node(values, self.span(event), unfolded=1 + sum(one.unfolded for one in values))

    def mapping(self, event: Any, depth: int) -> Node:
        """A mapping, what `<<` brings behind its own keys."""
        values: dict[str, Node] = {}
        keys: dict[str, Span] = {}
        merged: list[Node] = []
        count = 1
        for inner in self.events:
            if type(inner).__name__ == "MappingEndEvent":
                break
            name = self.node(inner, depth + 1)
            value = self.node(next(self.events), depth + 1)
            count += name.unfolded + value.unfolded
            if not isinstance(name.value, str):
                raise YamlError("a key that is a list or a mapping", name.span)
            if name.value == "<<" and name.plain:
                merged += value.entries or [value]
            elif name.value in values:
                raise YamlError(f"the key `{name.value}` stands twice in one mapping", name.span)
            else:
                values[name.value], keys[name.value] = value, name.span
        for one in merged:
            if not isinstance(one.value, dict):
                raise YamlError("`<<` takes a mapping or a list of mappings", one.span)
            for key, value in one.items.items():
                if key not in values:
                    values[key], keys[key] = value, one.keys[key]
        return Node(values, self.span(event), keys=keys, unfolded=count)
