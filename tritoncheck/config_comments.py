"""The suppressions in a `config.pbtxt`: a comment on a line of its own covers the field, block or list item below.

Knows where fields begin and end, not what a suppression says: see `suppress`.
"""

from __future__ import annotations

from bisect import bisect_right

from tritoncheck.model import Model
from tritoncheck.suppress import Suppression, mentions, read_comment
from tritoncheck.textproto import Document, Message
from tritoncheck.textproto import List as TextList


def read_suppressions(model: Model) -> list[Suppression]:
    """The suppressions in a model's configuration."""
    if not mentions(model.text):
        return []
    document = model.document
    found = []
    for start, end in document.tokens.comments:
        for one in read_comment(document.text, start, end, model.span):
            if one.last:
                one.first, one.last = _covered_lines(document, start, one.span.line)
            found.append(one)
    return found


def _covered_lines(document: Document, comment: int, line: int) -> tuple[int, int]:
    """The lines of a comment's own line, or of the field or list item that follows a comment on its own line."""
    text, tokens = document.text, document.tokens
    line_start = text.rfind("\n", 0, comment) + 1
    if text[line_start:comment].removeprefix("\xef\xbb\xbf").strip(" \t\r\f\v"):
        return line, line
    token = bisect_right(tokens.starts, comment)
    odd = next(((at, end) for at, end in tokens.comments if at > comment and text[at] == "/"), None)
    if odd and odd[0] < tokens.starts[token]:
        return document.position(odd[0]).line, document.position(odd[1]).line
    if token + 1 >= len(tokens.starts) or document.token(token) in ("}", "]", ">"):
        return line, line
    end = _node_end(document, document.root, tokens.starts[token]) or tokens.ends[token]
    return document.position(tokens.starts[token]).line, document.position(max(comment, end - 1)).line


def _node_end(document: Document, message: Message, begin: int) -> int:
    """The end of the field or list item that begins at an offset, 0 where none does."""
    waiting = [message]
    while waiting:
        for entry in waiting.pop().fields:
            items = entry.value.items if isinstance(entry.value, TextList) else [entry.value]
            for node in (entry, *items):
                start, end = document.span(node)
                if start == begin:
                    return end
                if isinstance(node, Message) and start < begin < end:
                    waiting = [node]
    return 0
