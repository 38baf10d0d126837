"""Writes a text of any message, in a style of its own, with a mistake now and then.

Walks a message descriptor and knows no field of ModelConfig by name, apart from `RARE`. Draws everything from a
`random.Random`, so that it can be replayed from a seed, and shrunk by hypothesis.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random
from typing import Any

from tests.oracle.cases import NASTY

RARE = frozenset({"model_repository_agents"})
"""Fields to use seldom: this one crashes the server when it holds no agent, and a restart takes a second."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FLOATS = _words(
    "1. .5 0.5 1e3 1E3 1e+3 1e-3 1.5e3 1f 1F 1.5f .5f 1.f 5E-1F 0 0.0 -0 -0.0 -1 -.5 1e400 -1e400"
    " 1e-400 1e-46 1e39 inf INF"
    " Infinity infinity -inf -Infinity nan NaN -nan 3.4028235e38 3.4028236e38 16777217 0.1 1e0 0e0"
    " 0f 123456789012345678901234567890"
    " 18446744073709551615 18446744073709551616 9007199254740993"
)
_BOOLEANS = _words("true false True False t f 1 0 01 0x1 0x0 00 000 0X1")
_ESCAPES = _words(
    r"\a \b \f \n \r \t \v \\ \' \" \? \0 \1 \12 \101 \1012 \377 \400 \777 \08 \x4 \x41 \x414 \xfF"
    r" \u00e9 \u20ac"
    r" \ud83d\ude00 \ud800 \udc00 \U0001F600 \U0010FFFF \U00000041 \u0000"
)
_BAD_ESCAPES = (
    *_words(
        r"\q \8 \9 \X41 \x \xg \X \u \u1 \u12 \u123 \u123g \U \U0001 \U0001F60 \UFFFFFFFF \c \e \%"
        r" \U0020FFFF"
    ),
    "\\ ",
)
_SPACES = (b" ", b"  ", b"\n", b"\r\n", b"\t", b" \t ", b"\f", b"\v", b"\r", b"\n\n", b"\n  ")
_COMMENTS = (
    b"# note\n",
    b"#\n",
    b"# a { b } [ c ] \"d 'e\n",
    "# größer \uff1e 5 ☃\n".encode(),
    b"# \xb2\xe2 GBK \xff\n",
    b"#\x01\x7f\t\n",
    b"# a # b\r\n",
)


def _ints(low: int, high: int) -> tuple[int, ...]:
    return tuple(sorted({low, low + 1, -1 if low < 0 else 0, 0, 1, 2, 8, 16, 100, 255, 256, high - 1, high}))


_WHOLE = {  # FieldDescriptor.cpp_type → values of it
    1: _ints(-(2**31), 2**31 - 1),
    2: _ints(-(2**63), 2**63 - 1),
    3: _ints(0, 2**32 - 1),
    4: _ints(0, 2**64 - 1),
}
_DOUBLE, _FLOAT, _BOOL, _ENUM, _STRING, _MESSAGE = 5, 6, 7, 8, 9, 10
_WRONG_VALUES = (
    *_words("1 -1 - 1 1.5 1e3 0x1 010 -0 - abc true nan inf 'a' \"1\" TYPE_FP32 TYPE_FP99 {} <> [] [1]"
    " {a:1} [[1]] [{}] 1f yes no on 2 TRUE +1 08"),
    *_words("2147483648 -2147483649 4294967296 9223372036854775808 -9223372036854775809"
    " 18446744073709551616 -0x1 0xg 1,2 99 -99 9999999999"),
)  # fmt: skip


