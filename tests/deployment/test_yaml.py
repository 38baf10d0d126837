"""YAML with places, and the texts that are refused."""

from __future__ import annotations

import time

import pytest

from tritoncheck.deployment.yaml import Node, YamlError, read_documents


def read(text: str) -> Node:
    """The only document of a text."""
    (found,) = read_documents(text, "f.yml")
    return found


def plain(node: Node) -> object:
    """A document without places."""
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    return [plain(one) for one in node.value] if isinstance(node.value, list) else node.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 'y']\n", {"a": "1", "b": ["x", "y"]}),
        ("ports:\n- 8000:8000\nrestart: no\n", {"ports": ["8000:8000"], "restart": "no"}),
        ("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", {"a": {"b": "1", "c": "2"}, "d": {"c": "3", "b": "1"}}),
        (
            "- &x {b: 1}\n- &y {b: 2, d: 3}\n- {<<: [*x, *y]}\n",
            [{"b": "1"}, {"b": "2", "d": "3"}, {"b": "1", "d": "3"}],
        ),
        ("a: >\n  one\n  two\n", {"a": "one two\n"}),
        ("a: !reset null\n", {"a": "null"}),
        ("a: !!python/object/apply:os.system ['id']\n", {"a": ["id"]}),
        ("%YAML 1.1\n# only\n---\na: 1\n", {"a": "1"}),
    ],
)
def test_values(text: str, value: object) -> None:
    """Scalars stay text, merges are resolved, tags do nothing."""
    assert plain(read(text)) == value


def test_kinds_of_scalars() -> None:
    """What a reader asks of a scalar."""
    node = read("a: ~\nb: 'no'\nc: no\nd: 10\ne: 1.5\nf: .nan\ng:\nh: !override x\n")
    found = node.items
    assert found["a"].null
    assert found["g"].null
    assert not found["b"].null
    assert (found["b"].plain, found["c"].plain, found["c"].boolean) == (False, True, False)
    assert (found["d"].number, found["e"].number, found["f"].number) == (10, 1.5, None)
    assert (found["h"].tag, found["h"].text) == ("!override", "x")
    assert node.get("a", "b") is None


def test_places() -> None:
    """Lines and columns in characters, offsets in bytes; documents count on."""
    text = "x: é\n---\nservices:\n  ü:\n    image: a/b:1  # c\n    ports:\n      - 8000:8000\n"
    node = read_documents(text, "f.yml")[1]
    span = node.place("services", "ü", "image")
    assert (span.line, span.column, span.end_line, span.end_column) == (5, 5, 5, 17)
    assert text.encode()[span.start : span.end] == b"image: a/b:1"
    assert node.place("services", "ü", "ports").line == 6
    assert node.place("services", "ü", "missing").line == 4
    ports = node.get("services", "ü", "ports")
    assert ports
    assert text.encode()[ports.entries[0].span.start : ports.entries[0].span.end] == b"8000:8000"


def test_only_what_is_wanted() -> None:
    """A document that nobody asks for is not read, be it broken."""
    text = "a: [\n---\nimage: tritonserver\n---\n\t- x\n"
    (found,) = read_documents(text, "f.yml", lambda part: "triton" in part)
    assert found.place("image").line == 3


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join('*' + before for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (BOMB, 5, "unfold into more than"),
        ("a: " + "[" * 100, 1, "nested more than"),
        ("a: " + "[" * 5000, 1, "nested more than"),
        ("a: &x [*x]\n", 1, "inside what it stands for"),
        ("a: 1\nb: *x\n", 2, "has no anchor"),
        ("a: 1\nb: 2\na: 3\n", 3, "stands twice"),
        ("a:\n\t- b\n", 2, "'\\t' that cannot start any token"),
        ("a: 1\nb: \x1b[31m\n", 2, r"control character '\x1b'"),
        ("a: \x00\n", 1, r"control character '\x00'"),
        ("a: b: c\n", 1, "mapping values are not allowed here"),
        ("a: [1, 2\n", 2, "got '<stream end>'"),
        ("? [a]\n: b\n", 1, "a key that is a list"),
        ("a:\n  <<: 3\n", 2, "`<<` takes a mapping"),
        ("x: 1\n---\na: b: c\n", 3, "mapping values are not allowed here"),
        ("a: [" + "x, " * 20_000 + "]\n", 1, "more than"),
        ("a: '" + "x" * 300_000 + "'\n", 1, "too large"),
    ],
    ids=lambda one: repr(one)[:20] if isinstance(one, str) else None,
)
def test_refused(text: str, line: int, message: str) -> None:
    """One error with a place, soon."""
    started = time.process_time()
    with pytest.raises(YamlError) as caught:
        read_documents(text, "f.yml")
    assert message in str(caught.value)
    assert caught.value.span.line == line
    assert caught.value.span.path == "f.yml"
    assert time.process_time() - started < 5  # not a measurement: it would be minutes
