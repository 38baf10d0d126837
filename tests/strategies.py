"""ModelConfig texts to try on every parser: generated valid, broken by edits, and noise.

Whoever compares two readers of the text format (ours, the server's, protobuf's for Python) needs texts that
reach every branch of a tokenizer and a parser, and far more of them than real files offer. Everything here is
drawn from a `random.Random`: `texts` for bulk use from a seed, the hypothesis strategies from hypothesis'
own, so that they shrink. What is accepted is not known here: that is for the server to say (tests/oracle).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.oracle.cases import FIXED, NASTY
from tests.writer import Writer

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
