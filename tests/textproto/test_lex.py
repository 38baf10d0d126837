"""Cutting a text into tokens: nothing is lost, in either reading, and the two ways to the tokens are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_texts
from tritoncheck.schema.descriptors import model_config_class
from tritoncheck.textproto import Kind, Tokens, parse
from tritoncheck.textproto.leniency import lex_leniently
from tritoncheck.textproto.lex import _lex_any, _lex_plain, lex

TEXTS = any_texts(model_config_class()) | st.binary()
SPACE = " \t\n\r\f\v"


def cut(text: str, lenient: bool = False) -> list[tuple[str, str]]:
    """Kinds and texts of the tokens, without the end."""
    tokens = lex_leniently(text) if lenient else lex(text)
    return [(Kind(kind).name, text) for kind, text in zip(tokens.kinds, tokens.texts, strict=True)][:-1]


def assert_whole(tokens: Tokens, text: str) -> None:
    """Tokens are in order and apart; what lies between them is white space, a comment, or said to be a fault."""
    spans = list(zip(tokens.starts, tokens.ends, strict=True))
    assert tokens.kinds[-1] == Kind.END
    assert Kind.END not in tokens.kinds[:-1]
    assert spans[-1] == (len(text), len(text))
    assert len(tokens.kinds) == len(tokens.texts) == len(spans)
    covered = sorted([*spans, *tokens.comments])
    at = 0
    for start, end in covered:
        assert at <= start <= end
        at = end
    gaps = [(fault.start, fault.end) for fault in tokens.faults.kept]
    at = 0
    for start, end in covered:
        for offset in range(at, start):
            assert (
                text[offset] in SPACE
                or any(first <= offset < last for first, last in gaps)
                or tokens.faults.left_out
                or tokens.gaps
            )
        at = end


@given(TEXTS)
def test_strict_tokens_are_the_text(source: bytes) -> None:
    text = source.decode("latin-1")
    tokens = lex(text)
    assert_whole(tokens, text)
    assert tokens.texts == [text[a:b] for a, b in zip(tokens.starts, tokens.ends, strict=True)]


@given(TEXTS)
def test_lenient_tokens_are_the_text(source: bytes) -> None:
    assert_whole(lex_leniently(source.decode("latin-1")), source.decode("latin-1"))


@given(TEXTS, st.booleans())
def test_bytes_out_are_bytes_in(source: bytes, lenient: bool) -> None:
    document = parse(source, lenient)
    assert document.source == source
    assert "".join(document.pieces()) == document.text


@given(TEXTS)
def test_the_way_for_plain_texts_gives_the_same(source: bytes) -> None:
    text = source.decode("latin-1")
    plain = _lex_plain(text)
    if plain is not None:
        assert plain == _lex_any(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a: 1", "IDENTIFIER SYMBOL INTEGER"),
        ("a:-1.5f", "IDENTIFIER SYMBOL SYMBOL FLOAT"),
        ("1. .5 1e3 0x1F 010", "FLOAT FLOAT FLOAT INTEGER INTEGER"),
        ("'a' \"b\"'c'", "STRING STRING STRING"),
        ("'a\\'b' \"\\\\\"", "STRING STRING"),
        ("a#b\n{}", "IDENTIFIER SYMBOL SYMBOL"),
        ("a\x0b\x0c\rb", "IDENTIFIER IDENTIFIER"),
        ("'a\nb", "STRING IDENTIFIER"),
        ("\xe9a", "SYMBOL IDENTIFIER"),
        ("", ""),
    ],
)
def test_kinds(text: str, tokens: str) -> None:
    assert " ".join(kind for kind, _ in cut(text)) == tokens


@pytest.mark.parametrize(
    "hole",
    [
        "${name}",
        "$name",
        "${{ name }}",
        "$(name)",
        "{{ name }}",
        "{{ a.b | default('x') }}",
        "<NAME>",
        "<model-name>",
        "TYPE_#DTYPE",
        "TYPE_${x}",
        "${a}_${b}",
        "-${x}",
        "@NAME@",
        "%NAME%",
        "%(name)s",
        "%d",
    ],
)
def test_a_placeholder_is_one_token(hole: str) -> None:
    assert cut(f"a: {hole}, b", lenient=True)[2] == ("HOLE", hole)
    assert cut(f"[{hole}]", lenient=True)[1] == ("HOLE", hole)
    assert ("HOLE", hole) not in cut(f"a: {hole}")
    assert cut(f'"{hole}"', lenient=True) == [("STRING", f'"{hole}"')]
    assert cut(f"# {hole}\n", lenient=True) == []


@pytest.mark.parametrize("text", ["a < b: 1 >", "{ a: {} }", "{{ a: 1 }}", "8#NOTE\n", "a #NOTE\n", "{# a #}\nb: 1 }"])
def test_what_is_no_placeholder(text: str) -> None:
    kinds = [kind for kind, _ in cut(text, lenient=True)]
    assert "HOLE" not in kinds
    assert kinds == [kind for kind, _ in cut(text)]


def test_what_a_person_means() -> None:
    assert cut("a\uff1a 1".encode().decode("latin-1"), lenient=True)[1] == ("SYMBOL", ":")
    assert cut("\u201ca b\u201d".encode().decode("latin-1"), lenient=True)[0][0] == "STRING"
    assert cut("\ufeffa".encode().decode("latin-1"), lenient=True) == [("IDENTIFIER", "a")]
    assert cut("a // b\nc /* d\ne */ f", lenient=True) == [("IDENTIFIER", name) for name in "acf"]
    assert cut("{% if a %}\nb\n{% endif %}", lenient=True) == [("IDENTIFIER", "b")]
    assert cut("{# a #}\nb: {{ c }}", lenient=True)[0] == ("IDENTIFIER", "b")
    assert cut("<<<<<<< x\na\n||||||| y\nb\n=======\nc\n>>>>>>> z\nd", lenient=True) == [
        ("IDENTIFIER", "a"),
        ("IDENTIFIER", "d"),
    ]


def test_a_string_without_end_gives_back_what_is_not_its_own() -> None:
    assert [text for _, text in cut('{ a: "b, c: 1 }\n', lenient=True)] == [
        "{",
        "a",
        ":",
        '"b',
        ",",
        "c",
        ":",
        "1",
        "}",
    ]
    assert [text for _, text in cut('{ a: "b }\n', lenient=True)] == ["{", "a", ":", '"b', "}"]
    assert [text for _, text in cut('a: "b c # d\n', lenient=True)] == ["a", ":", '"b c']
