"""Tokens to a tree, the way a person means them: every mistake is said once, and the reading goes on behind it.

A mistake is said where it must be mended, which is seldom where it is noticed: a bracket that is never closed swallows
the rest of a file, so where one is missing the lines' indentation says which block was meant to end.
"""

from __future__ import annotations

from tritoncheck.textproto.brackets import Brackets
from tritoncheck.textproto.grammar import CLOSER, STOP
from tritoncheck.textproto.layout import CLOSERS, OPENERS, Layout, message_around
from tritoncheck.textproto.leniency import lex_leniently
from tritoncheck.textproto.strings import decode, unquote
from tritoncheck.textproto.tokens import END, FLOAT, HOLE, IDENTIFIER, INTEGER, STRING, SYMBOL, Tokens
from tritoncheck.textproto.tree import Field, List, Message, Missing, Node, Scalar

_MEANT = frozenset(",;:{}[]<>=")  # symbols that mean something of their own, even where they are wrong


def recover(text: str) -> tuple[Tokens, Message]:
    """The tokens and the tree of a text; every fault is in the tokens' faults."""
    reader = _read(text, by_indentation=False)
    if reader.unclosed:
        second = _read(text, by_indentation=True)
        if not second.unclosed and len(second.tokens.faults.kept) <= len(reader.tokens.faults.kept):
            reader = second
    for gap in reader.tokens.gaps:
        message_around(reader.root, gap).damaged = True
    return reader.tokens, reader.root


def _read(text: str, by_indentation: bool) -> Recovery:
    tokens = lex_leniently(text)
    reader = Recovery(tokens, Message(-1, len(tokens.kinds) - 1, []), Layout(tokens, text), by_indentation)
    reader.read()
    return reader


