"""Texts chosen by hand for the comparison with a real server: those of cases.txt, long ones, and nasty pieces.

Only texts: what is accepted is for the server to say.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

NASTY: tuple[bytes, ...] = (
    *(
        b"// /* */ # [ ] { } < > : , ; \" ' \\ - + -- 0x 0X 08 09 00 1e 1e+ 1.2.3 1..2 . .. .a a.b"
        b" 1f 1F 0x1g 0x1.5 01.5 1a 1_0 1e5a 1.5.f"
        b" - -a -\"a\" -0x1 +1 0x1p3 1e1e1 = ( ) ! ? @ $ % ^ & * | ~ ` / \\n {} [] <> {> <} [} ::"
    ).split(),
    *(b"\xef\xbb\xbf \x00 \x01 \x7f \x1f \xc3\xa9 \xe2\x98\x83 \xff \xef\xbc\x9a \xc2\xa0"
    b" \xf0\x9f\x98\x80").split(b" "),
    b"{{ name }}", b"[ ext . name ]", b"- -", b"# c", b"# c\n", b"\t\xc3\xa9",
    *(b"[ext.name] [ext.name]:1 [type.googleapis.com/x] [type.googleapis.com/x.Y]:{} [ ext . name ]"
    b" [a/b/c]{} [ext [.a] [a.] [1]").split(b" "),
    *(b"${name} {{ name }} {{name}} {%if%} <NAME> TYPE_#DTYPE __NAME__ @NAME@ $NAME %s <<<<<<<"
    b" ======= >>>>>>>").split(),
    *(b"\"a\nb\" 'a' \"\" '' \"a 'a \"a' \"a\\ \"\\q\" \"\\x\" \"\\u12\" \"\\U00110000\" \"\\400\""
    b" \"a\\\nb\" \"a\x00b\" \"a\x01\tb\"").split(b" "),
    *(b"unknown_field unknown_field:1 unknown_field{} name: NAME Name true nan inf TYPE_FP32"
    b" TYPE_FLOAT KIND_CPU 99999999999999999999").split(),
    *(b"2147483648 -2147483649 4294967296 9223372036854775808 18446744073709551616"
    b" 0xFFFFFFFFFFFFFFFFF 07777777777777777777777").split(),
)  # fmt: skip
"""Pieces that lexers and parsers stumble over."""

# Places for each of NASTY.
_FRAMES = (
    b"@",
    b"@\n",
    b"name: 'a' @",
    b"name@: 'a'",
    b"name: @\n",
    b"name: 'a'@ backend: 'b'",
    b"input { @ }",
    b"input { dims: [ 1, @ ] }",
    b"input [ @ { } ]",
    b"input { dims: 1 } @ # end",
    b"\tname:\t'\xc3\xa9' @ foo: 1",
    b"max_batch_size: @ backend: 'b'",
    b"sequence_batching { direct { minimum_slot_utilization: @ } }",
    b"parameters { key: 'a' @ value { } }",
)
_LONG = (
    b"# " + b"x" * 70_000 + b"\nfoo: 1",
    b"name: '" + b"a" * 70_000 + b"' foo: 1",
    b"\n" * 10_000 + b"foo: 1",
    b" " * 70_000 + b"\tfoo: 1",
    b"input { dims: [" + b"1," * 20_000 + b"] }",
    b"name: '" + b"a" * 70_000 + b"'",
    b"a" * 70_000,
    b"max_batch_size: " + b"0" * 1_000 + b"1",
    b"sequence_batching { direct { minimum_slot_utilization: " + b"1" * 1_000 + b"." + b"1" * 1_000 + b" } }",
)


def read_cases(listing: str) -> Iterator[bytes]:
    """The texts of a listing such as cases.txt, which says how it is written."""
    frame = b"@"
    for line in listing.splitlines():
        mark, escaped = line[:1], line[2:]
        if mark == "@":
            frame = _unescape(escaped)
        elif mark == "|":
            yield frame.replace(b"@", _unescape(escaped))
        elif line:
            frame = b"@"


def _unescape(escaped: str) -> bytes:
    # The inverse of a bytes literal's escapes; `ast.literal_eval` would take the quotes inside for its own.
    return codecs.escape_decode(escaped.encode("ascii"))[0]


FIXED: tuple[bytes, ...] = tuple(
    dict.fromkeys(
        (
            *read_cases(Path(__file__).with_name("cases.txt").read_text(encoding="ascii")),
            *(frame.replace(b"@", piece) for frame in _FRAMES for piece in NASTY),
            *_LONG,
        )
    )
)
"""Every spelling known to matter, and every nasty piece in every kind of place."""
