"""One scalar of a text as the value of a field, by the rules of libprotobuf's `TextFormat::Parser`.

Source: protobuf `src/google/protobuf/text_format.cc`, `ConsumeFieldValue` and what it calls; checked against real
Triton servers in `tests/oracle`. Knows nothing of messages, paths or files.
"""

from __future__ import annotations

from typing import NamedTuple

from tritoncheck.schema.descriptors import EnumInfo, FieldInfo
from tritoncheck.textproto import Document, Kind, Scalar
from tritoncheck.textproto.document import decode, unquote

IDENTIFIER, INTEGER, FLOAT, STRING = int(Kind.IDENTIFIER), int(Kind.INTEGER), int(Kind.FLOAT), int(Kind.STRING)

_LIMITS = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_TRUE, _FALSE = ("true", "True", "t"), ("false", "False", "f")

Value = str | bytes | int | float | bool


class Fault(NamedTuple):
    """Why a scalar does not fit: the token libprotobuf stands at, its words, ours, and the kind of problem."""

    token: int
    server_text: str
    message: str
    help: str = ""
    kind: str = "wrong-type"


def describe(field: FieldInfo) -> str:
    """The type of a field in words, for a person who must write a value of it."""
    if field.enum is not None:
        return f"a value of `{field.enum.name}`"
    words = {
        "string": "a string in quotes",
        "bool": "`true` or `false`",
        "float": "a number",
        "double": "a number",
        "message": "a block `{ … }`",
    }
    if field.kind in words:
        return words[field.kind]
    return f"a whole number ({field.kind})"


def read_scalar(document: Document, scalar: Scalar, field: FieldInfo) -> Value | Fault:
    """The value, or why there is none. Enum numbers need not be known (proto3 enums are open)."""
    kind = field.kind
    tokens = document.tokens
    if kind == "string":
        if tokens.kinds[scalar.first] != STRING:
            return _not(document, scalar.first, field, "Expected string")
        return _string(document, scalar)
    if kind == "enum":
        assert field.enum is not None
        return _enum(document, scalar, field, field.enum)
    if kind == "bool":
        return _bool(document, scalar, field)
    if kind in ("float", "double"):
        return _float(document, scalar, field)
    low, high = _LIMITS[kind]
    return _integer(document, scalar, field, low, high)


def _string(document: Document, scalar: Scalar) -> str:
    token = document.token(scalar.first)
    if scalar.first == scalar.last and "\\" not in token:
        return decode(token[1:-1] if token[-1] == token[0] and len(token) > 1 else token[1:])
    parts = [document.token(index) for index in range(scalar.first, scalar.last + 1)]
    return unquote(parts).decode("utf-8", "replace")


def _integer(document: Document, scalar: Scalar, field: FieldInfo, low: int, high: int) -> int | Fault:
    at = scalar.first
    text = document.token(at)
    negative = text == "-" and low < 0
    if negative:
        at += 1
        text = document.token(at)
    if document.tokens.kinds[at] != INTEGER:
        return _not(document, at, field, "Expected integer")
    number = parse_integer(text)
    if number is None or number > (-low if negative else high):
        server = f"Integer out of range ({text})"
        message = f"`{'-' if negative else ''}{text}` does not fit `{field.name}`, an {field.kind}"
        return Fault(at, server, message, f"write a number from {low} to {high}")
    return -number if negative else number


def parse_integer(text: str) -> int | None:
    """A decimal, hexadecimal (`0x1f`) or octal (`010`) number; None for a digit that its base lacks."""
    if text[:2] in ("0x", "0X"):
        return int(text[2:] or "0", 16)
    if text[0] == "0" and len(text) > 1:
        return int(text, 8) if text.strip("01234567") == "" else None
    return int(text) if len(text) < 40 else 10**40


def _bool(document: Document, scalar: Scalar, field: FieldInfo) -> bool | Fault:
    text, kind = document.token(scalar.first), document.tokens.kinds[scalar.first]
    if kind == INTEGER:
        number = parse_integer(text)
        if number is None or number > 1:
            return Fault(
                scalar.first,
                f"Integer out of range ({text})",
                f"`{text}` is no value of the boolean `{field.name}`",
                "write `true` or `false`",
            )
        return bool(number)
    if kind != IDENTIFIER:
        return _not(document, scalar.first, field, "Expected identifier")
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    server = f'Invalid value for boolean field "{field.name}". Value: "{text}".'
    message = f"`{text}` is no value of the boolean `{field.name}`"
    return Fault(scalar.first + 1, server, message, "write `true` or `false`")


def _float(document: Document, scalar: Scalar, field: FieldInfo) -> float | Fault:
    at = scalar.first
    sign = -1.0 if document.token(at) == "-" else 1.0
    if sign < 0:
        at += 1
    text, kind = document.token(at), document.tokens.kinds[at]
    if kind == INTEGER:
        if text[0] == "0" and text[1:2] and text[1] in "xX01234567":
            server = f"Expect a decimal number, got: {text}"
            return Fault(at, server, f"`{text}`: `{field.name}` takes a decimal number without a leading zero")
        return sign * float(text)
    if kind == FLOAT:
        return sign * _parse_float(text)
    lowered = text.lower()
    if kind == IDENTIFIER and lowered in ("inf", "infinity", "nan"):
        return sign * float(lowered)
    return _not(document, at, field, "Expected double")


def _parse_float(text: str) -> float:
    """As `Tokenizer::ParseFloat`: an `f` behind it and an exponent without digits are dropped."""
    text = text.rstrip("fF").rstrip("+-").rstrip("eE")
    return float(text or "0")


def _enum(document: Document, scalar: Scalar, field: FieldInfo, enum: EnumInfo) -> int | str | Fault:
    text, kind = document.token(scalar.first), document.tokens.kinds[scalar.first]
    if kind == IDENTIFIER:
        number = enum.values.get(text)
        if number is not None:
            return text
        server = f'Unknown enumeration value of "{text}" for field "{field.name}".'
        message = f"`{text}` is no value of `{enum.name}`"
        return Fault(scalar.first + 1, server, message, kind="enum-value")
    if kind == INTEGER or text == "-":
        return _integer(document, scalar, field, -(2**31), 2**31 - 1)
    return _not(document, scalar.first, field, "Expected integer or identifier")


def _not(document: Document, token: int, field: FieldInfo, expected: str) -> Fault:
    found = document.token(token)
    shown = decode(found)
    server = f"{expected}, got: {found}"
    kind = document.tokens.kinds[token]
    if found == "" or kind == int(Kind.END):
        return Fault(token, server, f"the value of `{field.name}` is missing", f"write {describe(field)}", "syntax")
    advice = f"write {describe(field)}"
    if kind == STRING and field.kind != "string":
        bare = found[1:-1]
        if bare.isalnum() or bare.replace("_", "a").isalnum():
            advice = f"without the quotes: `{bare}`"
    elif field.kind == "string" and kind == IDENTIFIER:
        advice = f'in quotes: `"{shown}"`'
    return Fault(token, server, f"`{field.name}` takes {describe(field)}, not `{shown}`", advice)
