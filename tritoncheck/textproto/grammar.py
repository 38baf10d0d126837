"""Tokens to a tree, exactly as far as libprotobuf's `TextFormat::Parser` reads them.

This reading segments a text as that parser does and stops at its first grammatical fault, so it decides whether
Triton accepts a text. `recovery` is the reading for people.

Whether a `:` may be left out, or a value fits its field, depends on the field's type: that is the binder's work
(`tritoncheck.schema.bind`), so a missing value is a `Missing` node here and no fault.
"""

from __future__ import annotations

from tritoncheck.textproto.problem import Problem
from tritoncheck.textproto.tokens import END, FLOAT, HOLE, IDENTIFIER, INTEGER, STRING, SYMBOL, Tokens
from tritoncheck.textproto.tree import Field, List, Message, Missing, Node, Scalar

CLOSER = {"{": "}", "<": ">", "[": "]"}
_SEPARATORS = (",", ";")
STOP = -1  # in place of the index of the next token


class Reader:
    """The state of one reading: the containers that are open, the innermost last."""

    def __init__(self, tokens: Tokens, root: Message) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.root = root
        self.stack: list[Message | List] = [root]
        self.closed = False  # whether a container has just ended

    def read(self) -> None:
        """Read all tokens; the innermost open container decides what is due."""
        stack, index, more = self.stack, 0, True
        while index != STOP:
            top = stack[-1]
            if self.closed:
                self.closed = False
                if type(top) is Message:
                    index = self.separator(index)
                else:
                    index, more = self.after_item(top, index)  # type: ignore[arg-type]
                    if not more:
                        continue
            index = self.fields(top, index) if type(top) is Message else self.items(top, index)  # type: ignore[arg-type]

    def fields(self, top: Message, index: int) -> int:
        """Read fields of `top` until a container opens or closes; the next token's index."""
        kinds, texts, fields = self.kinds, self.texts, top.fields
        while kinds[index] == IDENTIFIER:
            at = index + 1
            colon = texts[at] == ":"
            if colon:
                at += 1
            kind = kinds[at]
            if kind < STRING or kind == STRING and kinds[at + 1] != STRING:
                fields.append(Field(texts[index], index, colon, Scalar(at, at)))
                index = at + 1
            else:
                value, after = self.value(at)
                fields.append(Field(texts[index], index, colon, value))
                if type(value) is Message or type(value) is List:
                    self.open(value)
                    return after
                index = after
            if texts[index] in _SEPARATORS:
                index += 1
        return self.no_name(top, index)

    def value(self, at: int) -> tuple[Node, int]:
        """The value that begins at token `at`, and the token behind what was read of it."""
        kinds = self.kinds
        kind = kinds[at]
        if kind < STRING or kind == HOLE:
            return Scalar(at, at), at + 1
        if kind == STRING:
            last = at
            while kinds[last + 1] == STRING:
                last += 1
            return Scalar(at, last), last + 1
        if kind == SYMBOL:
            char = self.texts[at]
            if char == "{" or char == "<":
                return Message(at, at, []), at + 1
            if char == "[":
                return List(at, at, []), at + 1
            if char == "-":
                last = at + 1 if kinds[at + 1] in (IDENTIFIER, INTEGER, FLOAT) else at
                return Scalar(at, last), last + 1
        return Missing(at), at

    def items(self, top: List, index: int) -> int:
        """Read items of a list until a container opens or closes."""
        if self.texts[index] == "]" and not top.items:
            return self.close(index)
        while True:
            value, index = self.value(index)
            top.items.append(value)
            if type(value) is Message or type(value) is List:
                self.open(value)
                return index
            index, more = self.after_item(top, index)
            if not more:
                return index

    def after_item(self, top: List, index: int) -> tuple[int, bool]:
        """Behind an item stands `,` or `]`. The next token, and whether another item of this list is due."""
        text = self.texts[index]
        if text == ",":
            return index + 1, True
        if text == "]":
            return self.close(index), False
        return self.no_comma(top, index)

    def separator(self, index: int) -> int:
        """Behind a field one `,` or `;` may stand."""
        return index + 1 if self.texts[index] in _SEPARATORS else index

    def open(self, node: Message | List) -> None:
        """Go into a container."""
        self.stack.append(node)

    def close(self, last: int) -> int:
        """End the innermost container at token `last`; the next token."""
        self.stack.pop().last = last
        self.closed = True
        return last + 1

    def no_name(self, top: Message, index: int) -> int:
        """No name where a field is due: the container ends, or something is wrong."""
        text = self.texts[index]
        if top is not self.root:
            wanted = CLOSER[self.texts[top.first]]
            if text == wanted:
                return self.close(index)
            if text in ("}", ">"):
                return self.fault(
                    index, f'Expected "{wanted}", found "{text}".', f"`{wanted}` is due here, not `{text}`"
                )
        elif self.kinds[index] == END:
            return STOP
        if text == "[":
            return self.fault(*self.extension(index), "a model configuration has no extensions")
        return self.fault(index, f"Expected identifier, got: {text}", f"a field's name is due here, not `{text}`")

    def no_comma(self, top: List, index: int) -> tuple[int, bool]:
        """Neither `,` nor `]` behind a list item."""
        server = f'Expected ",", found "{self.texts[index]}".'
        return self.fault(index, server, "a list item must be followed by `,` or `]`"), False

    def extension(self, index: int) -> tuple[int, str]:
        """`[name.of.extension]` is text format, but ModelConfig has no extension and no `Any`.

        The token at which libprotobuf sees that, and what it says.
        """
        kinds, texts, at = self.kinds, self.texts, index
        while at == index or texts[at] == ".":
            at += 1
            if kinds[at] != IDENTIFIER:
                return at, f"Expected identifier, got: {texts[at]}"
            at += 1
        if texts[at] != "]":
            return at, f'Expected "]", found "{texts[at]}".'
        name = "".join(texts[index + 1 : at])
        return at + 1, f'Extension "{name}" is not defined or is not an extension of'

    def fault(self, index: int, server: str, message: str) -> int:
        """Record what ends the reading, at token `index`."""
        start, end = self.tokens.starts[index], self.tokens.ends[index]
        self.tokens.faults.kept.append(Problem("syntax", start, end, message, token=index, server_text=server))
        for node in self.stack:
            node.last = max(node.first, index - 1)
            if type(node) is Message:
                node.damaged = True
        return STOP
