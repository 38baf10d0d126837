"""Fields are deleted with their separator and their line, and nothing else is touched."""

from __future__ import annotations

import pytest

from tritoncheck.textproto import parse, removals


def without(text: str, *path: str | int) -> str:
    """The text without the fields at a path."""
    for start, end in reversed(removals(parse(text.encode()), path)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("a: 1\nb: 2\nc: 3\n", ("b",), "a: 1\nc: 3\n"),
        ("a: 1\n  b: 2 \r\nc: 3\n", ("b",), "a: 1\nc: 3\n"),
        ("a: 1\nb: 2", ("b",), "a: 1\n"),
        ("a: 1\nb: 2  # why\nc: 3\n", ("b",), "a: 1\n  # why\nc: 3\n"),
        ("a: 1 b: 2 c: 3", ("b",), "a: 1 c: 3"),
        ("a: 1, b: 2, c: 3", ("b",), "a: 1, c: 3"),
        ("a: 1; b: 2 , c: 3", ("a",), " b: 2 , c: 3"),
        ("g { k: 1 b: [ 0, 1 ] }", ("g", "b"), "g { k: 1 }"),
        ("g { b: 0 b: 1 k: 1 b: 2 }", ("g", "b"), "g { k: 1 }"),
        ("g [ { b: 0 }, { k: 1, b: 1 } ]", ("g", 1, "b"), "g [ { b: 0 }, { k: 1, } ]"),
        ("g {\n  b {\n    c: 1\n  }\n}\n", ("g", "b"), "g {\n}\n"),
        ("g<k:1 b:[0]c:1>", ("g", "b"), "g<k:1 c:1>"),
        ("g { b { # keep\n c: 1 } }", ("g", "b"), "g { b { # keep\n c: 1 } }"),
        ("g: [ 1, 2 ]", ("g", 0), "g: [ 1, 2 ]"),
        ("a: 1", ("b",), "a: 1"),
        ("a: 1", ("a", "b"), "a: 1"),
        ("", (), ""),
    ],
)
def test_removal(before: str, path: tuple[str | int, ...], after: str) -> None:
    assert without(before, *path) == after
    assert not parse(after.encode()).problems
