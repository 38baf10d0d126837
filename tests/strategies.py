"""ModelConfig texts to try on every parser: written by hand, generated valid, broken by edits, and noise.

Whoever compares two readers of the text format (ours, the server's, protobuf's for Python) needs texts that
reach every branch of a tokenizer and a parser, and far more of them than real files offer. Everything here is
drawn from a `random.Random`: `texts` for bulk use from a seed, the hypothesis strategies from hypothesis'
own, so that they shrink.

The generators walk any message descriptor and know no field of ModelConfig by name, apart from `RARE`. They
do not know what is accepted either: that is for the server to say (tests/oracle/server.py).
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

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


_TOKEN = re.compile(rb"""#[^\n]*\n?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z0-9_.]+|\s+|.""", re.DOTALL)


def valid_text(random: Random, message_class: Any, *, mistakes: float = 0.0) -> bytes:
    """A text of the message, in an ordinary or an odd style."""
    wild = random.choice((0.0, 0.0, 0.05, 0.2, 0.6))
    return Writer(random, wild=wild, mistakes=mistakes).text(message_class.DESCRIPTOR)


def edited_text(random: Random, message_class: Any) -> bytes:
    """A valid text after one to three random edits of bytes or tokens."""
    text = valid_text(random, message_class)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = _edit(random, text)
    return text


def _edit(random: Random, text: bytes) -> bytes:
    parts = [bytes((byte,)) for byte in text] if random.random() < 0.3 else _TOKEN.findall(text)
    at = random.randrange(len(parts) + 1)
    action = random.randrange(6)
    if action == 0 or at == len(parts):
        parts.insert(at, random.choice(NASTY))
    elif action == 1:
        del parts[at]
    elif action == 2:
        parts.insert(random.randrange(len(parts) + 1), parts[at])
    elif action == 3:
        parts[at] = random.choice(NASTY)
    elif action == 4:
        other = random.randrange(len(parts))
        parts[at], parts[other] = parts[other], parts[at]
    else:
        parts = parts[:at] if random.random() < 0.5 else parts[at:]
    return b"".join(parts)


@functools.cache
def _names(descriptor: Any) -> tuple[bytes, ...]:
    """The names of all fields and enum values that a message can hold."""
    names: dict[bytes, None] = {}
    waiting, seen = [descriptor], set()
    while waiting:
        message = waiting.pop()
        if message.full_name in seen:
            continue
        seen.add(message.full_name)
        for field in message.fields:
            names[field.name.encode()] = None
            if field.message_type is not None:
                waiting.append(field.message_type)
            if field.enum_type is not None:
                names |= dict.fromkeys(value.name.encode() for value in field.enum_type.values)
    return tuple(names)


def token_soup(random: Random, message_class: Any) -> bytes:
    """Tokens in no order, some of them after the beginning of a valid text."""
    start = valid_text(random, message_class)
    words = [start[: random.randrange(len(start) + 1)]] if random.random() < 0.5 else []
    own = [field.name.encode() for field in message_class.DESCRIPTOR.fields]
    common = (b":", b"{", b"}", b"[", b"]", b",", b"1", b'"a"', b"true", b"\n", b"<", b">", b";", b"-")
    for _ in range(random.randint(1, 12)):
        words.append(random.choice(random.choice((common, common, own, _names(message_class.DESCRIPTOR), NASTY))))
    return random.choice((b" ", b"", b"\n", b"\t")).join(words)


def noise(random: Random, message_class: Any) -> bytes:
    """Bytes, any or only those that mean something to a tokenizer."""
    alphabet = bytes(range(256)) if random.random() < 0.3 else b"na:{}[]<>\"'\\01.e-+#,;xf \n\t\r/_u"
    return bytes(random.choice(alphabet) for _ in range(random.randint(0, 30)))


def flawed_text(random: Random, message_class: Any) -> bytes:
    """A text whose tokens are mostly right and whose values, names or punctuation are sometimes wrong."""
    return valid_text(random, message_class, mistakes=random.choice((0.01, 0.03, 0.1)))