class Writer:
    """Writes one message in a style of its own, with a mistake now and then if asked to.

    `wild` is the share of places that do not look as a person would write them; `mistakes` the share of
    values and names that are wrong on purpose.
    """

    def __init__(self, random: Random, *, wild: float, mistakes: float = 0.0) -> None:
        self.random = random
        self.wild = wild
        self.mistakes = mistakes
        self.out: list[bytes] = []

    def text(self, descriptor: Any) -> bytes:
        self.gap(optional=True)
        self.fields(descriptor, 0)
        self.gap(optional=True)
        whole = b"".join(self.out)
        if self.chance(0.2):
            whole = whole.rstrip()
        if self.chance(0.1):
            whole = whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        return whole

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def odd(self) -> bool:
        return self.chance(self.wild)

    def wrong(self) -> bool:
        return self.mistakes > 0 and self.chance(self.mistakes)

    def put(self, *pieces: bytes | str) -> None:
        self.out += [piece.encode() if isinstance(piece, str) else piece for piece in pieces]

    def gap(self, *, optional: bool = False) -> None:
        """White space and comments; nothing at all only where two tokens need no space between them."""
        if optional and self.chance(0.5):
            return
        if not self.odd():
            self.put(b" ")
            return
        for _ in range(self.random.randint(1, 3)):
            self.put(self.random.choice(_COMMENTS if self.chance(0.3) else _SPACES))

    def fields(self, descriptor: Any, depth: int) -> None:
        """Some fields of a message in any order; singular ones once, one member of a oneof."""
        known = [field for field in descriptor.fields if field.name not in RARE or self.chance(0.03)]
        count = min(len(known), self.random.choice((0, 1, 1, 2, 2, 3, 4) if depth else (0, 1, 2, 3, 4, 6, 8)))
        taken: set[str] = set()
        for field in self.random.sample(known, count):
            oneof = field.containing_oneof
            if oneof is not None:
                if oneof.name in taken and not (self.mistakes and self.chance(0.4)):
                    continue
                taken.add(oneof.name)
            self.field(field, depth)
            if self.wrong():
                self.field(field, depth)

    def field(self, field: Any, depth: int) -> None:
        """A field once, or a repeated one as a list, as several fields, or as both."""
        if not field.is_repeated and not self.wrong():
            self.entry(field, lambda: self.value(field, depth))
            return
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            if self.chance(0.5):
                self.entry(field, lambda: self.listed(field, depth))
            else:
                self.entry(field, lambda: self.value(field, depth))

    def entry(self, field: Any, value: Callable[[], None]) -> None:
        self.put(self.misspelt(field.name) if self.wrong() else field.name)
        self.gap(optional=True)
        colon = field.cpp_type != _MESSAGE or self.chance(0.3)
        if colon != self.wrong():
            self.put(b":")
        self.gap(optional=colon)
        value()
        if self.wrong():
            self.put(self.random.choice(NASTY))
        separator = self.random.choice((b"", b"", b"", b"", b",", b";"))
        if separator:
            self.gap(optional=True)
            self.put(separator)
        if self.odd() or not separator:
            self.gap()
        else:
            self.put(b"\n")

    def misspelt(self, name: str) -> str:
        return self.random.choice(
            (
                name.upper(),
                name + "s",
                name[:-1] or "x",
                f"[{name}]",
                f'"{name}"',
                "unknown_field",
                name + ".x",
                "1",
            )
        )

    def listed(self, field: Any, depth: int) -> None:
        self.put(b"[")
        self.gap(optional=True)
        for index in range(self.random.choice((0, 1, 1, 2, 3))):
            if index and not self.wrong():
                self.put(b",")
            self.gap(optional=True)
            self.value(field, depth)
            self.gap(optional=True)
        if self.wrong():
            self.put(b",")
        self.put(b"]")

    def value(self, field: Any, depth: int) -> None:
        if self.wrong():
            self.put(self.random.choice(_WRONG_VALUES))
        elif field.cpp_type == _MESSAGE:
            opening, closing = (b"<", b">") if self.odd() else (b"{", b"}")
            self.put(opening)
            self.gap(optional=True)
            self.fields(field.message_type, depth + 1)
            self.gap(optional=True)
            self.put(self.random.choice((b">", b"}", b"")) if self.wrong() else closing)
        else:
            self.scalar(field)

    def scalar(self, field: Any) -> None:
        kind = field.cpp_type
        if kind == _STRING:
            self.string()
        elif kind == _BOOL:
            self.put(self.random.choice(_BOOLEANS if self.odd() else _BOOLEANS[:2]))
        elif kind == _ENUM:
            if self.odd():
                self.integer(self.random.choice((0, 1, 2, 3, 99, -1, 2**31 - 1, -(2**31))))
            else:
                self.put(self.random.choice(field.enum_type.values).name)
        elif kind in (_DOUBLE, _FLOAT):
            self.floating()
        else:
            self.integer(self.random.choice(_WHOLE[kind]) if self.chance(0.3) else self.random.randint(0, 300))

    def integer(self, number: int) -> None:
        if number < 0:
            self.put(b"-")
            if self.odd():
                self.gap()
        size = abs(number)
        if not self.odd():
            self.put(str(size))
        else:
            self.put(self.random.choice((hex(size), hex(size).upper(), f"0{size:o}", f"0x00{size:X}", f"{size:b}"[:9])))

    def floating(self) -> None:
        """A listed spelling, a decimal, or any bit pattern of a float."""
        draw = self.random.random()
        if draw < 0.4:
            spelling = self.random.choice(_FLOATS)
        elif draw < 0.8:
            spelling = f"{self.random.randint(-(10**6), 10**6)}e{self.random.randint(-8, 8)}"
        else:
            spelling = repr(struct.unpack("<f", struct.pack("<I", self.random.getrandbits(32)))[0])
        if spelling.startswith("-") and self.odd():
            self.put(b"-")
            self.gap()
            spelling = spelling[1:]
        self.put(spelling)

    def string(self) -> None:
        """One literal, or several side by side that are one string."""
        literals = self.random.randint(2, 3) if self.odd() else 1
        for index in range(literals):
            if index:
                self.gap(optional=True)
            quote = self.random.choice("\"'") if self.odd() else '"'
            self.put(quote)
            for _ in range(self.random.randint(0, 4)):
                self.put(self.piece(quote))
            self.put(quote)

    def piece(self, quote: str) -> bytes | str:
        if not self.odd():
            return self.random.choice(("input", "model_1", "a", "1", "x.y", "-1", "TYPE_FP32", "/path/to", " "))
        if self.wrong():
            return self.random.choice(_BAD_ESCAPES)
        plain: tuple[bytes | str, ...] = (
            "é",
            "☃",
            b"\xff",
            b"\xc3",
            "\t",
            "\x01",
            "\x7f",
            "#",
            "{",
            "'" if quote == '"' else '"',
            "\r",
            "??/",
        )
        return self.random.choice(_ESCAPES if self.chance(0.5) else plain)
