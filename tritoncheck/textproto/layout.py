"""Where lines and brackets end, by the indexes of tokens: what a reading looks up before it guesses.

Every look-up costs little even in a text of a million tokens, whatever stands in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from tritoncheck.textproto.tokens import Tokens
from tritoncheck.textproto.tree import List, Message, Node

OPENERS, CLOSERS = ("{", "<", "["), ("}", ">", "]")
_FAR = 64  # tokens to look ahead for a `)`


class Layout:
    """The look-ups for one text."""

    def __init__(self, tokens: Tokens, text: str) -> None:
        self.tokens = tokens
        self.text = text

    def on_line(self, first: int, second: int) -> bool:
        """Whether the second of two tokens stands on the line of the first."""
        return self.text.find("\n", self.tokens.ends[first], self.tokens.starts[second]) < 0

    def last_on_line(self, first: int, last: int) -> int:
        """The last of some tokens that still stands on the line of the first."""
        line_end = self.text.find("\n", self.tokens.starts[first])
        return last if line_end < 0 else max(first, min(last, bisect_left(self.tokens.starts, line_end) - 1))

    def closing_parenthesis(self, index: int) -> int:
        """The `)` to a `(` of the same line, else the `(` itself."""
        last = self.last_on_line(index, min(index + _FAR, len(self.tokens.texts) - 1))
        return next((at for at in range(index, last + 1) if self.tokens.texts[at] == ")"), index)

    def end_of_container(self, index: int, closer: str) -> int:
        """Where the container that a token is in ends by `closer`, -1 if another bracket or the end comes first."""
        at = self._closers[index]
        return at if self.tokens.texts[at] == closer else -1

    def is_outdented(self, opener: int, index: int) -> bool:
        """Whether a token begins its line no further in than the line on which a container was opened."""
        starts = self.tokens.starts
        line = self._lines[bisect_right(self._lines, starts[index]) - 1]
        opening = self._lines[bisect_right(self._lines, starts[opener]) - 1]
        if opening == line or self.tokens.ends[index - 1] > line:
            return False
        return starts[index] - line <= starts[bisect_left(starts, opening)] - opening

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(at + 1 for at, char in enumerate(self.text) if char == "\n")]

    @cached_property
    def _closers(self) -> list[int]:
        """For each token the first closing bracket behind it that closes nothing opened behind it, -1 without one."""
        texts = self.tokens.texts
        found = [-1] * (len(texts) + 1)
        for index in range(len(texts) - 1, -1, -1):
            inner = found[index + 1]
            if texts[index] in CLOSERS:
                found[index] = index
            elif texts[index] in OPENERS:
                found[index] = found[inner + 1] if inner >= 0 else -1
            else:
                found[index] = inner
        return found


def message_around(root: Message, token: int) -> Message:
    """The innermost message around the place before a token."""
    message, node = root, _child(root, token)
    while node is not None:
        if isinstance(node, Message):
            message = node
        node = _child(node, token)
    return message


def _child(node: Message | List, token: int) -> Message | List | None:
    values: list[Node] = [entry.value for entry in node.fields] if isinstance(node, Message) else node.items
    at = bisect_right(values, token - 1, key=lambda value: value.first) - 1
    found = values[at] if at >= 0 else None
    return found if isinstance(found, Message | List) and token <= found.last else None
