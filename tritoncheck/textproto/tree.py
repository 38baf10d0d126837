"""The tree of a text: fields, messages, lists and scalars, each by the indexes of its tokens.

Nodes hold token indexes instead of text, so that a tree of thousands of nodes stays small and every span is
exact. `Document` turns indexes into offsets, lines and columns.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Scalar:
    """A number, identifier, string (adjacent ones joined) or unfilled hole: tokens `first`..`last`, inclusive."""

    first: int
    last: int


@dataclass(slots=True)
class Missing:
    """The place where a value is due and none stands: before token `first`."""

    first: int

    @property
    def last(self) -> int:
        """The last token before the gap."""
        return self.first - 1


@dataclass(slots=True)
class Message:
    """`{ … }` or `< … >`; the root has `first` = -1. `last` is the closing token, or the last one read.

    damaged: something in it could not be read, so a field that seems absent may have been there.
    """

    first: int
    last: int
    fields: list[Field]
    damaged: bool = False


@dataclass(slots=True)
class List:
    """`[ … ]` with its items."""

    first: int
    last: int
    items: list[Node]


@dataclass(slots=True)
class Field:
    """`name: value`. `token` is the index of the name; `colon` says whether a `:` followed it."""

    name: str
    token: int
    colon: bool
    value: Node

    @property
    def last(self) -> int:
        """Index of the last token of the value."""
        return self.value.last


Node = Scalar | Message | List | Missing
