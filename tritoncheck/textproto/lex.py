"""Bytes to tokens, the way libprotobuf's `io::Tokenizer` cuts them for text format.

The text is handled as Latin-1, so one character is one byte: any input is accepted, offsets are byte offsets, and
what is not UTF-8 survives. Faults are recorded, never raised. Source of the rules: protobuf
`src/google/protobuf/io/tokenizer.cc` (comment style SH, `f` allowed after floats, a space required between a
number and an identifier, no line break in strings), checked against real Triton servers in `tests/oracle`.

Two ways to the same tokens: nearly every file has none but the plainest ones, which one `findall` cuts; any other is
read token by token. `templates` is the reading for people, made of the same parts.
"""

from __future__ import annotations

import re

from tritoncheck.textproto.spelling import check_number, check_string
from tritoncheck.textproto.tokens import END, IDENTIFIER, INTEGER, STRING, SYMBOL, Tokens

SPACE = r"[ \t\n\r\f\v]"
NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
PLAIN_NUMBER = r"(?:0|[1-9][0-9]*+)(?![0-9A-Za-z_.])"
NUMBER = r"0[xX][0-9a-fA-F]*|0[0-9]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]*)?[fF]?"
PLAIN_STRING = r'"[^"\\\n\0]*+"|' + r"'[^'\\\n\0]*+'"
STRING_START = (
    r'"[^"\\\n\0]*+(?:\\["\'\\?]?[^"\\\n\0]*+)*"?|'
    r"'[^'\\\n\0]*+(?:\\[\"'\\?]?[^'\\\n\0]*+)*'?"
)
PUNCTUATION = r"[!-\"$-/:-@\[-`{-~\x7f]"
COMMENT = r"\#[^\n\0]*+"
CONTROL = r"[\x00-\x1f]+"

_PLAIN = re.compile(rf"({NAME}|[:{{}}\[\],;<>-]|{PLAIN_STRING}|{PLAIN_NUMBER}|{COMMENT})({SPACE}*+)")
_PLAIN_KINDS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", IDENTIFIER),
    **dict.fromkeys("0123456789", INTEGER),
    **dict.fromkeys("\"'", STRING),
    **dict.fromkeys(":{}[],;<>-", SYMBOL),
    "#": 0,
}
_SPACES = re.compile(rf"{SPACE}*+")
_ANY = re.compile(
    rf"{SPACE}+|(?P<name>{NAME})|(?P<plain_number>{PLAIN_NUMBER})|(?P<number>{NUMBER})|(?P<plain_string>{PLAIN_STRING})"
    rf"|(?P<string>{STRING_START})|(?P<punctuation>{PUNCTUATION})|(?P<comment>{COMMENT})|(?P<control>{CONTROL})"
    r"|(?P<high>[\x80-\xff])"
)


def lex(text: str) -> Tokens:
    """Cut `text` (Latin-1) into tokens. Every byte is in a token, a comment, white space or a fault's span."""
    return _lex_plain(text) or _lex_any(text)


def _lex_plain(text: str) -> Tokens | None:
    """The tokens of a text without anything odd, None for any other."""
    tokens = Tokens()
    kinds, texts, starts, ends = tokens.kinds, tokens.texts, tokens.starts, tokens.ends
    kind_of = _PLAIN_KINDS
    at = _SPACES.match(text).end()  # type: ignore[union-attr]
    for piece, gap in _PLAIN.findall(text, at):
        kind = kind_of[piece[0]]
        end = at + len(piece)
        if kind:
            kinds.append(kind)
            texts.append(piece)
            starts.append(at)
            ends.append(end)
        else:
            tokens.comments.append((at, end))
        at = end + len(gap)
    if at != len(text):  # `findall` has stepped over something that is not plain
        return None
    tokens.add(END, "", at)
    return tokens


def _lex_any(text: str) -> Tokens:
    tokens = Tokens()
    for match in _ANY.finditer(text):
        group = match.lastgroup
        if group is not None:
            cut(tokens, text, match, group)
    tokens.add(END, "", len(text))
    return tokens


_KINDS = {"name": IDENTIFIER, "plain_number": INTEGER, "plain_string": STRING, "punctuation": SYMBOL}


def cut(tokens: Tokens, text: str, match: re.Match[str], group: str) -> None:
    """Append what a group of the pattern matched, with the faults in it."""
    start, end = match.span()
    kind = _KINDS.get(group)
    if kind is not None:
        tokens.add(kind, match[0], start)
    elif group == "comment":
        tokens.comments.append((start, end))
    elif group == "number":
        tokens.add(check_number(text, start, end, tokens), match[0], start)
    elif group == "string":
        check_string(text, start, end, tokens)
        tokens.add(STRING, match[0], start)
    elif group == "control":
        message = f"control character {match[0][:8]!a} outside strings"
        server = "Invalid control characters encountered in text."
        tokens.fault(start, end, message, server, start, "delete it")
    else:
        message = "a byte that is not ASCII, outside strings and comments"
        server = f"Interpreting non ascii codepoint {ord(match[0])}."
        tokens.fault(start, end, message, server, start)
        tokens.add(SYMBOL, match[0], start)
