"""The bytes to delete so that a field is gone and the rest of the text stays as it is.

A separator behind the field goes with it, and so does its line if nothing else stands there. Comments are never
deleted: where one lies inside the field, there is no removal. Knows nothing of what a field means.
"""

from __future__ import annotations

from tritoncheck.textproto.document import Document
from tritoncheck.textproto.tree import Field, Message


def removals(document: Document, path: tuple[str | int, ...]) -> list[tuple[int, int]]:
    """The byte ranges of every field that a path ends in, in the order of the text; empty where there is none, where
    a comment would be lost, or where the path ends in an item of a list."""
    if not path or not isinstance(path[-1], str):
        return []
    fields = [field for field in _fields(document, path[:-1]) if field.name == path[-1]]
    cuts = [_cut(document, field) for field in fields]
    return [] if any(start == end for start, end in cuts) else cuts


def entry_removals(document: Document, path: tuple[str | int, ...], key: str) -> list[tuple[int, int]]:
    """As `removals`, for the last entry with a key of the map field that a path ends in; empty where the entries stand
    in a list."""
    entry = document.find((*path, key))
    if not isinstance(entry, Field) or entry.name != path[-1]:
        return []
    start, end = _cut(document, entry)
    return [] if start == end else [(start, end)]


def _fields(document: Document, path: tuple[str | int, ...]) -> list[Field]:
    """The fields of the message at a path."""
    node = document.find(path)
    message = node.value if isinstance(node, Field) else node
    return message.fields if isinstance(message, Message) else []


def _cut(document: Document, field: Field) -> tuple[int, int]:
    """The range of one field; an empty one where a comment lies in it."""
    text, tokens = document.text, document.tokens
    start, end = document.span(field)
    if field.last + 1 < len(tokens.texts) and tokens.texts[field.last + 1] in (",", ";"):
        end = tokens.ends[field.last + 1]
    if any(start < at < end for at, _ in tokens.comments):
        return start, start
    line = text.rfind("\n", 0, start) + 1
    rest = len(text) - len(text[end:].lstrip(" \t\r"))
    if not text[line:start].strip(" \t") and text[rest : rest + 1] == "\n":
        return line, rest + 1
    apart = text[end : end + 1] in ("", " ", "\t", "\r", "\n", "}", ">")
    return len(text[:start].rstrip(" \t")) if apart and text[line:start].strip(" \t") else start, end
