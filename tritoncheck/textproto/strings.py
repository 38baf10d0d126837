"""String tokens to the bytes they stand for, and Latin-1 text to what a person sees.

Everything here works on Latin-1 text, one character a byte; see `lex` for why.
"""

from __future__ import annotations

_SIMPLE_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OCTAL, _HEX = "01234567", "0123456789abcdefABCDEF"
# Quotes that a text processor makes out of `"` and `'` (the lenient reading takes them for what was meant), as UTF-8.
SMART_QUOTES = {
    quote.encode().decode("latin-1"): plain
    for quotes, plain in (("“”„‟＂", '"'), ("‘’‚‛＇", "'"))
    for quote in quotes
}  # fmt: skip


def decode(text: str) -> str:
    """Latin-1 text, one character a byte, as the UTF-8 it stands for; other bytes become U+FFFD."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")


def unquote(parts: list[str]) -> bytes:
    """The bytes of adjacent string tokens, their quotes taken off and escapes resolved."""
    out = bytearray()
    for part in parts:
        body = _body(part)
        if "\\" in body:
            _unescape(body, out)
        else:
            out += body.encode("latin-1")
    return bytes(out)


def _body(token: str) -> str:
    """A string token without its quotes; the last one may be missing."""
    quote = token[:1]
    if quote in ('"', "'"):
        return token[1:-1] if len(token) > 1 and token[-1] == quote else token[1:]
    return token[3 : -3 if token[-3:] in SMART_QUOTES else -1]


def _unescape(body: str, out: bytearray) -> None:
    """As libprotobuf's `Tokenizer::ParseStringAppend`: up to three octal or two hex digits, `\\u`, `\\U`."""
    at = 0
    while at < len(body):
        backslash = body.find("\\", at)
        if backslash < 0 or backslash == len(body) - 1:
            out += body[at:].encode("latin-1")
            return
        out += body[at:backslash].encode("latin-1")
        at = _escape(body, backslash + 1, out)


def _escape(body: str, at: int, out: bytearray) -> int:
    """Append what the escape whose letter stands at `at` means; the offset behind it."""
    letter = body[at]
    if letter in _OCTAL:
        end = _run(body, at, 3, _OCTAL)
        out.append(int(body[at:end], 8) & 0xFF)
        return end
    if letter == "x":
        end = _run(body, at + 1, 2, _HEX)
        out.append(int(body[at + 1 : end] or "0", 16))
        return end
    if letter in "uU":
        return _code_point(body, at, out)
    out.append(_SIMPLE_ESCAPES.get(letter, ord(letter)))
    return at + 1


def _run(body: str, at: int, most: int, allowed: str) -> int:
    end = at
    while end < len(body) and end < at + most and body[end] in allowed:
        end += 1
    return end


def _code_point(body: str, at: int, out: bytearray) -> int:
    """`\\uXXXX` or `\\UXXXXXXXX` as UTF-8. A surrogate and its other half are one character; alone it is kept."""
    code, end = _hexadecimal(body, at)
    if code < 0:
        out += b"\\" + body[at].encode("latin-1")
        return at + 1
    if 0xD800 <= code < 0xDC00 and body[end : end + 2] == "\\u":
        low, after = _hexadecimal(body, end + 1)
        if 0xDC00 <= low < 0xE000:
            code, end = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), after
    out += chr(code).encode("utf-8", "surrogatepass") if code <= 0x10FFFF else b"\\U%08x" % code
    return end


def _hexadecimal(body: str, at: int) -> tuple[int, int]:
    """The number behind the `u` or `U` at `at`, -1 where it has too few digits, and the offset behind it."""
    size = 4 if body[at] == "u" else 8
    end = _run(body, at + 1, size, _HEX)
    return (int(body[at + 1 : end], 16) if end == at + 1 + size else -1), end
