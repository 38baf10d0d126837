"""Reads one word of the shell command language: quotes removed, constants put in, nothing run.

A parameter whose value is not known stays in the word as written, and the word says that it is not known. Knows no
operators and no commands: `command_words` reads those. Never fails: a quote that does not close ends with the text,
which `torn` tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tritoncheck.deployment.words import Word

# The value of a parameter: a text, the words of an array, or None where it is not known.
Value = str | tuple[str, ...] | None
Lookup = Callable[[str], Value]

_PLAIN = re.compile(r"""[^\s'"\\$`;&|()<>]+""")
_TEXT = re.compile(r"""[^\s'"\\$]+""")
_SINGLE = re.compile(r"'([^']*)('?)")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)('?)", re.DOTALL)
_QUOTED = re.compile(r'[^"\\$`]+|`')
_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9@*]+)(?:\[[@*]\])?(?:(:?[-+=?])((?:[^{}'\"\\$`]|\$\w+)*))?\}")
_ALL = re.compile(r'"\$(?:@|\{@\}|\{\w+\[@\][^{}]*\})"')
_BRACKET = re.compile(r"""\\.|'[^']*'|[(){}]""", re.DOTALL)
_DEPTH = 40
# No script that starts a server has more pieces of words, a long value counted as several; reading stops there.
_MOST = 100_000
_PIECE = 16
# A longer value is not kept: a script could double it in each line.
_LONGEST = 4096


class WordReader:
    """Reads words from a text, one after the other.

    torn: whether a quote or a bracket is not closed. substituted: where the commands in `$(…)` stand, of which the
    output is not known. See `Script` for the rest.
    """

    def __init__(self, text: str, lookup: Lookup | None, start: int, end: int | None, plain: bool) -> None:
        self.text = text
        self.torn = False
        self.substituted: list[tuple[int, int]] = []
        self._is_plain = plain
        self._lookup = lookup or (lambda name: None)
        self._at = start
        self._end = len(text) if end is None else end
        self._left = _MOST

    def _goes_on(self) -> bool:
        """Whether there is more to read; false too where there are too many pieces."""
        self._left -= 1
        if self._left < 0:
            self._end, self.torn = self._at, True
        return self._at < self._end

    def _word(self) -> list[Word]:
        """The word at the place reached; several, or none, where an unquoted parameter holds so many."""
        start = self._at
        parts: list[tuple[str, ...]] = []  # what each piece adds: one text, or the words of a parameter
        known, quoted, bare = True, False, True
        while self._goes_on():
            text, at = self.text, self._at
            char = text[at]
            if char == '"':
                quoted = True
                inside, clear = self._double()
                parts.append(inside)
                known, bare = known and clear, False
            elif char == "$" or char == "`" and not self._is_plain:
                raw_start = at
                ansi = _ANSI.match(text, at, self._end)
                if ansi:
                    self._at, quoted, bare = ansi.end(), True, False
                    self.torn = self.torn or not ansi.group(2)
                    parts.append((ansi.group(1),))
                    continue
                value = self._parameter()
                if value is None:
                    known = False
                    parts.append((text[raw_start : self._at],))
                elif isinstance(value, str):
                    parts.append((value,) if self._is_plain else tuple(value.split()))
                else:
                    parts.append(value)
            elif char == "'":
                single = _SINGLE.match(text, at, self._end)
                assert single is not None
                self._at, quoted, bare = single.end(), True, False
                self.torn = self.torn or not single.group(2)
                parts.append((single.group(1),))
            elif char == "\\":
                step = 3 if text.startswith("\\\r\n", at) else 2
                self._at = min(at + step, self._end)
                if text.startswith(("\\\n", "\\\r\n"), at):
                    continue
                parts.append((text[at + 1 : self._at],))
                bare = False
            else:
                plain = (_TEXT if self._is_plain else _PLAIN).match(text, at, self._end)
                if plain is None and not (char in "<>" and text.startswith("(", at + 1)):
                    break
                self._at = plain.end() if plain else self._bracket(at + 1)
                parts.append((text[at : self._at],))
                bare, known = False, known and plain is not None
        if self._at == start:
            self._at += 1
        texts = _joined(parts) if not quoted or any(parts) else [""]
        raw = self.text[start : self._at]
        several = not known and (bare or _ALL.fullmatch(raw) is not None)
        inner = start if texts == [raw] else -1
        if len(texts) == 1 and inner < 0 and raw[:1] in ("'", '"') and raw[1:-1] == texts[0]:
            inner = start + 1
        return [Word(one, start, self._at, known, several, inner) for one in texts]

    def _double(self) -> tuple[tuple[str, ...], bool]:
        """A text in double quotes: what it adds to the word, and whether all of it is known."""
        self._at += 1
        parts: list[tuple[str, ...]] = [("",)]
        known = True
        while self._goes_on():
            text, at = self.text, self._at
            char = text[at]
            if char == '"':
                self._at += 1
                return (tuple(_joined(parts)), known)
            if char == "\\":
                self._at = min(at + 2, self._end)
                escaped = text[at + 1 : self._at]
                if escaped != "\n":
                    parts.append((escaped if escaped in '"\\$`' else text[at : self._at],))
            elif char == "$" or char == "`" and not self._is_plain:
                value = self._parameter()
                if value is None:
                    known = False
                    parts.append((text[at : self._at],))
                elif isinstance(value, tuple):
                    # "$A" is the first word of an array, "${A[@]}" all of them.
                    parts.append(value if "[@]" in text[at : self._at] else value[:1])
                else:
                    parts.append((value,))
            else:
                plain = _QUOTED.match(text, at, self._end)
                assert plain is not None
                self._at = plain.end()
                parts.append((plain.group(),))
        self.torn = True
        return (tuple(_joined(parts)), known)

    def _parameter(self) -> Value:
        """The value of what begins with `$` or a backquote; moves behind it."""
        text, at = self.text, self._at
        found = _BRACED.match(text, at, self._end)
        if found:
            self._at = found.end()
            return self._with_default(found)
        named = _NAME.match(text, at, self._end)
        if named:
            self._at = named.end()
            return self._value(named.group(1))
        if text.startswith("${", at) or text.startswith("$(", at) and not self._is_plain:
            self._at = self._bracket(at + 1)
            if text.startswith("$(", at) and not text.startswith("$((", at):
                self.substituted.append((at + 2, self._at - 1))
        elif text[at] == "`":
            stop = text.find("`", at + 1, self._end)
            self.torn = self.torn or stop < 0
            self._at = self._end if stop < 0 else stop + 1
        else:
            self._at += 1
            return "$"
        return None

    def _value(self, name: str) -> Value:
        value = self._lookup(name)
        size = 0 if value is None else len(value) if isinstance(value, str) else sum(map(len, value))
        self._left -= size // _PIECE
        return value if size <= _LONGEST else None

    def _with_default(self, found: re.Match[str]) -> Value:
        """`${NAME-default}` and its like: the value, else the default, which is what the script itself asks for."""
        name, sign, default = found.groups()
        value = self._value(name)
        if sign is None:
            return value
        if sign.endswith("+"):
            return None
        if value is None or (value == "" and sign.startswith(":")):
            return default if not sign.endswith("?") and "$" not in default else value
        return value

    def _bracket(self, at: int) -> int:
        """The place behind the bracket that closes the one at a place; quotes inside are kept whole."""
        closing = []
        text = self.text
        for found in _BRACKET.finditer(text, at, self._end):
            mark = found.group()
            if mark in "({":
                closing.append(")" if mark == "(" else "}")
                if len(closing) > _DEPTH:
                    break
            elif closing and mark == closing[-1]:
                closing.pop()
                if not closing:
                    return found.end()
        self.torn = True
        return self._end


def _joined(parts: list[tuple[str, ...]]) -> list[str]:
    """Pieces side by side: the last word of one goes on with the first of the next."""
    words: list[list[str]] = []
    for part in parts:
        if words and part:
            words[-1].append(part[0])
            words += ([one] for one in part[1:])
        else:
            words += ([one] for one in part)
    return ["".join(word) for word in words]