class Recovery(Brackets):
    """A reading that goes on behind every fault. by_indentation: whether indentation tells where blocks end."""

    def __init__(self, tokens: Tokens, root: Message, layout: Layout, by_indentation: bool) -> None:
        super().__init__(tokens, root, layout)
        self.by_indentation = by_indentation

    def fields(self, top: Message, index: int) -> int:
        kinds, texts = self.kinds, self.texts
        while kinds[index] == IDENTIFIER or kinds[index] == STRING and texts[index + 1] == ":":
            if self.by_indentation and top is not self.root and self.layout.is_outdented(top.first, index):
                return self.close_before(index)
            name, at = texts[index], index + 1
            if kinds[index] == STRING:
                name = unquote([name]).decode("utf-8", "replace")
                self.report(index, index, f"a field's name in quotes: `{decode(texts[index])}`", f"write `{name}`")
            else:
                at = self._end_of_word(index, is_name=True) + 1
                name = "".join(texts[index:at])
            colon = texts[at] == ":"
            if colon:
                at += 1
            while texts[at] in (":", "="):
                second = "a second `:`" if texts[at] == ":" else "`=` between a field's name and its value"
                self.report(at, at, second, "delete it" if colon else "write `:`")
                colon, at = True, at + 1
            value, after = self.value(at)
            if not colon and kinds[at] == IDENTIFIER and not self.layout.on_line(index, at):
                value, after = Missing(at), at
            top.fields.append(Field(name, index, colon, value))
            if type(value) is Message or type(value) is List:
                self.open(value)
                return after
            index = self.separator(after)
        return self.no_name(top, index)

    def value(self, at: int) -> tuple[Node, int]:
        """As in the grammar; what touches a scalar without meaning anything of its own is part of it."""
        if self._begins_field(at):
            return Missing(at), at
        value, after = super().value(at)
        if type(value) is Missing and self.kinds[at] == SYMBOL and self.texts[at] not in _MEANT:
            value = Scalar(at, self.layout.closing_parenthesis(at) if self.texts[at] == "(" else at)
        if type(value) is Scalar:
            value.last = self._end_of_word(value.last)
            after = value.last + 1
        return value, after

    def _end_of_word(self, last: int, is_name: bool = False) -> int:
        """The last token of what touches a token without meaning anything of its own: `a-b`, `/models/a`."""
        starts, ends, kinds = self.tokens.starts, self.tokens.ends, self.kinds
        while starts[last + 1] == ends[last] and kinds[last + 1] != END and self.texts[last + 1] not in _MEANT:
            if kinds[last + 1] == STRING if is_name else self._begins_field(last + 1):
                break
            last += 1
        return last

    def items(self, top: List, index: int) -> int:
        texts = self.texts
        while True:
            text = texts[index]
            if text == "]":
                if top.items and not self.tokens.gaps:
                    self.report(index - 1, index - 1, "a `,` behind the last item of a list", "delete it", seen=index)
                return self.close(index)
            if text == ",":
                self.report(index, index, "a `,` without a list item before it", "delete it")
                index += 1
                continue
            if not top.items and self._begins_field(index) and (end := self.layout.end_of_container(index, "]")) >= 0:
                message = f"an item is due in this list, not the field `{texts[index]}`"
                self.report(index, index, message, "put the fields of each item into `{ … }`")
                self.innermost().damaged = True
                return self.close(end)
            value, after = self.value(index)
            more = True
            if type(value) is Missing:
                index, more = self.no_comma(top, index)
            else:
                top.items.append(value)
                if type(value) is Message or type(value) is List:
                    self.open(value)
                    return after
                index, more = self.after_item(top, after)
            if not more:
                return index

    def no_comma(self, top: List, index: int) -> tuple[int, bool]:
        kinds, texts = self.kinds, self.texts
        text = texts[index]
        while text in ("}", ">"):
            before = len(self.stack)
            index = self.wrong_closer(index, text, "]")
            if len(self.stack) < before:
                return index, False
            text = texts[index]
            if text in (",", "]"):
                return self.after_item(top, index)
        if kinds[index] == END:
            return self.end_of_text(index), False
        if self._begins_field(index):
            return self.close_before(index), False
        if text == ";":
            self.report(index, index, "`;` between list items", "write `,`")
            return index + 1, True
        if text in (":", "="):
            self.report(index, index, f"`{text}` in a list", "delete it")
            return index + 1, True
        if not self.tokens.gaps and HOLE not in kinds[index - 1 : index + 1]:
            message, advice = "two list items without a `,` between them", "put a `,` between them"
            self.report(index - 1, index - 1, message, advice, behind=True, seen=index)
        return index, True

    def no_name(self, top: Message, index: int) -> int:
        text, kind, is_root = self.texts[index], self.kinds[index], top is self.root
        wanted = "" if is_root else CLOSER[self.texts[top.first]]
        if kind == END:
            return STOP if is_root else self.end_of_text(index)
        if text == wanted:
            return self.close(index)
        if text in CLOSERS:
            after = self.wrong_closer(index, text, wanted)
            return after if self.closed else self.separator(after)
        if kind == HOLE:
            return self._hole(top, index)
        if text in (",", ";"):
            self.report(index, index, f"a second or leading `{text}`", "delete it")
            return index + 1
        if text == "{" and not is_root and type(self.stack[-2]) is List and index - 1 > top.first:
            self.close_before(index, "the next list item")
            self.closed = False
            return index
        top.damaged = True
        if text == "{" and index == 0:
            self.report(index, index, "a model configuration has no braces around it", "delete them")
            return STOP
        return self._stray(top, index)

    def _stray(self, top: Message, index: int) -> int:
        """Something that is no field's name, up to where a field may begin."""
        text, kind = self.texts[index], self.kinds[index]
        message, advice = f"a field's name is due here, not `{decode(text)[:40]}`", ""
        if text == "[":
            message = "a model configuration has no extensions: a field's name is due here"
        elif text == "{":
            message = "a `{` without a field's name before it"
        elif top.fields and type(top.fields[-1].value) is Scalar and (text == "-" or kind in (INTEGER, FLOAT, STRING)):
            advice = f"if `{top.fields[-1].name}` is a list, put its values into `[ … ]`"
        after = self._next_field(index)
        self.report(index, self.layout.last_on_line(index, after - 1), message, advice)
        return after

    def _hole(self, top: Message, index: int) -> int:
        """A placeholder in place of fields, or of a field's name."""
        top.damaged = True
        message = f"`{decode(self.texts[index])}` is not filled in: one or more fields are due here"
        self.report(index, index, message, "render the template before use", kind="placeholder")
        if self.texts[index + 1] in (":", "{", "[", "<"):
            return self._next_field(index + 2 if self.texts[index + 1] == ":" else index + 1)
        return self.separator(index + 1)

    def _begins_field(self, index: int) -> bool:
        """Whether a field's name stands at a token, rather than a value."""
        return self.kinds[index] == IDENTIFIER and self.texts[index + 1] in (":", "{", "[", "<", "=")

    def _next_field(self, index: int) -> int:
        """The next token at which a field may begin or a container end; balanced brackets are stepped over."""
        texts, depth = self.texts, 0
        while self.kinds[index] != END:
            text = texts[index]
            if text in OPENERS:
                depth += 1
            elif text in CLOSERS:
                if not depth:
                    return index
                depth -= 1
                if not depth and texts[index + 1] not in (":", "=", "{", "<"):
                    return self.separator(index + 1)
            elif not depth and self._begins_field(index):
                return index
            index += 1
        return index
