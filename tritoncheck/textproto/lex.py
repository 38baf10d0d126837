"""Bytes to tokens, the way libprotobuf's `io::Tokenizer` cuts them for text format.

The text is handled as Latin-1, so one character is one byte: any input is accepted, offsets are byte offsets, and
what is not UTF-8 survives. Faults are recorded, never raised. Source of the rules: protobuf
`src/google/protobuf/io/tokenizer.cc` (comment style SH, `f` allowed after floats, a space required between a
number and an identifier, no line break in strings), checked against real Triton servers in `tests/oracle`.

The lenient mode reads what a person meant: unfilled placeholders become one token each, `//` and `/* */` count as
comments, full-width punctuation as the ASCII one. It is used for findings once the strict reading has failed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from tritoncheck.textproto.problem import Problem


class Kind(IntEnum):
    """Token kinds, as libprotobuf names them, and `HOLE` for an unfilled placeholder (lenient mode only)."""

    IDENTIFIER = 1
    INTEGER = 2
    FLOAT = 3
    STRING = 4
    SYMBOL = 5
    HOLE = 6
    END = 7


IDENTIFIER, INTEGER, FLOAT, STRING, SYMBOL, HOLE, END = (int(kind) for kind in Kind)

_NUMBER = r"0[xX][0-9a-fA-F]*|0[0-9]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]*)?[fF]?"
_PLAIN_STRING = r'"[^"\\\n\0]*"|' + r"'[^'\\\n\0]*'"
_STRING = r""""(?:[^"\\\n\0]|\\["'\\?]?)*+"?|'(?:[^'\\\n\0]|\\["'\\?]?)*+'?"""
_HOLE_CORE = (
    r"\$\{[^{}\n]*\}|\$\([^()\n]*\)|\$[A-Za-z_]\w*"  # shell, envsubst, string.Template
    r"|\{\{(?:[^{}\n]|\}(?!\}))*\}\}"  # Jinja, Helm
    r"|<[A-Za-z_][\w .-]*>"  # written by hand
    r"|(?<=[A-Za-z0-9_])\#[A-Z][A-Z0-9_]*"  # TYPE_#DTYPE
)
_HOLE = rf"(?:[A-Za-z0-9_.+-])*(?:{_HOLE_CORE})(?:[A-Za-z0-9_.+-]|{_HOLE_CORE})*"
_DIRECTIVE = r"\{%[^\n]*?%\}|\{\#[^\n]*?\#\}"
_SLASH_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?"
_NEVER = r"(?!)"

# What each group of the pattern is; the groups are numbered by this order.
_GROUPS = (HOLE, 0, 0, IDENTIFIER, INTEGER, 0, STRING, 0, SYMBOL, 0, 0, 0)
_KIND_OF_GROUP = (0, *_GROUPS)
_DIRECTIVE_GROUP, _SLASH_GROUP, _NUMBER_GROUP, _STRING_GROUP, _COMMENT_GROUP, _CONTROL_GROUP, _HIGH_GROUP = (
    2,
    3,
    6,
    8,
    10,
    11,
    12,
)


def _pattern(hole: str, directive: str, slash: str, high: str) -> re.Pattern[str]:
    return re.compile(
        r"[ \t\n\r\f\v]+"
        rf"|({hole})|({directive})|({slash})"
        r"|([A-Za-z_][A-Za-z0-9_]*)"
        r"|((?:0|[1-9][0-9]*)(?![0-9A-Za-z_.]))"
        rf"|({_NUMBER})"
        rf"|({_PLAIN_STRING})|({_STRING})"
        r"|([!-\"$-/:-@\[-`{-~\x7f])"
        r"|(\#[^\n\0]*)"
        r"|([\x00-\x1f]+)"
        rf"|({high})"
    )


_STRICT = _pattern(_NEVER, _NEVER, _NEVER, r"[\x80-\xff]")
_LENIENT = _pattern(_HOLE, _DIRECTIVE, _SLASH_COMMENT, r"[\x80-\xff]+")

_ESCAPE = re.compile(r"[abfnrtv\\?'\"0-7]")
_HEX = "0123456789abcdefABCDEF"
_FULL_WIDTH = {"：": ":", "，": ",", "；": ";", "｛": "{", "｝": "}", "［": "[", "］": "]"}


@dataclass(slots=True)
class Tokens:
    """Parallel lists, one entry a token: its kind and its byte span; the last token is `END`.

    comments: spans of the comments; problems: faults of layer 0.
    """

    kinds: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def lex(text: str, lenient: bool = False) -> Tokens:
    """Cut `text` (Latin-1) into tokens. Every byte is in a token, a comment, white space or a problem's span."""
    tokens = Tokens()
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    kind_of_group = _KIND_OF_GROUP
    for match in (_LENIENT if lenient else _STRICT).finditer(text):
        group = match.lastindex
        if group is None:
            continue
        kind = kind_of_group[group]
        if not kind:
            kind = _odd_token(text, match, group, tokens, lenient)
            if not kind:
                continue
        kinds.append(kind)
        starts.append(match.start())
        ends.append(match.end())
    kinds.append(END)
    starts.append(len(text))
    ends.append(len(text))
    return tokens


def _odd_token(text: str, match: re.Match[str], group: int, tokens: Tokens, lenient: bool) -> int:
    """Deal with what is rare; the kind of the token, 0 where the match is no token."""
    start, end = match.span()
    if group == _COMMENT_GROUP:
        tokens.comments.append((start, end))
        return 0
    if group == _NUMBER_GROUP:
        return _number(text, start, end, tokens)
    if group == _STRING_GROUP:
        _string(text, start, end, tokens)
        return STRING
    if group == _CONTROL_GROUP:
        message = f"control character {text[start]!a} outside a string"
        _fault(tokens, start, end, start, message, "Invalid control characters encountered in text.", "delete it")
        return 0
    if group == _HIGH_GROUP:
        return _non_ascii(text, start, end, tokens, lenient)
    if group == _SLASH_GROUP:
        tokens.comments.append((start, end))
        tokens.problems.append(
            Problem(
                "slash-comment",
                start,
                end,
                f"`{text[start : start + 2]}` does not begin a comment in text format; only `#` does",
                "begin the comment with `#`",
                token=len(tokens.kinds),
                layer=0,
            )
        )
        return 0
    _fault(tokens, start, end, start, "template directive left in the file", "", "render the template first")
    tokens.problems[-1].kind = "placeholder"
    return 0


def _fault(tokens: Tokens, start: int, end: int, at: int, message: str, server_text: str, advice: str = "") -> None:
    tokens.problems.append(
        Problem(
            "syntax",
            start,
            end,
            message,
            advice,
            token=len(tokens.kinds),
            server_offset=at,
            server_text=server_text,
            layer=0,
        )
    )


def _non_ascii(text: str, start: int, end: int, tokens: Tokens, lenient: bool) -> int:
    shown = text[start:end].encode("latin-1").decode("utf-8", "replace")
    if not lenient:
        _fault(
            tokens,
            start,
            end,
            start,
            "a byte that is not ASCII, outside strings and comments",
            f"Interpreting non ascii codepoint {ord(text[start])}.",
        )
        return SYMBOL
    if shown.startswith("\ufeff"):
        message, advice = "the file begins with a byte order mark", "save it as UTF-8 without a byte order mark"
    else:
        message = f"`{shown}` is not ASCII and stands outside strings and comments"
        plain = _FULL_WIDTH.get(shown)
        advice = f"write the ASCII `{plain}`" if plain else "delete it, or put it into quotes or a comment"
    _fault(tokens, start, end, start, message, "", advice)
    return SYMBOL if shown in _FULL_WIDTH else 0


def _number(text: str, start: int, end: int, tokens: Tokens) -> int:
    token = text[start:end]
    kind = INTEGER
    if token[:2] in ("0x", "0X"):
        if end - start == 2:
            server = '"0x" must be followed by hex digits.'
            _fault(tokens, start, end, end, f"`{token}` has no hexadecimal digits", server)
    elif token[0] == "0" and token.isdigit() and len(token) > 1:
        digits = len(token) - len(token.lstrip("01234567"))
        if digits < len(token):
            server = "Numbers starting with leading zero must be in octal."
            message = f"`{token}` begins with 0 and is read as octal, which has no digits 8 and 9"
            _fault(tokens, start, end, start + digits, message, server, f"write `{token.lstrip('0')}`")
    else:
        lowered = token.lower()
        if not token.isdigit():
            kind = FLOAT
        bare = lowered.removesuffix("f")
        if "e" in bare and not bare[-1].isdigit():
            at = end - (len(lowered) - len(bare))
            _fault(tokens, start, end, at, f"`{token}` has no exponent", '"e" must be followed by exponent.')
        if token[0] == "." and tokens.kinds and tokens.kinds[-1] == IDENTIFIER and tokens.ends[-1] == start:
            server = "Need space between identifier and decimal point."
            _fault(tokens, start, end, start, "a name and a number run together", server, "put a space between")
    follower = text[end : end + 1]
    if (follower.isalpha() and follower.isascii()) or follower == "_":
        server = "Need space between number and identifier."
        _fault(tokens, start, end, end, f"the number `{token}` and a name run together", server)
    elif follower == ".":
        server = (
            "Already saw decimal point or exponent; can't have another one."
            if kind == FLOAT
            else "Hex and octal numbers must be integers."
        )
        _fault(tokens, start, end, end, f"`{token}.` is not a number", server)
    return kind


def _string(text: str, start: int, end: int, tokens: Tokens) -> None:
    """Check the escapes and the end of a string; positions as libprotobuf's `ConsumeString` has them."""
    quote = text[start]
    at = start + 1
    while at < end:
        char = text[at]
        if char == quote:
            return
        if char != "\\":
            at += 1
            continue
        at, server = _escape(text, at + 1)
        if server:
            message = f"unknown or incomplete escape `{text[at - 1 : at + 1]}` in a string"
            if text[at - 1] == "\\":
                advice = "write `\\\\` for a backslash"
            else:
                message, advice = "incomplete escape in a string", ""
            _fault(tokens, start, end, at, message, server, advice)
    if end < len(text) and text[end] == "\n":
        server = "String literals cannot cross line boundaries."
        _fault(tokens, start, end, end, "the string does not end on its line", server, f"close it with `{quote}`")
    else:
        message = "the string does not end" if end == len(text) else "a NUL byte inside a string"
        _fault(tokens, start, end, end, message, "Unexpected end of string.", f"close it with `{quote}`")


def _escape(text: str, at: int) -> tuple[int, str]:
    """The offset behind the escape whose letter stands at `at`, and what libprotobuf says of a wrong one."""
    letter = text[at : at + 1]
    if letter and _ESCAPE.match(letter):
        return at + 1, ""
    if letter == "x":
        at += 1
        if text[at : at + 1] not in _HEX or at >= len(text):
            return at, "Expected hex digits for escape sequence."
        return at + 1, ""
    if letter == "u":
        return _hex_digits(text, at + 1, ("*",) * 4, "Expected four hex digits for \\u escape sequence.")
    if letter == "U":
        wanted = ("0", "0", "01", *("*",) * 5)
        return _hex_digits(text, at + 1, wanted, "Expected eight hex digits up to 10ffff for \\U escape sequence")
    return at, "Invalid escape sequence in string literal."


def _hex_digits(text: str, at: int, wanted: tuple[str, ...], server: str) -> tuple[int, str]:
    for allowed in wanted:
        char = text[at : at + 1]
        if not char or char not in (_HEX if allowed == "*" else allowed):
            return at, server
        at += 1
    return at, ""
