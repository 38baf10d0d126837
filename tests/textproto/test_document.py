"""From offsets to lines and columns, from paths to places, from string tokens to bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.textproto import Document, Position, parse
from tritoncheck.textproto.strings import decode, unquote


def at(document: Document, *path: str | int) -> str | None:
    """The text of the place of a path."""
    node = document.find(path)
    return None if node is None else document.text[slice(*document.span(node))]


@given(st.binary())
def test_positions_are_those_of_an_editor(source: bytes) -> None:
    document = parse(source)
    for offset in range(len(source) + 1):
        before = source[:offset].split(b"\n")
        line, column = document.position(offset)
        assert line == len(before)
        assert column == len(before[-1].decode("utf-8", "replace")) + 1


@pytest.mark.parametrize(
    ("text", "offset", "position"),
    [
        ("\tfoo: 1", 4, (1, 12)),
        (" \tfoo: 1", 5, (1, 12)),
        ("        \tfoo", 12, (1, 20)),
        ("# é\tfoo", 4, (1, 5)),
        ("a: 'é' b", 8, (1, 9)),
        ("\r\n\ta", 3, (2, 9)),
    ],
)
def test_positions_of_the_server_count_bytes_and_tab_stops(text: str, offset: int, position: tuple[int, int]) -> None:
    assert parse(text.encode()).server_position(offset) == Position(*position)


def test_lines_are_shown_without_their_ends() -> None:
    document = parse("a: 1\r\n# größe\n\xff".encode("latin-1"))
    assert [document.line(number) for number in (1, 2, 3)] == ["a: 1", "# gr\ufffd\ufffde", "\ufffd"]


CONFIG = """
name: "x"
input [ { name: "a" dims: [ 1, 2 ] dims: 3 }, { name: "b" } ]
input { name: "c" }
optimization { cuda { graphs: true } }
parameters { key: "k" value { string_value: "1" } }
parameters [ { key: "value" value: { string_value: "2" } }, { value { string_value: "3" } key: "k" } ]
priority { key: 7 value { } }
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("name",), 'name: "x"'),
        (("input", 0, "name"), 'name: "a"'),
        (("input", 1, "name"), 'name: "b"'),
        (("input", 2, "name"), 'name: "c"'),
        (("input", -1, "name"), 'name: "c"'),
        (("input", 3), None),
        (("input", 0, "dims", 1), "2"),
        (("input", 0, "dims", 2), "3"),
        (("input", 0, "dims"), "dims: [ 1, 2 ]"),
        (("optimization", "cuda", "graphs"), "graphs: true"),
        (("optimization", "graph"), None),
        (("optimization", "cuda"), "cuda { graphs: true }"),
        (("parameters", "k", "value", "string_value"), 'string_value: "3"'),
        (("parameters", "value", "value", "string_value"), 'string_value: "2"'),
        (("parameters", "none"), None),
        (("parameters", 0, "value", "string_value"), 'string_value: "1"'),
        (("priority", 0, "key"), "key: 7"),
        (("name", "x"), None),
        ((), CONFIG),
    ],
)
def test_paths(path: tuple[str | int, ...], text: str | None) -> None:
    assert at(parse(CONFIG), *path) == text


@given(st.lists(st.sampled_from(["name", "input", "dims", "key", "value", "k", 0, 1, -1, 9])))
def test_no_path_raises(path: list[str | int]) -> None:
    parse(CONFIG).find(tuple(path))


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r'"\a\b\f\n\r\t\v\?\\\'\""', b"\a\b\f\n\r\t\v?\\'\""),
        (r'"\1"', b"\1"),
        (r'"\12"', b"\n"),
        (r'"\1012"', b"A2"),
        (r'"a\0b"', b"a\0b"),
        (r'"\400"', b"\0"),
        (r'"\401"', b"\1"),
        (r'"\777"', b"\xff"),
        (r'"\477"', b"?"),
        (r'"\08"', b"\x008"),
        (r'"\x4"', b"\4"),
        (r'"\x41"', b"A"),
        (r'"\x414"', b"A4"),
        (r'"\xff"', b"\xff"),
        (r'"\u00e9"', "é".encode()),
        (r'"\ud83d\ude00"', "😀".encode()),
        (r'"\uD83D\uDE00"', "😀".encode()),
        (r'"\U0000d83d\ude00"', "😀".encode()),
        (r'"\ud83d"', b"\xed\xa0\xbd"),
        (r'"\ud83dx"', b"\xed\xa0\xbdx"),
        (r'"\ude00"', b"\xed\xb8\x80"),
        (r'"\ud83d\ud83d"', b"\xed\xa0\xbd\xed\xa0\xbd"),
        (r'"\ud83d\u0041"', b"\xed\xa0\xbdA"),
        (r'"\ud83d\U0000de00"', b"\xed\xa0\xbd\xed\xb8\x80"),
        (r'"\ud83d" "\ude00"', b"\xed\xa0\xbd\xed\xb8\x80"),
        (r'"\U0010ffff"', b"\xf4\x8f\xbf\xbf"),
        (r'"\U00110000"', b"\\U00110000"),
        (r'"\U001FFFFF"', b"\\U001fffff"),
        ("\"a\" 'b'", b"ab"),
        ("'a\"b'", b'a"b'),
        ("'\xff'", b"\xff"),
        ("''", b""),
        ("'", b""),
        ("'a", b"a"),
    ],
)
def test_strings_as_the_server_reads_them(literal: str, value: bytes) -> None:
    """What name a server had read was seen in its «unexpected directory name», 24.10."""
    assert unquote(literal.split(" ")) == value


@given(st.binary(), st.sampled_from("\"'"))
def test_unquoting_never_raises(body: bytes, quote: str) -> None:
    unquote([quote + body.decode("latin-1") + quote])


@given(st.binary())
def test_any_bytes_can_be_written(value: bytes) -> None:
    assert unquote(['"' + "".join(f"\\{byte:03o}" for byte in value) + '"']) == value
    assert unquote(["'" + "".join(f"\\x{byte:02x}" for byte in value) + "'"]) == value


@given(st.binary())
def test_text_for_people(source: bytes) -> None:
    assert decode(source.decode("latin-1")) == source.decode("utf-8", "replace")
