"""Bytes to tokens, the way a person means them: for findings about a text that libprotobuf refuses.

Cuts like `lex`, and besides: an unfilled placeholder is one `HOLE` token, template directives and the losing half of
a merge conflict are stepped over, `//` and `/* */` are comments, typographic quotes and full-width punctuation are the
ASCII ones, a string without an end gives back what plainly is not its own. Each of these is a fault or, as a `HOLE`,
becomes one when it is bound, and none of them can stand in a text that libprotobuf accepts.
"""

from __future__ import annotations

import re
import unicodedata

from tritoncheck.textproto import lex
from tritoncheck.textproto.foreign import Foreign, look_foreign
from tritoncheck.textproto.problem import Faults, Problem
from tritoncheck.textproto.spelling import NUL_INSIDE
from tritoncheck.textproto.strings import SMART_QUOTES, decode
from tritoncheck.textproto.tokens import END, HOLE, STRING, SYMBOL, Tokens

# Repeated groups are written so that a step of them takes a whole run: sre keeps a record of each step.
_HOLE_CORE = (
    r"\$\{\{[^{}\n]*+\}\}|\$\{[^{}\n]*+\}|\$\([^()\n]*+\)|\$[A-Za-z_]\w*+"  # GitHub, shell, envsubst, string.Template
    r"|\{\{[^{}\n:\"']*+(?:(?:\"[^\"\n]*+\"|'[^'\n]*+'|\}(?!\}))[^{}\n:\"']*+)*\}\}"  # Jinja, Helm
    r"|<[A-Za-z_][\w .-]*+>|@[A-Za-z_]\w*+@|%[A-Za-z_]\w*+%|%\([A-Za-z_]\w*+\)[ds]|%[ds](?!\w)"
    r"|(?<=[A-Za-z0-9]_)\#[A-Z][A-Z0-9_]*+"  # TYPE_#DTYPE
)
_HOLE = rf"[A-Za-z0-9_.+-]{{0,64}}+(?:(?:{_HOLE_CORE})[A-Za-z0-9_.+-]*+)+"
_DIRECTIVE = r"\{%[^%{\n]*+(?:(?!%\}|\{%)[%{][^%{\n]*+)*%\}"
_JINJA_COMMENT = r"\{\#[^\#{\n]*+(?:(?!\#\}|\{\#)[\#{][^\#{\n]*+)*\#\}"
_CONFLICT = (
    r"^={7}(?!\S).*+(?:\n(?![<|=>]{7}).*+)*\n>{7}.*"  # the second side, to its end
    r"|^\|{7}(?!\S).*+(?:\n(?![<|=>]{7}).*+)*(?=\n={7})"  # what both came from
    r"|^(?:<{7}|\|{7}|={7}|>{7})(?!\S).*"
)
_SLASH_COMMENT = r"//.*|/\*[^*]*+(?:\*(?!/)[^*]*+)*(?:\*/)?"
_WIDE = dict(zip("：，；｛｝［］＜＞＝－", ":,;{}[]<>=-", strict=True))
_WIDE_SIGN = "|".join(sign.encode().decode("latin-1") for sign in _WIDE)
_SMART = "|".join(SMART_QUOTES)
_SMART_PART = r"[^\"'\n\0\xe2\xef]*+"
_SMART_STRING = rf"(?:{_SMART}){_SMART_PART}(?:(?!{_SMART})[\xe2\xef]{_SMART_PART})*(?:{_SMART}|[\"'])"
_NUL_STRING = r"\"[^\"\\\n\0]*+\0[^\"\\\n]*+\"|'[^'\\\n\0]*+\0[^'\\\n]*+'"
_HIGH = rf"(?:[\x80-\xe1\xe3-\xee\xf0-\xff]+|(?!{_SMART}|{_WIDE_SIGN})[\xe2\xef])+"


def _pattern(jinja_comment: str) -> re.Pattern[str]:
    return re.compile(
        rf"{lex.SPACE}+|(?P<conflict>{_CONFLICT})|(?P<hole>{_HOLE})|(?P<directive>{_DIRECTIVE}|{jinja_comment})"
        rf"|(?P<slash>{_SLASH_COMMENT})|(?P<name>{lex.NAME})|(?P<plain_number>{lex.PLAIN_NUMBER})"
        rf"|(?P<number>{lex.NUMBER})|(?P<plain_string>{lex.PLAIN_STRING})|(?P<nul>{_NUL_STRING})"
        rf"|(?P<string>{lex.STRING_START})"
        rf"|(?P<punctuation>{lex.PUNCTUATION})|(?P<comment>{lex.COMMENT})|(?P<control>{lex.CONTROL})"
        rf"|(?P<smart>{_SMART_STRING})|(?P<wide>{_WIDE_SIGN})|(?P<high>{_HIGH}|{_SMART}|.)",
        re.MULTILINE | re.ASCII,
    )


_PLAIN_PATTERN, _JINJA_PATTERN = _pattern(r"(?!)"), _pattern(_JINJA_COMMENT)

# In a string that does not end on its line: where something begins that is no part of it.
_NOT_OF_STRING = re.compile(
    r"[\]}>,; \t\r]{1,40}$|[ \t]{1,40}\#|[,; \t]{1,40}[A-Za-z_]\w{0,60}[ \t]{0,8}[:{\[]", re.ASCII
)


