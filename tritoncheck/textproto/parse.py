"""Tokens to a tree.

Two readings of one grammar. The strict one segments a text exactly as libprotobuf's `TextFormat::Parser` does and
stops at its first grammatical fault, as that parser would: it decides whether Triton accepts a text. The lenient
one is for people: it reports every fault, guesses what was meant, and goes on behind it.

Whether a `:` may be left out, or a value fits its field, depends on the field's type: that is the binder's work
(`tritoncheck.schema.bind`), so a missing value is a `Missing` node here and no fault.
"""

from __future__ import annotations

from tritoncheck.textproto.document import Document
from tritoncheck.textproto.lex import END, HOLE, IDENTIFIER, STRING, SYMBOL, lex
from tritoncheck.textproto.problem import Problem
from tritoncheck.textproto.tree import Field, List, Message, Missing, Node, Scalar

_CLOSER = {"{": "}", "<": ">", "[": "]"}


def parse(source: bytes | str, lenient: bool = False) -> Document:
    """Read a text. Never raises: what is wrong stands in `Document.problems`.

    source: the bytes of the file, or a `str` that was decoded as Latin-1.
    lenient: report every fault and recover, instead of stopping where libprotobuf does.
    """
    text = source if isinstance(source, str) else source.decode("latin-1")
    tokens = lex(text, lenient)
    root = Message(-1, len(tokens.kinds) - 1, [])
    document = Document(text, tokens, root, [], lenient)
    reader = _Reader(document, lenient)
    reader.read()
    document.problems = tokens.problems + reader.problems
    return document