def edited_case(random: Random, message_class: Any) -> bytes:
    """A case written by hand after one random edit."""
    return _edit(random, random.choice(FIXED))


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to make a text, and how often `texts` uses it."""

    make: Callable[[Random, Any], bytes]
    weight: int


KINDS = (
    Kind(valid_text, 30),
    Kind(edited_text, 28),
    Kind(flawed_text, 22),
    Kind(token_soup, 10),
    Kind(edited_case, 6),
    Kind(noise, 4),
)


def texts(seed: int, count: int, message_class: Any) -> list[bytes]:
    """Generated texts of all kinds, always the same for a seed; a larger count only appends."""
    kinds, weights = [kind.make for kind in KINDS], [kind.weight for kind in KINDS]
    found = []
    for index in range(count):
        random = Random(f"{seed}/{index}")
        found.append(random.choices(kinds, weights)[0](random, message_class))
    return found


def _strategy(make: Callable[[Random, Any], bytes], message_class: Any) -> st.SearchStrategy[bytes]:
    return st.randoms(use_true_random=False).map(lambda random: make(random, message_class))


def valid_texts(message_class: Any) -> st.SearchStrategy[bytes]:
    """Texts meant to be accepted."""
    return _strategy(valid_text, message_class)


def edited_texts(message_class: Any) -> st.SearchStrategy[bytes]:
    """Valid texts after a few edits."""
    return _strategy(edited_text, message_class)


def flawed_texts(message_class: Any) -> st.SearchStrategy[bytes]:
    """Texts with mistakes of meaning: wrong types, ranges, names, duplicates."""
    return _strategy(flawed_text, message_class)


def token_soups(message_class: Any) -> st.SearchStrategy[bytes]:
    """Tokens in no order."""
    return _strategy(token_soup, message_class)


def any_texts(message_class: Any) -> st.SearchStrategy[bytes]:
    """Texts of every kind, and any bytes."""
    return st.one_of(
        *(_strategy(kind.make, message_class) for kind in KINDS),
        st.sampled_from(FIXED),
        st.binary(max_size=40),
    )


# --- Cases written by hand ---

_SPELLED: tuple[tuple[bytes, tuple[bytes, ...]], ...] = (
    # A frame and what to put in place of its @: every spelling of a value of one type.
    (b"input { optional: @ }", (
        *b"true false True False t f 1 0 01 0x1 0x0 00 000 0X1 TRUE FALSE T F yes no on off 2 -0 -1"
        b" - 1.0 1. tRue truE 0x2 02 0b1 +1".split(),
        b"'true'", b'"true"', b"true false", b"{}", b"[true]", b"[]", b"", b"18446744073709551616", b"1f",
        b"08", b"nan", b"-true", b"- 1")),
    (b"max_batch_size: @", (
        *b"0 1 8 -1 -0 010 08 0x10 0X1F 0x 0xg 0x1g 07 00 -010 -0x1 -01 --1 +8 8.0 8e0 8f 1. .5 1e"
        b" 1_0 1a 0x1p3 true inf nan a".split(),
        *b"2147483647 2147483648 -2147483648 -2147483649 0x7fffffff 0x80000000 -0x80000000"
        b" -0x80000001 017777777777 020000000000".split(),
        *b"9223372036854775808 18446744073709551615 18446744073709551616 99999999999999999999999"
        b" 0x1ffffffffffffffff".split(),
        b"- 1", b"-\n1", b"-#c\n1", b"- - 1", b"-", b"- ", b"-a", b'"8"', b"'8'", b"{}", b"[8]", b"[]",
        b"8 9", b"8,", b"8;", b"8,,", b"8;;", b"8,;")),
    (b"dynamic_batching { max_queue_delay_microseconds: @ }", (
        *b"0 1 -0 -1 - +1 1.5 1e3 0x10 010 09 18446744073709551615 18446744073709551616"
        b" 0xffffffffffffffff 0x10000000000000000".split(),
        *b"01777777777777777777777 02000000000000000000000 true a -a".split(),
        b"- 1", b"'1'", b"{}", b"[1]")),
    (b"dynamic_batching { default_queue_policy { max_queue_size: @ } }", (
        *b"0 4294967295 4294967296 -1 -0 0xffffffff 0x100000000 037777777777 040000000000".split(),)),
    (b"input { dims: @ }", (
        *b"1 -1 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809"
        b" -0x8000000000000000 0x8000000000000000".split(),
        b"[]", b"[ ]", b"[1]", b"[1,2]", b"[1, -1, - 1]", b"[1 2]", b"[1,]", b"[,1]", b"[,]", b"[1,,2]",
        b"[1;2]", b"[1", b"[1,", b"[", b"]",
        b"[[1]]", b"[1] [2]", b"[1], dims: [2]", b"[1]; dims: 2, dims: []", b"[1.5]", b"[a]", b"['1']",
        b"[{}]", b"[#c\n1#d\n,#e\n2]", b"(1)", b"1,2", b"1 dims 2")),
    (b"sequence_batching { direct { minimum_slot_utilization: @ } }", (
        *(spelling.encode() for spelling in _FLOATS),
        *b"00 +1 +.5 0x1 0x1p3 0X1 01 08 00.5 0.5d 1_0 1e 1e+ 1e- 1.2.3 1..2 . -. 1ff 1.0.f e5 inff"
        b" infinit infinity1 NANA nan(1) -true".split(),
        *b"1e5.5 1.e5 .e5 1e5e5 1e5f 1e+5F 1F1 0.f .0f -1.f -inf -INFINITY -nan -NaN - --1 -'1' 1,5"
        b" 0x 0xf 0f 0F 00f 012 019 0x1ffffffffffffffff".split(),
        *b"18446744073709551616 -18446744073709551616 0777777777777777777777777 1.5e -1e inff -infi"
        b" TRUE in".split(),
        b"- 1.5", b"- inf", b"-\tnan", b"- - 1", b"'1'", b"{}", b"[1]", b"true", b"", b"1 .5", b"1. 5",
        b"1 f")),
    (b"input { data_type: @ }", (
        *b"TYPE_FP32 TYPE_INVALID 0 11 99 -1 -0 0xB 013 08 +1 1.0 1f 2147483647 2147483648"
        b" -2147483648 -2147483649 4294967296 99999999999999999999".split(),
        *b"type_fp32 TYPE_FP99 TYPE_FLOAT TYPE FP32 TYPE.FP32 TYPE_FP32. .TYPE_FP32"
        b" TYPE_FP32,TYPE_FP16 TYPE_#DTYPE true nan inf -TYPE_FP32 -inf - -a".split(),
        b"- 1", b"- TYPE_FP32", b"'TYPE_FP32'", b'"TYPE_FP32"', b"{}", b"[TYPE_FP32]", b"[]", b"<",
        b"TYPE_FP32 TYPE_FP16", b"TYPE FP32", b"-'a'")),
    (b"name: @", (
        b'"a"', b"'a'", b"''", b'""', b'"a" "b"', b"\"a\" 'b'", b'"a""b"', b"'a''b'", b'"a"\n#c\n"b"',
        b'"a", "b"', b'"a" b', b"a", b"1", b"-", b"true", b"-'a'", b"{}",
        b"['a']", b"[]", b"", b'"', b"'", b'"a', b"'a", b'"a\'', b"'a\"", b'"a\nb"', b'"a\r\nb"', b'"a\rb"',
        b'"a\\\nb"', b'"a\\', b'"a\\"', b'"\\', b'"a\x00b"', b'"\x00',
        b'"\x01\x02\x7f"', b'"a\tb"', b'"\xff\xfe"', b'"\xc3\xa9"', b'"\\ud800"', b'"\\udc00"',
        b'"\\ud83d\\ude00"', b'"\\ud83dx"', b'"\\u00e9"', b'"\\u"', b'"\\u1', b'"\\u12"',
        b'"\\u123g"', b'"\\U0001F600"', b'"\\U0010FFFF"', b'"\\U00110000"', b'"\\U0011"', b'"\\U00000041"',
        b'"\\U"', b'"\\UFFFFFFFF"', b'"\\U001FFFFF"', b'"\\U00200000"', b'"\\U0000D800"',
        b'"\\ud83d\\U0000de00"', b'"\\ud83d\\ud83d"', b'"\\ud83d" "\\ude00"', b'"\\x"', b'"\\x4"',
        b'"\\x41"', b'"\\x414"',
        b'"\\xg"', b'"\\X41"', b'"\\0"', b'"\\00"', b'"\\000"', b'"\\0000"', b'"\\400"', b'"\\777"',
        b'"\\8"', b'"\\9"', b'"\\q"', b'"\\ "', b'"\\a\\b\\f\\n\\r\\t\\v\\?\\\\\\\'\\""',
        b'"\\q\\x\\u12"', b'"\\q" \'\\z\'', b'"${NAME}"', b'"{{ name }}"', b'{{ name }}', b"${NAME}",
        b"<NAME>", b"NAME", b'"a"x', b'"a"1', b"1'a'", b"x'a'", b'"""a"""', b'b"a"', b'r"\\d"',
        b'"a" +\n"b"', b"`a`", b"\xe2\x80\x9ca\xe2\x80\x9d", b"\xef\xbc\x82a", b"a.b", b"a/b", b"/models/a",
        b"a-b", b"a b")),
    (b"instance_group @", (
        b"{}", b"{ }", b"<>", b"< >", b"{ count: 1 }", b": { count: 1 }", b": < count: 1 >", b"{ count: 1 >",
        b"< count: 1 }", b"[ { count: 1 } ]", b": [ { count: 1 } ]", b"[{count:1},{count:2}]",
        b"[{count:1} {count:2}]", b"[{count:1},]", b"[,{count:1}]", b"[{count:1};]", b"[]", b"[ ]", b": []",
        b":[ ] ,", b"[] ;", b"[<count: 1>, {count: 2}]", b"[[{}]]", b"[{}", b"[", b"{", b"<",
        b"", b":", b"::{}", b": 1", b"1", b"'a'", b": 'a'", b"a", b"[1]", b"[count: 1]", b"(count: 1)",
        b"{count: 1", b"{count: 1 kind: KIND_CPU", b"{ , }", b"{ ; }", b"{ count: 1, }", b"{ count: 1; }",
        b"{ count: 1,, }", b"{ count: 1 , kind: KIND_CPU ; gpus: 0 , }", b"{ {} }", b"{ count }",
        b"{ count: }", b"{ count 1 }", b"{ count: 1 count: 2 }", b"{ count: 0 count: 2 }",
        b"{ count: 2 count: 0 }",
        b"{ profile: '1' profile: '2' }", b"{ profile: ['1' '2'] }", b"{ profile: ['1', '2'] }",
        b"{ profile ['1'] }", b"{ profile [] }", b"{ profile [ { } ] }", b"{ gpus [ 0 ] }",
        b"{ gpus: [ 0 ] }",
        b"{ passive: false passive: true }", b"{ passive: true passive: true }",
        b"{ kind: KIND_AUTO kind: KIND_CPU }", b"{ kind: KIND_CPU kind: KIND_CPU }", b"{ kind: 0 kind: 9 }",
        b"{ kind: 9 }",
        b"{ name: '' name: 'a' }", b"{ rate_limiter {} rate_limiter {} }", b"{ # comment\n count: 1 }",
        b"{#\ncount:1#\n}", b"{count:1}instance_group{count:2}", b"{}}", b"{}>", b"}", b">", b"]")),
    (b"parameters @", (
        b'{ key: "a" value: { string_value: "b" } }', b'{ key: "a" value { string_value: "b" } }',
        b'{ key: "a", value: { string_value: "b", }, }', b'{ value { string_value: "b" } key: "a" }',
        b'{ key: "a" }', b"{ value {} }", b"{ }", b'[ { key: "a" value {} }, { key: "a" value {} } ]',
        b': [ { key: "a" } ]', b"[ ]", b'{ key: "a" key: "b" }', b"{ key: '' key: 'b' }",
        b"{ value {} value {} }",
        b'{ key: "a" value: "b" }', b"{ key: 1 }", b"{ key: a }", b'{ "a": "b" }', b"{ 'a' }",
        b'{ key: "a" value: { string_value: 1 } }', b'{ key: "a" value: { int64_value: 1 } }',
        b'{ key: "a" other: 1 }',
        b'{ key: "a" value: [ { string_value: "b" } ] }', b'{ key { } }', b'{ [a] }', b"'a'", b': "a"',
        b'{ key: "a" value { string_value: "b" string_value: "c" } }', b'{ key: "\xff" }')),
    (b"metric_tags { key: 'a' value: @ }", (b"'b'", b"b", b"1", b"{}", b"['b']", b"'' value: 'c'",
    b"'b' value: 'c'")),
    (b"version_policy @", (
        b"{ latest { num_versions: 1 } }", b": { all { } }", b"{ specific { versions: [1, 2] } }",
        b"{ specific: { versions: 1, versions: 2 } }", b"{ latest {} all {} }", b"{ latest {} latest {} }",
        b"{ all {} specific {} latest {} }", b"{ all }", b"{ all: true }", b"{ all: {} }", b"[ { all {} } ]",
        b"{ all { versions: 1 } }", b"{} version_policy {}", b"{} \n version_policy: { all {} }")),
    (b"model_warmup { inputs { key: 'a' value { @ } } }", (
        b"zero_data: true random_data: true", b"zero_data: false random_data: true",
        b"zero_data: false zero_data: true", b"random_data: false zero_data: true", b"zero_data: 0",
        b"input_data_file: '' zero_data: true",
        b"input_data_file: 'a' input_data_file: 'b'", b"input_data_file: '' input_data_file: 'b'",
        b"zero_data: true, random_data: true", b"zero_data: true random_data",
        b"zero_data:true\nrandom_data\n:\ntrue")),
    (b"dynamic_batching { } @", (
        b"sequence_batching { }", b"dynamic_batching { }", b"ensemble_scheduling { }", b"sequence_batching",
        b"sequence_batching: {}", b"sequence_batching: 1", b"dynamic_batching",
        b"\tensemble_scheduling\t{ }",
        b"ensemble_scheduling # c\n { }", b"ensemble_scheduling")),
    (b"sequence_batching { control_input { name: 'a' control { fp32_false_true: @ } } }", (
        b"[0, 1]", b"[0.0,1.0]", b"[ -1 , 1f ]", b"0 fp32_false_true: 1", b"[ inf, -nan ]", b"[0 1]",
        b"[0x1]", b"[-]", b"[1.5.5]", b"[.5.5]", b"[1e]", b"[1e,2]")),
    (b"dynamic_batching { priority_queue_policy { key: @ } }", (b"1", b"0", b"4294967295", b"4294967296",
    b"18446744073709551615", b"18446744073709551616", b"-1", b"'1'", b"1 key: 2", b"0 key: 2")),
    (b"instance_group { rate_limiter { priority: @ } }", (b"1", b"4294967295", b"4294967296", b"-1",
    b"18446744073709551616")),
)  # fmt: skip

_WHOLE_TEXTS: tuple[bytes, ...] = (
    b"", b" ", b"\n", b"\r", b"\r\n", b"\t", b"\f", b"\v", b"\x00", b"\x01", b"#", b"# only", b"# only\n",
    b"#\r", b"# mac\rname: 'a'\r", b"# mac\rfoo: 1\r\n foo: 1", b"# \x00\n", b"# \x01\n", b"# \xff\xfe\n",
    b"\xef\xbb\xbf", b"\xef\xbb\xbfname: 'a'", b"\xef\xbb\xbf# a\nname: 'a'", b"\xff\xfen\x00a\x00",
    b"\xfe\xff\x00n", b"\xef", b"\xef\xbb", b"name\xef\xbc\x9a 'a'", b"name:\xc2\xa0'a'",
    b"name: 'a'\xe3\x80\x80",
    # Where an error is said to be: tabs, several bytes for a character, the end of the text.
    b"\tfoo: 1", b"\t\tfoo: 1", b" \tfoo: 1", b"        \tfoo: 1", b"name: 'a'\tfoo\t: 1",
    b"\tname\t:\t'a'\tfoo\t:\t1", b"name: '\xc3\xa9\xe2\x98\x83' foo: 1", b"name: '\xc3\xa9\t' foo: 1",
    b"name: '\t\t' foo: 1",
    b"# \xc3\xa9\tfoo\nfoo: 1", b"\r\n\r\nfoo: 1", b"\r\rfoo: 1", b"\n\r\n\rfoo: 1", b"\x0b\x0cfoo: 1",
    b"\ffoo: 1", b"\vfoo: 1", b"\r\tfoo: 1", b"name: 'a\x01\x02' foo: 1", b"name: '\xff\xfe' foo: 1",
    b"name: 'a\r' foo: 1",
    b"foo", b"foo\n", b"foo # c", b"foo # c\n", b"foo\n\n\n", b"foo   ", b"foo \t", b"foo\t", b"foo:",
    b"foo:\n", b"foo\r\n", b"foo\n# c\n# d", b"foo\n\t# d\n\t", b"foo #\tc", b"foo # \xc3\xa9\t", b"foo #\r",
    b"foo #c\r\n\r\n", b"foo\x00\n", b"name", b"name\n", b"name # c\n", b"name:", b"name: ", b"name:\n",
    b"name:\n\n", b"name: # c", b"name: # c\n", b"name:\t", b"input", b"input {", b"input {\n",
    b"input {\n# c", b"input {\n# c\n", b"input { name", b"input { name:", b"input { name: 'a'",
    b"input { name: 'a'\n", b"input [", b"input [\n",
    b"input [ {", b"input [ { }", b"input [ { } ,", b"input [ { } , ", b"input [ { } ]", b"input: [",
    b"input:", b"input: ", b"dims", b"max_batch_size: -", b"max_batch_size: - ", b"max_batch_size: -\n",
    b"max_batch_size: 1.5",
    b"max_batch_size: 1\n}", b"max_batch_size: 1\n}\n", b"max_batch_size: 1 ]", b"}", b"{", b"{ }",
    b"{ name: 'a' }", b"< >", b"<", b">", b"[", b"]", b"[ ]", b"[ { } ]", b":", b": 'a'", b",", b";",
    b"name: 'a',", b"name: 'a';",
    b"name: 'a',,", b"name: 'a';;", b"name: 'a',;", b", name: 'a'", b"; name: 'a'",
    b"name: 'a' , ; max_batch_size: 1", b"name: 'a',max_batch_size: 1;backend: 'b'",
    b"name: 'a'max_batch_size: 1backend: 'b'",
    b"name: 'a'max_batch_size: 1 backend: 'b'", b"max_batch_size: 0x1fbackend: 'b'",
    b"max_batch_size: 1name: 'a'", b"max_batch_size: 1#c\nname: 'a'", b"name:'a'name:'b'",
    b"name: '' name: 'b'", b"name: 'a' name: ''", b"name: '' name: ''",
    b"name: ''name", b"name: 'a'name", b"name: 'a' name", b"name: 'a'\nname\n\n:\n'b'",
    b"max_batch_size: 0 max_batch_size: 1", b"max_batch_size: 1 max_batch_size: 0",
    b"max_batch_size: -0 max_batch_size: 1", b"max_batch_size: 1\nmax_batch_size\n",
    b"optimization {} optimization {}", b"optimization { graph { level: 0 level: 1 } }",
    b"optimization { graph { level: 1 level: 1 } }", b"optimization { priority: 0 priority: 1 }",
    b"optimization { priority: 1 priority: 0 }",
    b"optimization: { cuda { graphs: true } }", b"optimization { cuda { graphs true } }",
    (b"optimization { cuda { graphs: true graph_spec { batch_size: 1 input { key: 'a' value { dim:"
    b" [1] } } } } }"),
    b"sequence_batching { direct { minimum_slot_utilization: -0.0 minimum_slot_utilization: 1 } }",
    b"sequence_batching { direct { minimum_slot_utilization: 0 minimum_slot_utilization: 1 } }",
    b"sequence_batching { direct { minimum_slot_utilization: nan minimum_slot_utilization: 1 } }",
    b"sequence_batching { direct {} oldest {} }", b"sequence_batching { oldest {} direct {} }",
    b"sequence_batching { direct {} direct {} }",
    b"[ext.name]: 1", b"[ext.name] { }", b"[ext.name]", b"[ext.name", b"[ext", b"[ext.", b"[ext..name]: 1",
    b"[.ext]: 1", b"[ext.name.]: 1", b"[ ext . name ] : 1", b"[ext/name]: 1",
    b"[type.googleapis.com/x.Y] { }",
    b"[type.googleapis.com/x.Y]: { }", b"[type.googleapis.com/x.Y", b"[type.googleapis.com/]", b"[a/b/c] {}",
    b"[1] {}", b"['a'] {}", b"[inference.ModelConfig.name]: 'a'", b"[inference.ModelConfig]: 'a'",
    b"[\next\n.\nname\n]\n:\n1",
    b"[ext-name]: 1", b"[ext.name]\n\n", b"[%20]: 1", b"[ext.1]: 1", b"[ext.name] x",
    b"input { [ext.name]: 1 }", b"input { [type.googleapis.com/x.Y] { } }",
    b"1: 'a'", b"1 { }", b"-1: 1", b"'name': 'a'", b'"name": "a"', b"Name: 'a'", b"NAME: 'a'", b"name 'a'",
    b"name { }", b"name < >", b"name [ ]", b"name ['a']", b"name: { }", b"name = 'a'",
    b"name: 'a' 'b' max_batch_size: 1",
    b"name.x: 'a'", b"name.: 'a'", b".name: 'a'", b"name:: 'a'", b"name::'a'", b"name: : 'a'", b"na-me: 'a'",
    b"na me: 'a'", b"na\\me: 'a'", b"_name: 'a'", b"n\xc3\xa4me: 'a'", b"\xc3\xa4: 1", b"n`: 1",
    b"input.name: 'a'",
    b"// a\nname: 'a'", b"/* a */ name: 'a'", b"name: 'a' // a", b"name: 'a' /* a", b"/", b"//", b"/*",
    b"*/", b"-- a", b"% a", b"! a", b"name: 'a' \\", b"\\", b"`", b"$", b"${x}", b"{{ x }}",
    b"{% if x %}\nname: 'a'\n{% endif %}",
    b"<NAME>", b"<<<<<<< HEAD\nname: 'a'\n=======\nname: 'b'\n>>>>>>> x\n", b"name: \"a\"\n<<<<<<< HEAD\n",
    b"name: TYPE_#DTYPE\n", b"input [ { name: 'a' data_type: TYPE_#DTYPE dims: [ 1 ] } ]\n",
    b"input { data_type: ${T} dims: [ ${D} ] }",
    b"input { dims: [ {{ d }} ] }", b"input { dims: {{ d }} }", b"max_batch_size: {{ b }}",
    b"max_batch_size: ${b}", b"max_batch_size: <b>", b"max_batch_size: B", b"name: {{ n }}",
    b"{\"name\": \"a\"}", b"name: a\nbackend: b", b"---\nname: a",
    b"input { name: 'a' }}", b"input { name: 'a' } }", b"input {{ name: 'a' }}", b"input { name: 'a' ]",
    b"input [ { name: 'a' ]", b"input [ { name: 'a' } }", b"input [ name: 'a' ]",
    b"input [ { name: 'a' } { name: 'b' } ]",
    b"input [ { name: 'a' }, { name: 'b' }, ]", (b"input: { name: 'a', dims: [ 1, 2 ], }, output: {"
    b" name: 'b' };"), b"input { name: 'a' } input < name: 'b' > input [ { } ]",
    b"input { dims: 1 dims: [2, 3] dims: [] }", b"input { reshape { shape: [ ] } }",
    b"input { reshape { } reshape { } }", b"input { reshape: { shape: [] } reshape { } }",
    b"input { is_shape_tensor: false is_shape_tensor: true }",
    b"input { is_shape_tensor: true is_shape_tensor: false }",
    b"dynamic_batching { preferred_batch_size: 1 preferred_batch_size: 2 }", (b"dynamic_batching {"
    b" preferred_batch_size: [ 1, 2 ], max_queue_delay_microseconds: 100 }"), (b"dynamic_batching {"
    b" max_queue_delay_microseconds: 0 max_queue_delay_microseconds: 1 }"),
    b"dynamic_batching: [ ]", b"dynamic_batching: [ { } ]", b"dynamic_batching [ ]", b"dynamic_batching",
    b"dynamic_batching:", b"dynamic_batching { preferred_batch_size [ 1 ] }",
    b"dynamic_batching { preferred_batch_size [ ] }",
    b"dynamic_batching { preferred_batch_size 1 }", b"cc_model_filenames { key: 'a' value: 'b' }",
    b"cc_model_filenames [ { key: 'a' value: 'b' }, { } ]",
    b"model_operations { op_library_filename: [ 'a', 'b' ] }",
    (b"ensemble_scheduling { step [ { model_name: 'a' model_version: -1 input_map { key: 'a' value:"
    b" 'b' } } ] }"), b"ensemble_scheduling { step { model_version: - 1 } }",
    b"model_transaction_policy { decoupled: True }",
    b"response_cache { enable: t }", b"response_cache { enable: T }", b"platform: 'a'\x00",
    b"platform: 'a' # \x00 \x00\n\x00", b"\x00\x00foo", b"\x00", b"\x00 \x00", b"\x01foo: 1", b"fo\x00o: 1",
    b"fo\x01o: 1", b"\x7f", b"a\x7f: 1", b"\x1b[0m",
    b"name: 'a\x00b'\nfoo: 1", b"name: 'a\n", b"name: 'a\nfoo: 1", b"name: 'a\nbackend: 'b'\n",
    b"name: \"\\q\\z\" foo: 1", b"name: '\\q\n' foo: 1", b"max_batch_size: 08 foo: 1",
    b"max_batch_size: 0x foo: 1", b"max_batch_size: 1e foo: 1",
    b"max_batch_size: 1a foo: 1", b"max_batch_size: 089", b"max_batch_size: 0789", b"max_batch_size: 08.5",
    b"max_batch_size: 08e5", b"max_batch_size: 07.5", b"max_batch_size: 0x1.5", b"max_batch_size: 0x1e5",
    b"max_batch_size: 1.5.5", b"max_batch_size: 1.5e5.5",
    b"max_batch_size: 1.5e5e5", b"max_batch_size: 1.a", b"max_batch_size: a.5", b"max_batch_size: a .5",
    b"max_batch_size: 1.", b"max_batch_size: 1..5", b"max_batch_size: ...", b"max_batch_size: .5a",
    b"max_batch_size: 1fa", b"max_batch_size: 1f.5",
    b"max_batch_size: 1e5f", b"max_batch_size: 1\xc3\xa9", b"max_batch_size: 1_", b"max_batch_size: 1'a'",
    b"max_batch_size: 0x1\xff", b"max_batch_size: 0_1", b"max_batch_size: 0f", b"max_batch_size: 0xf",
    b"max_batch_size: 0a", b"max_batch_size: 0x0x1",
    b"max_batch_size: 1\x00", b"max_batch_size:\x001", b"max_batch_size\x00: 1",
    b"name: 'a' \x01 \x02 \x03 foo: 1", b"name: 'a' \x01\x02\x03 foo: 1", b"\xc3\xa9\xc3\xa9 foo: 1",
    b"name: 'a' \xc3\xa9", b"name: 'a' # \xc3\xa9\n \xc3\xa9 \x01 \xe2\x98\x83",
    b"foo: \xc3\xa9", b"foo \xc3\xa9", b"foo\x00", b"foo 08", b"foo: 08", b"foo '\\q'", b"foo: '\\q'",
    b"foo 1a", b"foo: 1a", b"name: 'a' name '\\q'", b"name: 'a' name 08", b"name: 'a' name: 08", b"name 08",
    b"max_batch_size '\\q'", b"name: 'a' 08", b"name: 'a' '\\q'",
    b"name: 'a' '\\q' '\\z' foo: 1", b"dynamic_batching {} sequence_batching 08",
    b"dynamic_batching {} sequence_batching: 08", b"[ext.name] 08", b"[ext.name]08", b"[ext 08",
    b"input [ { } 08 ]", b"input { dims: [ 1 08 ] }", b"input { dims: [ 08, 08, 09 ] }",
    b"input { dims: [ 08 08 ] }", b"max_batch_size: 99999999999 08", b"max_batch_size: 99999999999 foo",
    b"max_batch_size: a 08", b"input { optional: maybe 08 }", b"input { optional: 2 08 }",
    b"input { data_type: TYPE_FP99 08 }", b"input { data_type: 99999999999 08 }",
    b"max_batch_size: 99999999999\n", b"max_batch_size: 99999999999\n\n", b"max_batch_size: -99999999999\n",
    b"max_batch_size:\n-\n99999999999\n", b"input { optional: maybe\n}", b"input { optional:\nmaybe\n\n}",
    b"input { data_type: TYPE_FP99\n\t}",
    b"input {\n  name: 'a'\n  data_type: TYPE_FP99\n  dims: [ 1 ]\n}\n",
    b"input {\n\tname: 'a'\n\tdata_typ: TYPE_FP32\n}\n",
    b"input {\n\tname: 'a' data_typ\n\t\t: TYPE_FP32\n}\n",
    (b"name: 'a'\nplatform: \"tensorrt_plan\"\nmax_batch_size: 8\ninput [\n  {\n    name: \"x\"\n   "
    b" data_type: TYPE_FP32\n    dims: [ 3, -1, -1 ]\n  }\n]\noutput [\n  {\n    name: \"y\"\n   "
    b" data_type: TYPE_FP32\n    dims: [ 1000 ]\n  }\n]\n"
    b"instance_group [ { kind: KIND_GPU count: 1 } ]\noptimization { cuda { graphs: true }"
    b" }\ndynamic_batching { }\n"),
    b"max_queue_size: 1", b"is_non_linear_format_io: true", b"input { is_non_linear_format_io: true }",
    b"sequence_batching { iterative_sequence: true }", b"sequence_batching { generative_sequence: true }",
    b"model_metrics { }",
    (b"model_metrics { metric_control { metric_identifier { family: 'a' } histogram_options {"
    b" buckets: [ 1, 2.5 ] } } }"), b"sequence_batching { state { use_growable_memory: true } }",
    b"runtime: 'a'", b"metric_tags { }", b"model_repository_agents { agents [ { name: 'a' } ] }",
    b"# " + b"x" * 70_000 + b"\nfoo: 1", b"name: '" + b"a" * 10_000 + b"' foo: 1", b"\n" * 10_000 + b"foo: 1",
    b" " * 70_000 + b"\tfoo: 1", b"input { dims: [" + b"1," * 20_000 + b"] }",
    b"name: '" + b"a" * 70_000 + b"'", b"a" * 70_000, b"max_batch_size: " + b"0" * 1_000 + b"1",
    b"sequence_batching { direct { minimum_slot_utilization: " + b"1" * 1_000 + b"." + b"1" * 1_000 + b" } }",
    b"model_repository_agents { agents { parameters { key: 'a' value: 'b' } } } `",
)  # fmt: skip

_FRAMES = (
    # Places for each of NASTY.
    b"@", b"@\n", b"name: 'a' @", b"name@: 'a'", b"name: @\n", b"name: 'a'@ backend: 'b'", b"input { @ }",
    b"input { dims: [ 1, @ ] }", b"input [ @ { } ]", b"input { dims: 1 } @ # end",
    b"\tname:\t'\xc3\xa9' @ foo: 1",
    b"max_batch_size: @ backend: 'b'", (b"sequence_batching { direct { minimum_slot_utilization: @ }"
    b" }"), b"parameters { key: 'a' @ value { } }",
)  # fmt: skip

FIXED: tuple[bytes, ...] = tuple(
    dict.fromkeys(
        (
            *_WHOLE_TEXTS,
            *(frame.replace(b"@", value) for frame, values in _SPELLED for value in values),
            *(frame.replace(b"@", piece) for frame in _FRAMES for piece in NASTY),
        )
    )
)
"""Texts chosen by hand: every spelling known to matter, and every nasty piece in every kind of place."""