def lex_leniently(text: str) -> Tokens:
    """Cut `text` (Latin-1) into tokens. Every byte is in a token, a comment, white space or a fault's span."""
    found = look_foreign(text)
    if found is not None:
        return _foreign(text, found)
    tokens = _lex(text, _PLAIN_PATTERN)
    is_jinja = any(text.startswith("{%", start) or text.startswith("{{", start) for start in _odd_starts(tokens))
    return _lex(text, _JINJA_PATTERN) if is_jinja and "{#" in text else tokens


def _odd_starts(tokens: Tokens) -> list[int]:
    holes = [start for kind, start in zip(tokens.kinds, tokens.starts, strict=True) if kind == HOLE]
    return holes + [fault.start for fault in tokens.faults.kept if fault.kind == "placeholder"]


def _foreign(text: str, found: Foreign) -> Tokens:
    tokens = Tokens(faults=Faults(lenient=True), gaps=[0])
    tokens.fault(found.start, found.end, found.message, "", -1, found.help)
    tokens.add(END, "", len(text))
    return tokens


def _lex(text: str, pattern: re.Pattern[str]) -> Tokens:
    tokens, at = Tokens(faults=Faults(lenient=True)), 0
    while at < len(text):
        match = pattern.match(text, at)
        assert match is not None  # the pattern takes any byte
        at = match.end()
        group = match.lastgroup
        if group is None:
            continue
        odd = _ODD.get(group)
        if odd is not None:
            odd(tokens, text, match)
        elif group == "string" and match[0][-1] != match[0][0]:
            at = _string_without_end(tokens, text, match)
        else:
            lex.cut(tokens, text, match, group)
    tokens.add(END, "", len(text))
    return tokens


def _string_without_end(tokens: Tokens, text: str, match: re.Match[str]) -> int:
    start, end = match.span()
    lex.cut(tokens, text, match, "string")
    if (own := _NOT_OF_STRING.search(text, start + 1, end)) is not None:
        end = max(own.start(), start + 1)
        tokens.texts[-1], tokens.ends[-1] = text[start:end], end
    return end


def _hole(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    tokens.add(HOLE, match[0], match.start())


def _directive(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    tokens.gaps.append(len(tokens.kinds))
    message = f"the template directive `{decode(match[0])}` is left in the file"
    _report(tokens, "placeholder", *match.span(), message, "render the template before use")


def _conflict(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    """What begins a conflict is its fault; of the other marks only one that nothing began."""
    begun = any(fault.message.startswith("a merge conflict") for fault in tokens.faults.kept)
    tokens.gaps.append(len(tokens.kinds))
    if text.startswith("<", match.start()) or not begun:
        message = "a merge conflict is left in the file"
        advice = "keep one side and delete the `<<<<<<<`, `=======` and `>>>>>>>` lines"
        _report(tokens, "syntax", *match.span(), message, advice)


def _slash(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    tokens.comments.append(match.span())
    message = f"`{match[0][:2]}` does not begin a comment in text format; only `#` does"
    _report(tokens, "slash-comment", *match.span(), message, "begin the comment with `#`")


def _smart(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    tokens.fault(*match.span(), "typographic quotes around a string", "", -1, "write `\"` or `'`")
    tokens.add(STRING, match[0], match.start())


def _nul(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    """libprotobuf ends the string at the byte, and has faults in what stands behind it; a person sees one string."""
    tokens.fault(*match.span(), NUL_INSIDE, "", -1, "delete it")
    tokens.add(STRING, match[0], match.start())
    tokens.texts[-1] = match[0].replace("\0", "")


def _wide(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    shown = decode(match[0])
    message = f"`{shown}` is not ASCII and stands outside strings and comments"
    tokens.fault(*match.span(), message, "", -1, f"write the ASCII `{_WIDE[shown]}`")
    tokens.add(SYMBOL, match[0], match.start())
    tokens.texts[-1] = _WIDE[shown]


def _high(tokens: Tokens, text: str, match: re.Match[str]) -> None:
    shown = decode(match[0])
    message = f"`{shown[:40]}` is not ASCII and stands outside strings and comments"
    advice = "put it into quotes or a comment"
    if shown.startswith("\ufeff") and match.start() == 0:
        message, advice = "the file begins with a byte order mark", "save the file as UTF-8 without a byte order mark"
    elif not shown.isprintable() or not shown.strip():
        message, advice = f"an invisible character ({unicodedata.name(shown[0], ascii(shown[0]))})", "delete it"
    tokens.fault(*match.span(), message, "", -1, advice)


def _report(tokens: Tokens, kind: str, start: int, end: int, message: str, advice: str) -> None:
    if tokens.faults.room(kind, start, end):
        tokens.faults.kept.append(Problem(kind, start, end, message, advice, len(tokens.kinds), layer=0))


_ODD = {
    "conflict": _conflict,
    "hole": _hole,
    "directive": _directive,
    "slash": _slash,
    "smart": _smart,
    "nul": _nul,
    "wide": _wide,
    "high": _high,
}
