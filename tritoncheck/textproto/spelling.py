"""Faults inside one token: a number or a string that libprotobuf's tokenizer cuts out and complains about.

Source: protobuf `src/google/protobuf/io/tokenizer.cc`, `ConsumeNumber` and `ConsumeString`, whose messages and
offsets these are. Nothing here knows what stands around the token, except what touches it.
"""

from __future__ import annotations

import re

from tritoncheck.textproto.tokens import FLOAT, IDENTIFIER, INTEGER, Tokens

NUL_INSIDE = "a NUL byte inside a string"

_HEX = "0123456789abcdefABCDEF"
_SIMPLE_ESCAPE = re.compile(r"[abfnrtv\\?'\"0-7]")
_LETTERS = re.compile(r"[A-Za-z_]")
_PLAIN_PART = {quote: re.compile(rf"[^{quote}\\]*+") for quote in "\"'"}


def check_number(text: str, start: int, end: int, tokens: Tokens) -> int:
    """Check a number that is not plainly decimal; `INTEGER` or `FLOAT`."""
    token = text[start:end]
    kind = INTEGER
    if token[:2] in ("0x", "0X"):
        if end - start == 2:
            server = '"0x" must be followed by hex digits.'
            tokens.fault(start, end, f"`{token}` has no hexadecimal digits", server, end)
    elif token[0] == "0" and token.isdigit() and len(token) > 1:
        _check_octal(token, start, end, tokens)
    else:
        kind = INTEGER if token.isdigit() else FLOAT
        _check_decimal(token, start, end, tokens)
    follower = text[end : end + 1]
    if _LETTERS.match(follower):
        server = "Need space between number and identifier."
        tokens.fault(start, end, f"the number `{token}` and a name run together", server, end)
    elif follower == ".":
        server = "Hex and octal numbers must be integers."
        if kind == FLOAT:
            server = "Already saw decimal point or exponent; can't have another one."
        tokens.fault(start, end, f"`{token}.` is not a number", server, end)
    return kind


def _check_octal(token: str, start: int, end: int, tokens: Tokens) -> None:
    digits = len(token) - len(token.lstrip("01234567"))
    if digits < len(token):
        server = "Numbers starting with leading zero must be in octal."
        message = f"`{token}` begins with 0 and is read as octal, which has no digits 8 and 9"
        tokens.fault(start, end, message, server, start + digits, f"write `{token.lstrip('0')}`")


def _check_decimal(token: str, start: int, end: int, tokens: Tokens) -> None:
    bare = token.lower().removesuffix("f")
    if "e" in bare and not bare[-1].isdigit():
        at = start + len(bare)
        tokens.fault(start, end, f"`{token}` has no exponent", '"e" must be followed by exponent.', at)
    touches = bool(tokens.kinds) and tokens.kinds[-1] == IDENTIFIER and tokens.ends[-1] == start
    if token[0] == "." and touches:
        server = "Need space between identifier and decimal point."
        tokens.fault(start, end, "a name and a number run together", server, start, "put a space between")


def check_string(text: str, start: int, end: int, tokens: Tokens) -> None:
    """Check the escapes and the end of a string; positions as libprotobuf's `ConsumeString` has them."""
    quote = text[start]
    plain = _PLAIN_PART[quote]
    at = start + 1
    while True:
        at = plain.match(text, at, end).end()  # type: ignore[union-attr]
        if at == end:
            break
        if text[at] == quote:
            return
        at, server = _escape(text, at + 1)
        if server:
            message, advice = "incomplete escape in a string", ""
            if text[at - 1] == "\\":
                message = f"unknown escape `{text[at - 1 : at + 1]}` in a string"
                advice = "write `\\\\` for a backslash"
            tokens.fault(start, end, message, server, at, advice)
    if end < len(text) and text[end] == "\n":
        server = "String literals cannot cross line boundaries."
        tokens.fault(start, end, "the string does not end on its line", server, end, f"close it with `{quote}`")
    else:
        message, advice = "the string does not end", f"close it with `{quote}`"
        if end < len(text):
            message, advice = NUL_INSIDE, "delete it"
        tokens.fault(start, end, message, "Unexpected end of string.", end, advice)


def _escape(text: str, at: int) -> tuple[int, str]:
    """The offset behind the escape whose letter stands at `at`, and what libprotobuf says of a wrong one."""
    letter = text[at : at + 1]
    if _SIMPLE_ESCAPE.match(letter):
        return at + 1, ""
    if letter == "x":
        good = text[at + 1 : at + 2] in _HEX and at + 1 < len(text)
        return (at + 2, "") if good else (at + 1, "Expected hex digits for escape sequence.")
    if letter == "u":
        return _digits(text, at + 1, (_HEX,) * 4, "Expected four hex digits for \\u escape sequence.")
    if letter == "U":
        wanted = ("0", "0", "01", *(_HEX,) * 5)
        return _digits(text, at + 1, wanted, "Expected eight hex digits up to 10ffff for \\U escape sequence")
    return at, "Invalid escape sequence in string literal."


def _digits(text: str, at: int, wanted: tuple[str, ...], server: str) -> tuple[int, str]:
    for allowed in wanted:
        if text[at : at + 1] not in allowed or at >= len(text):
            return at, server
        at += 1
    return at, ""
