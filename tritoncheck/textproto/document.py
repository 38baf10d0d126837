"""A text that has been read: its source, tokens, tree and problems, and the way from offsets to lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from tritoncheck.textproto.problem import Problem
from tritoncheck.textproto.strings import decode as decode
from tritoncheck.textproto.strings import unquote
from tritoncheck.textproto.tokens import Tokens
from tritoncheck.textproto.tree import Field, List, Message, Missing, Node, Scalar


class Position(NamedTuple):
    """A place in the text: line and column from 1, the column in characters."""

    line: int
    column: int


@dataclass(slots=True)
class Document:
    """One text with what was read from it.

    text: the bytes as Latin-1, one character a byte, so that offsets are byte offsets.
    problems: what the reading found, in the order of libprotobuf.
    """

    text: str
    tokens: Tokens
    root: Message
    problems: list[Problem]
    lenient: bool = False
    _lines: list[int] = field(default_factory=list, repr=False)
    _maps: dict[tuple[str | int, ...], dict[str, Node | Field]] = field(default_factory=dict, repr=False)

    @property
    def source(self) -> bytes:
        """The bytes that were read, unchanged."""
        return self.text.encode("latin-1")

    def pieces(self) -> list[str]:
        """The text cut at every token and comment; joined, it is the text again."""
        spans = sorted([*zip(self.tokens.starts, self.tokens.ends, strict=True), *self.tokens.comments])
        cut, at = [], 0
        for start, end in spans:
            cut += [self.text[at:start], self.text[start:end]]
            at = end
        return [piece for piece in cut if piece]

    def token(self, index: int) -> str:
        """The text of a token, as Latin-1; of full-width punctuation (lenient reading) the ASCII sign."""
        return self.tokens.texts[index]

    def span(self, node: Node | Field) -> tuple[int, int]:
        """Byte offsets of a node's first byte and behind its last; a field includes its name."""
        starts, ends = self.tokens.starts, self.tokens.ends
        if isinstance(node, Field):
            end = ends[node.last] if node.last > node.token else ends[node.token]
            return starts[node.token], end
        if isinstance(node, Missing):
            at = ends[node.last] if node.last >= 0 else 0
            return at, at
        if node.first < 0:
            return 0, len(self.text)
        return starts[node.first], ends[node.last]

    def _line_starts(self) -> list[int]:
        if not self._lines:
            starts, at = [0], self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._lines = starts
        return self._lines

    def line(self, number: int) -> str:
        """A line's text by its number from 1, decoded as UTF-8 with replacement, without its line break."""
        starts = self._line_starts()
        end = starts[number] if number < len(starts) else len(self.text)
        return decode(self.text[starts[number - 1] : end].rstrip("\r\n"))

    def position(self, offset: int) -> Position:
        """Line and column of a byte offset; the column counts characters."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return Position(line, len(decode(self.text[starts[line - 1] : offset])) + 1)

    def server_position(self, offset: int) -> Position:
        """Line and column as libprotobuf prints them: columns in bytes, a tab jumps to the next multiple of 8."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        column = 0
        for char in self.text[starts[line - 1] : offset]:
            column += 8 - column % 8 if char == "\t" else 1
        return Position(line, column + 1)

    def find(self, path: tuple[str | int, ...]) -> Node | Field | None:
        """The node of a field path such as `("input", 0, "dims", 1)`; None if it is not written.

        A name gives the field (the first, where it is repeated), an index the item counted over all blocks and
        lists of that name, and behind a map field a string is the key: the last entry with it.
        """
        found: list[Node | Field] = [self.root]
        named = False  # whether the step before was a name, so that this one may be a key
        for place, step in enumerate(path):
            if isinstance(step, int):
                items = [item for node in found for item in _items(node)]
                found = [items[step]] if -len(items) <= step < len(items) else []
                named = False
                continue
            keyed = self._entries(path[:place], found).get(step) if named else None
            if keyed is not None:
                found, named = [keyed], False
            else:
                found, named = [entry for node in found for entry in _fields(node) if entry.name == step], True
        return found[0] if found else None

    def _entries(self, path: tuple[str | int, ...], found: list[Node | Field]) -> dict[str, Node | Field]:
        """The map entries that were found at a path, by key, of several the last: entries of their own, or items of
        lists of entries. Read once, since a rule may ask for each of thousands."""
        known = self._maps.get(path)
        if known is None:
            known = self._maps[path] = {}
            for node in found:
                value = node.value if isinstance(node, Field) else node
                entries: list[Node] | list[Node | Field] = value.items if isinstance(value, List) else [node]
                for entry in entries:
                    keys = [one.value for one in _fields(entry) if one.name == "key" and isinstance(one.value, Scalar)]
                    known.update((self.string(key), entry) for key in keys)
        return known

    def string(self, scalar: Scalar) -> str:
        """The text of a string value: escapes resolved, adjacent strings joined, decoded as UTF-8."""
        parts = [self.token(index) for index in range(scalar.first, scalar.last + 1)]
        return unquote(parts).decode("utf-8", "replace")


def _items(node: Node | Field) -> list[Node]:
    value = node.value if isinstance(node, Field) else node
    return value.items if isinstance(value, List) else [value]


def _fields(node: Node | Field) -> list[Field]:
    value = node.value if isinstance(node, Field) else node
    return value.fields if isinstance(value, Message) else []