class _Reader:
    """The state of one reading: the open messages and lists, and the faults so far."""

    def __init__(self, document: Document, lenient: bool) -> None:
        self.document = document
        self.lenient = lenient
        self.problems: list[Problem] = []
        self.stack: list[Message | List] = [document.root]
        self.closed = False  # whether a container has just ended
        self.waiting = {"}": 0, ">": 0, "]": 0}  # open containers by the symbol that will close them

    def read(self) -> None:
        """Read all tokens; the open container at the top of the stack decides what is due."""
        stack, index, more = self.stack, 0, True
        while index >= 0:
            top = stack[-1]
            if self.closed:
                self.closed = False
                if isinstance(top, Message):
                    index = self._separator(index)
                else:
                    index, more = self._after_item(top, index)
                    if not more:
                        continue
            index = self._field(top, index) if isinstance(top, Message) else self._item(top, index)

    def _open(self, node: Message | List) -> None:
        self.stack.append(node)
        self.waiting[self._closer(node)] += 1

    def _end(self, node: Message | List, last: int, after: int) -> int:
        """End the innermost container, `node`, at token `last`; the next token to read."""
        self.stack.pop()
        self.waiting[self._closer(node)] -= 1
        node.last = last
        self.closed = True
        return after

    def _closer(self, node: Message | List) -> str:
        return _CLOSER[self.document.text[self.document.tokens.starts[node.first]]]

    def _field(self, top: Message, index: int) -> int:
        """Read fields of `top` until a container opens or closes; the next token's index, -1 at the end."""
        tokens = self.document.tokens
        kinds, starts, text = tokens.kinds, tokens.starts, self.document.text
        ends, fields = tokens.ends, top.fields
        while True:
            if kinds[index] != IDENTIFIER:
                return self._no_name(top, index)
            name, at = text[starts[index] : ends[index]], index + 1
            colon = kinds[at] == SYMBOL and text[starts[at]] == ":"
            if colon:
                at += 1
            elif self.lenient and self._is_full_width_colon(at):
                colon, at = True, at + 1
            value, after = self._value(at)
            fields.append(Field(name, index, colon, value))
            if type(value) is Message or type(value) is List:
                self._open(value)
                return after
            index = self._separator(after)

    def _value(self, at: int) -> tuple[Node, int]:
        """The value that begins at token `at`, and the token behind what was read of it."""
        tokens = self.document.tokens
        kinds = tokens.kinds
        kind = kinds[at]
        if kind == SYMBOL:
            char = self.document.text[tokens.starts[at]]
            if char in "{<":
                return Message(at, at, []), at + 1
            if char == "[":
                return List(at, at, []), at + 1
            if char == "-":
                last = at + 1 if kinds[at + 1] not in (SYMBOL, STRING, END) else at
                return Scalar(at, last), last + 1
            return Missing(at), at
        if kind == STRING:
            last = at
            while kinds[last + 1] == STRING:
                last += 1
            return Scalar(at, last), last + 1
        if kind == END or (self.lenient and kind == IDENTIFIER and self._begins_field(at)):
            return Missing(at), at
        return Scalar(at, at), at + 1

    def _begins_field(self, at: int) -> bool:
        """Whether the identifier at token `at` is the next field's name rather than a value."""
        return self._symbol(at + 1) in (":", "{", "[", "<") or self._is_full_width_colon(at + 1)

    def _separator(self, index: int) -> int:
        """Behind a field one `,` or `;` may stand."""
        tokens = self.document.tokens
        if tokens.kinds[index] == SYMBOL and self.document.text[tokens.starts[index]] in ",;":
            return index + 1
        return index

    def _symbol(self, index: int) -> str:
        tokens = self.document.tokens
        return self.document.text[tokens.starts[index]] if tokens.kinds[index] == SYMBOL else ""

    def _is_full_width_colon(self, index: int) -> bool:
        return self._symbol(index) != "" and self.document.token(index) == "：".encode().decode("latin-1")

    def _no_name(self, top: Message, index: int) -> int:
        """No name where a field is due: the container ends, or something is wrong."""
        kind, symbol = self.document.tokens.kinds[index], self._symbol(index)
        if kind == END:
            if top is not self.document.root:
                self._unclosed(index)
            return -1
        if symbol and symbol in "}>" and top is not self.document.root:
            wanted = self._closer(top)
            if symbol == wanted:
                return self._end(top, index, index + 1)
            return self._wrong_closer(top, index, symbol, wanted)
        if symbol == "[":
            return self._extension(top, index)
        return self._stray(top, index)

    def _item(self, top: List, index: int) -> int:
        """Read items of a list until a container opens or closes."""
        while True:
            symbol = self._symbol(index)
            if symbol == "]" and not top.items:
                return self._end(top, index, index + 1)
            value, index = self._value(index)
            top.items.append(value)
            if type(value) is Message or type(value) is List:
                self._open(value)
                return index
            index, more = self._after_item(top, index)
            if not more:
                return index

    def _after_item(self, top: List, index: int) -> tuple[int, bool]:
        """Behind an item stands `,` or `]`. The next token, and whether another item of this list is due."""
        symbol = self._symbol(index)
        if symbol == ",":
            return index + 1, True
        if symbol == "]":
            return self._end(top, index, index + 1), False
        found = self.document.token(index)
        server = f'Expected ",", found "{found}".'
        kind = self.document.tokens.kinds[index]
        if not self.lenient or kind == END:
            if kind == END:
                self._unclosed(index, server)
            else:
                self._problem(index, "a list item must be followed by `,` or `]`", server)
            return -1, False
        if (symbol and symbol in "}>;") or (kind == IDENTIFIER and self._begins_field(index)):
            opener = self.document.span(top)[0]
            self._problem(index, "the list is not closed before this", server, "close it with `]`", opener)
            return self._end(top, index - 1, index), False
        if symbol and symbol not in "{<[-":
            self._problem(index, f"`{found}` in a list", server)
            return index + 1, True
        previous_end = self.document.tokens.ends[index - 1]
        self._problem(index, "two list items without a `,` between them", server, "put a `,` between them")
        self.problems[-1].start = self.problems[-1].end = previous_end
        return index, True

    def _extension(self, top: Message, index: int) -> int:
        """`[name.of.extension]`: valid text format, but ModelConfig has no extensions and no `Any`."""
        at, server = index + 1, ""
        if self.document.tokens.kinds[at] != IDENTIFIER:
            server = f"Expected identifier, got: {self.document.token(at)}"
        else:
            at += 1
            while not server and self._symbol(at) == ".":
                at += 1
                if self.document.tokens.kinds[at] != IDENTIFIER:
                    server = f"Expected identifier, got: {self.document.token(at)}"
                else:
                    at += 1
        if not server and self._symbol(at) != "]":
            server = f'Expected "]", found "{self.document.token(at)}".'
        if not server:
            name = "".join(self.document.token(i) for i in range(index + 1, at))
            at += 1
            server = f'Extension "{name}" is not defined or is not an extension of'
        self._problem(at, "a model configuration has no extensions: a field's name is due here", server)
        self.problems[-1].start = self.document.tokens.starts[index]
        if not self.lenient:
            return -1
        top.damaged = True
        return self._skip(index + 1)

    def _stray(self, top: Message, index: int) -> int:
        """Something that is no field name."""
        found = self.document.token(index)
        kind, tokens = self.document.tokens.kinds[index], self.document.tokens
        server = f"Expected identifier, got: {found}"
        top.damaged = True
        if not self.lenient:
            self._problem(index, f"a field's name is due here, not `{found}`", server)
            return -1
        if kind == HOLE:
            self._problem(index, f"`{found}` is not filled in: one or more fields are due here", server)
            self.problems[-1].kind = "placeholder"
            return self._separator(index + 1)
        if found in ("}", ">", "]") and top is not self.document.root and self._closes_outer(found):
            inner = self.document.token(top.first)
            opener = tokens.starts[top.first]
            advice = f"close it with `{_CLOSER[inner]}`"
            self._problem(index, f"the `{inner}` is not closed before this", server, advice, opener)
            return self._end(top, index - 1, index)
        if found in ("}", ">", "]"):
            self._problem(index, f"`{found}` closes nothing", server, "delete it")
            return self._separator(index + 1)
        if found in (",", ";"):
            self._problem(index, f"a second or leading `{found}`", server, "delete it")
            top.damaged = False
            return index + 1
        self._problem(index, f"a field's name is due here, not `{found}`", server)
        after = self._skip(index)
        self.problems[-1].end = max(tokens.ends[after - 1], tokens.ends[index])
        return after

    def _closes_outer(self, symbol: str) -> bool:
        """Whether some container further out than the innermost is waiting for this closer."""
        return self.waiting[symbol] > (self._closer(self.stack[-1]) == symbol)

    def _wrong_closer(self, top: Message, index: int, symbol: str, wanted: str) -> int:
        opener = self.document.tokens.starts[top.first]
        server = f'Expected "{wanted}", found "{symbol}".'
        self._problem(index, f"`{wanted}` is due here, not `{symbol}`", server, f"write `{wanted}`", opener)
        if not self.lenient:
            return -1
        if self._closes_outer(symbol):
            return self._end(top, index - 1, index)
        return self._end(top, index, index + 1)

    def _unclosed(self, index: int, server: str = "Expected identifier, got: ") -> None:
        """The text ends inside containers: one fault, at the innermost that is open."""
        top = self.stack[-1]
        opener = self.document.token(top.first)
        start = self.document.tokens.starts[top.first]
        extra = len(self.stack) - 2
        more = f" (nor are {extra} around it)" if extra > 1 else " (nor is the one around it)" if extra else ""
        message = f"this `{opener}` is never closed{more}"
        self._problem(index, message, server, f"close it with `{_CLOSER[opener]}`")
        self.problems[-1].start, self.problems[-1].end = start, start + 1
        for node in self.stack:
            node.last = max(node.first, index - 1)
            if type(node) is Message:
                node.damaged = True

    def _skip(self, index: int) -> int:
        """The next token at which a field may begin or a container end; balanced braces are stepped over."""
        kinds, depth = self.document.tokens.kinds, 0
        while kinds[index] != END:
            symbol = self._symbol(index)
            if symbol and symbol in "{<[":
                depth += 1
            elif symbol and symbol in "}>]":
                if not depth:
                    return index
                depth -= 1
                if not depth:
                    return self._separator(index + 1)
            elif not depth and kinds[index] == IDENTIFIER and self._begins_field(index):
                return index
            index += 1
        return index

    def _problem(self, index: int, message: str, server: str, advice: str = "", related: int | None = None) -> None:
        tokens = self.document.tokens
        start, end = tokens.starts[index], tokens.ends[index]
        second = () if related is None else ((related, related + 1, "opened here"),)
        self.problems.append(
            Problem(
                "syntax",
                start,
                end,
                message,
                advice,
                token=index,
                server_text=server,
                layer=2,
                related=second,
            )
        )
