"""One scalar of a text as the value of a field, by the rules of libprotobuf's `TextFormat::Parser`.

Source: protobuf `src/google/protobuf/text_format.cc`, `ConsumeFieldValue` and what it calls; checked against real
Triton servers in `tests/oracle`. Knows nothing of messages, paths or files, nor how to say a fault to a person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tritoncheck.schema.descriptors import FieldInfo
from tritoncheck.textproto import Kind, Scalar, Tokens
from tritoncheck.textproto.strings import unquote

IDENTIFIER, INTEGER, FLOAT, STRING = int(Kind.IDENTIFIER), int(Kind.INTEGER), int(Kind.FLOAT), int(Kind.STRING)

LIMITS = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
    "enum": (-(2**31), 2**31 - 1),
}
_BOOLEANS = {"true": True, "True": True, "t": True, "false": False, "False": False, "f": False}
_EXPECTED = {
    "string": "string",
    "bool": "identifier",
    "enum": "integer or identifier",
    "float": "double",
    "double": "double",
}

Value = str | bytes | int | float | bool


class Fault(NamedTuple):
    """Why a scalar does not fit.

    token: where libprotobuf stands when it says `server`. reason: `type` (another kind of token is due), `range`
    (a number out of range), `name` (an unknown enum value or boolean) or `zero` (a leading zero or 0x in a float).
    """

    token: int
    server: str
    reason: str


def expectation(field: FieldInfo) -> str:
    """What libprotobuf says is due where a value of this field is."""
    return f"Expected {_EXPECTED.get(field.kind, 'integer')}"


def _string(tokens: Tokens, scalar: Scalar, field: FieldInfo) -> Value | Fault:
    first, end = scalar.first, scalar.last + 1
    text = tokens.texts[first]
    if end - first == 1 and tokens.kinds[first] == STRING:
        if "\\" not in text and text.isascii() and text[-1] == text[0] != text:
            return text[1:-1]
    elif any(kind != STRING for kind in tokens.kinds[first:end]):
        return _not(tokens, first, expectation(field))
    return unquote(tokens.texts[first:end]).decode("utf-8", "replace")


def _integer(tokens: Tokens, scalar: Scalar, field: FieldInfo) -> int | Fault:
    at = scalar.first
    text = tokens.texts[at]
    low, high = LIMITS[field.kind]
    negative = text == "-" and low < 0
    if negative:
        at += 1
        text = tokens.texts[at]
    if tokens.kinds[at] != INTEGER or at != scalar.last:
        return _not(tokens, at, "Expected integer")
    number = parse_integer(text)
    if number is None or number > (-low if negative else high):
        return Fault(at, f"Integer out of range ({text})", "range")
    return -number if negative else number


def parse_integer(text: str) -> int | None:
    """A decimal, hexadecimal (`0x1f`) or octal (`010`) number; None for a digit that its base lacks.

    A decimal number of more than 40 digits is cut, as Python would refuse one of more than 4300.
    """
    if text[0] != "0" or len(text) == 1:
        return int(text[:40])
    if text[1] in "xX":
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.strip("01234567") == "" else None


def _bool(tokens: Tokens, scalar: Scalar, field: FieldInfo) -> bool | Fault:
    at = scalar.first
    text, kind = tokens.texts[at], tokens.kinds[at]
    if at != scalar.last:
        return _not(tokens, at, expectation(field))
    if kind == IDENTIFIER:
        value = _BOOLEANS.get(text)
        if value is not None:
            return value
        return Fault(at + 1, f'Invalid value for boolean field "{field.name}". Value: "{text}".', "name")
    if kind == INTEGER:
        number = parse_integer(text)
        return bool(number) if number in (0, 1) else Fault(at, f"Integer out of range ({text})", "range")
    return _not(tokens, at, expectation(field))


def _float(tokens: Tokens, scalar: Scalar, field: FieldInfo) -> float | Fault:
    at, sign = scalar.first, 1.0
    if tokens.texts[at] == "-":
        at, sign = at + 1, -1.0
    text, kind = tokens.texts[at], tokens.kinds[at]
    if at != scalar.last:
        return _not(tokens, at, expectation(field))
    if kind == INTEGER:
        if text[0] == "0" and text[1:2] and text[1] in "xX01234567":
            return Fault(at, f"Expect a decimal number, got: {text}", "zero")
        return sign * float(text)
    if kind == FLOAT:
        # As `Tokenizer::ParseFloat`: an `f` behind it and an exponent without digits are dropped.
        return sign * float(text.rstrip("fF").rstrip("+-").rstrip("eE") or "0")
    lowered = text.lower()
    if kind == IDENTIFIER and lowered in ("inf", "infinity", "nan"):
        return sign * float(lowered)
    if kind == IDENTIFIER:
        return Fault(at, f"Expected double, got: {lowered}", "type")
    return _not(tokens, at, expectation(field))


def _enum(tokens: Tokens, scalar: Scalar, field: FieldInfo) -> int | str | Fault:
    at = scalar.first
    text, kind = tokens.texts[at], tokens.kinds[at]
    if kind == IDENTIFIER and at == scalar.last:
        assert field.enum is not None
        number = field.enum.steady.get(text)
        if number is not None:
            return number
        if text in field.enum.values:
            return text
        return Fault(at + 1, f'Unknown enumeration value of "{text}" for field "{field.name}".', "name")
    if kind == INTEGER or text == "-":
        return _integer(tokens, scalar, field)
    return _not(tokens, at, expectation(field))


def _not(tokens: Tokens, at: int, expected: str) -> Fault:
    return Fault(at, f"{expected}, got: {tokens.texts[at]}", "type")


READERS: dict[str, Callable[[Tokens, Scalar, FieldInfo], Value | Fault]] = {
    **dict.fromkeys(("int32", "uint32", "int64", "uint64"), _integer),
    "string": _string,
    "bool": _bool,
    "enum": _enum,
    "float": _float,
    "double": _float,
}
"""By the kind of a field, what reads a scalar as its value: the value, or why there is none.

Of an enum value that not every release has, it gives the name instead of the number. Enum numbers need not be known
(proto3 enums are open).
"""
