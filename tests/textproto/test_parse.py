"""The two readings as trees: spans nest, nothing raises, and whatever is refused has a fault that a person is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.cases import FIXED
from tests.strategies import any_texts, texts
from tritoncheck.schema.bind import bind
from tritoncheck.schema.descriptors import model_config_class
from tritoncheck.schema.verdict import server_lines
from tritoncheck.textproto import Document, Field, List, Message, Missing, Node, Scalar, parse

TEXTS = any_texts(model_config_class()) | st.binary()


def inner(node: Node | Field) -> list[Node | Field]:
    """What a node is made of."""
    if isinstance(node, Field):
        return [node.value]
    return [*(node.fields if isinstance(node, Message) else node.items if isinstance(node, List) else ())]


def pairs(root: Message) -> Iterator[tuple[Node | Field, Node | Field]]:
    """Every node with each one directly in it; not recursive, for trees may be deep."""
    waiting: list[Node | Field] = [root]
    while waiting:
        node = waiting.pop()
        for child in inner(node):
            yield node, child
            waiting.append(child)


def outline(document: Document, node: Node | Field | None = None) -> str:
    """A tree on one line, for comparison."""
    node = node or document.root
    if isinstance(node, Field):
        return f"{node.name}{':' if node.colon else ''}{outline(document, node.value)}"
    if isinstance(node, Message):
        return "{" + " ".join(outline(document, field) for field in node.fields) + "}"
    if isinstance(node, List):
        return "[" + ",".join(outline(document, item) for item in node.items) + "]"
    if isinstance(node, Missing):
        return "?"
    return " ".join(document.token(index) for index in range(node.first, node.last + 1))


@given(TEXTS, st.booleans())
def test_spans_nest(source: bytes, lenient: bool) -> None:
    document = parse(source, lenient)
    for parent, child in pairs(document.root):
        outer, own = document.span(parent), document.span(child)
        assert outer[0] <= own[0] <= own[1] <= outer[1]


@given(TEXTS, st.booleans())
def test_siblings_do_not_overlap(source: bytes, lenient: bool) -> None:
    document = parse(source, lenient)
    ends: dict[int, int] = {}
    for parent, child in pairs(document.root):
        start, end = document.span(child)
        assert ends.get(id(parent), 0) <= start
        ends[id(parent)] = end


@given(TEXTS, st.booleans())
def test_faults_lie_in_the_text(source: bytes, lenient: bool) -> None:
    document = parse(source, lenient)
    for fault in document.problems + bind(document).problems:
        assert 0 <= fault.start <= fault.end <= len(source)
        assert fault.message
        assert fault.token < len(document.tokens.kinds)


def check_readings(source: bytes) -> None:
    """What is refused has a fault that a person is told; what is accepted has none, and is read the same."""
    strict, lenient = parse(source), parse(source, lenient=True)
    read, meant = bind(strict), bind(lenient)
    refused, told = strict.problems + read.problems, lenient.problems + meant.problems
    assert bool(refused) == bool(told)
    assert bool(refused) == bool(server_lines(strict, refused))
    if not refused:
        assert outline(strict) == outline(lenient)
        assert read.message.SerializeToString(deterministic=True) == meant.message.SerializeToString(deterministic=True)
        assert meant.unknown == read.unknown == []


@given(TEXTS)
def test_the_two_readings(source: bytes) -> None:
    check_readings(source)


@pytest.mark.parametrize("part", range(6))
def test_the_two_readings_of_texts_of_the_oracle(part: int) -> None:
    """The fixed texts, and more generated ones than hypothesis has time for."""
    for source in [*FIXED, *texts(7, 1_500, model_config_class())][part::6]:
        check_readings(source)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("piece", "depth"),
    [
        *((piece, 100_000) for piece in ("{", "[", "}")),
        *(
            (piece, 10_000)
            for piece in ("<", "a{", "a[", "input[{", "a:[", "input{", "input[", "a:<", "{[", "a{}", "(", "-", "]")
        ),
    ],
)
def test_depth_is_no_danger(piece: str, depth: int, lenient: bool) -> None:
    document = parse(piece * depth, lenient)
    assert document.problems + bind(document).problems


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", "{}"),
        ("a: 1 b: 'c' 'd'", "{a:1 b:'c' 'd'}"),
        ("a { b: 1 } c < d: 2 >", "{a{b:1} c{d:2}}"),
        ("a: [1, -2, - 3]", "{a:[1,- 2,- 3]}"),
        ("a [ { b: 1 }, < > ]", "{a[{b:1},{}]}"),
        ("a: 1, b: 2; c: 3", "{a:1 b:2 c:3}"),
        ("a [ ] b", "{a[] b?}"),
        ("a b: 1", "{ab}"),
        ("a: -inf", "{a:- inf}"),
        ("a: [1,]", "{a:[1,?]}"),
    ],
)
def test_trees(text: str, tree: str) -> None:
    assert outline(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a b: 1", "{a? b:1}"),
        ("a: [1,]", "{a:[1]}"),
        ("a: [1 2]", "{a:[1,2]}"),
        ("a = 1 b:: 2", "{a:1 b:2}"),
        ("a: b-c/d e: /f", "{a:b - c / d e:/ f}"),
        ("a-b: 1 'c': 2", "{a-b:1 c:2}"),
        ("a { b: 1 ] c: 2", "{a{b:1} c:2}"),
        ("a [ { b: 1, { c: 2 } ]", "{a[{b:1},{c:2}]}"),
        ("a {\n  b: 1\nc: 2\n", "{a{b:1} c:2}"),
        ("a: ${b} ${c} d: {{ e }}", "{a:${b} d:{{ e }}}"),
    ],
)
def test_trees_that_a_person_means(text: str, tree: str) -> None:
    assert outline(parse(text, lenient=True)) == tree


def test_a_scalar_is_one_node() -> None:
    (entry,) = parse("a: - 1").root.fields
    assert entry.value == Scalar(2, 3)
