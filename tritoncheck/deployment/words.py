"""The words of a shell script with their places: quotes removed, constants put in, nothing run.

Reads what POSIX calls the shell command language as far as it takes to know which words a command is called with:
quotes, continued lines, comments, operators, redirections and here-documents (both left out), parameters. A parameter
whose value the script does not say stays in the word as written, and the word says that it is not known. Must not know
what any command means; never fails: a quote that does not close ends with the text, which `Script.torn` tells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

# The value of a parameter: a text, the words of an array, or None where it is not known.
Value = str | tuple[str, ...] | None
Lookup = Callable[[str], Value]

_GAP = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"\n|;;&?|;&|&&|\|\||\|&|[;&|()]")
_REDIRECT = re.compile(r"\d*(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&?)")
_PLAIN = re.compile(r"""[^\s'"\\$`;&|()<>]+""")
_TEXT = re.compile(r"""[^\s'"\\$]+""")
_SINGLE = re.compile(r"'([^']*)('?)")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)('?)", re.DOTALL)
_QUOTED = re.compile(r'[^"\\$`]+|`')
_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9@*]+)(?:\[[@*]\])?(?:(:?[-+=?])((?:[^{}'\"\\$`]|\$\w+)*))?\}")
_ALL = re.compile(r'"\$(?:@|\{@\}|\{\w+\[@\][^{}]*\})"')
_BRACKET = re.compile(r"""\\.|'[^']*'|[(){}]""", re.DOTALL)
_RESERVED = frozenset(("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "{", "}", "!"))
_DEPTH = 40
# No script that starts a server has more pieces of words, a long value counted as several; reading stops there.
_MOST = 100_000
_PIECE = 16
# A longer value is not kept: a script could double it in each line.
LONGEST_VALUE = 4096


class Word(NamedTuple):
    """One word. start, end: its place in the file. known: whether no parameter in it is left unread. open: whether it
    may be several words or none: an unquoted parameter that is not known. inner: where its text begins in the file, if
    it stands there letter by letter; -1 if not."""

    text: str
    start: int = 0
    end: int = 0
    known: bool = True
    open: bool = False
    inner: int = -1

    def part(self, start: int, end: int) -> Word:
        """A part of the word, with its own place where the file has it letter by letter."""
        if self.inner < 0:
            return self._replace(text=self.text[start:end])
        return self._replace(
            text=self.text[start:end], start=self.inner + start, end=self.inner + end, inner=self.inner + start
        )


class Command(NamedTuple):
    """The words of one command, and the operator that ends it: `;`, `&&`, `|`, `(`, a line's end, "" at the end.

    A reserved word such as `then` is one by itself, ended by a blank.
    """

    words: tuple[Word, ...]
    operator: str


class Script:
    """A script, read command by command. lookup: values of parameters, asked when they are met.

    torn: whether a quote or a bracket is not closed; known once all commands are read. substituted: where the commands
    in `$(…)` stand, of which the output is not known. plain: there are quotes and
    parameters but no commands, as in `ENV A=$B;c` of a Dockerfile: no operators, and a value stays one word.
    """

    def __init__(
        self,
        text: str,
        lookup: Lookup | None = None,
        start: int = 0,
        end: int | None = None,
        plain: bool = False,
    ) -> None:
        self.text = text
        self.torn = False
        self._is_plain = plain
        self._lookup = lookup or (lambda name: None)
        self._at = start
        self._end = len(text) if end is None else end
        self._documents: list[tuple[str, bool]] = []
        self.substituted: list[tuple[int, int]] = []
        self._left = _MOST

    def commands(self) -> Iterator[Command]:
        """All commands that have words, and those that end with a bracket, in order."""
        words: list[Word] = []
        while self._goes_on():
            text, at = self.text, self._at
            gap = _GAP.match(text, at, self._end)
            if gap:
                self._at = gap.end()
                continue
            char = text[at]
            if self._is_plain:
                words += self._word()
                continue
            if char == "#":
                self._at = _COMMENT.match(text, at, self._end).end()  # type: ignore[union-attr]
                continue
            redirect = _REDIRECT.match(text, at, self._end) if char in "<>&0123456789" else None
            if redirect and not text.startswith("(", redirect.end()):
                self._redirect(redirect)
                continue
            operator = _OPERATOR.match(text, at, self._end)
            if operator:
                self._at = operator.end()
                if operator.group() == "\n" and self._documents:
                    self._skip_documents()
                if words or operator.group() in "()":
                    yield Command(tuple(words), operator.group())
                words = []
                continue
            words += self._word()
            if len(words) == 1 and words[0].text in _RESERVED and words[0].inner == words[0].start:
                yield Command(tuple(words), " ")
                words = []
        if words:
            yield Command(tuple(words), "")

    def _goes_on(self) -> bool:
        """Whether there is more to read; false too where there are too many pieces."""
        self._left -= 1
        if self._left < 0:
            self._end, self.torn = self._at, True
        return self._at < self._end

    def array(self) -> tuple[str, ...] | None:
        """After `NAME=` and the operator `(`: the words up to `)`; None where one is not known."""
        found: list[str] | None = []
        for command in self.commands():
            for word in command.words:
                found = [*found, word.text] if found is not None and word.known else None
            if command.operator != "\n":
                break
        return None if found is None else tuple(found)

    def _redirect(self, redirect: re.Match[str]) -> None:
        self._at = redirect.end()
        gap = _GAP.match(self.text, self._at, self._end)
        self._at = gap.end() if gap else self._at
        start = self._at
        # `>` at the end of a line has no target; what follows is read as it stands.
        if start < self._end and not _OPERATOR.match(self.text, start, self._end):
            self._word()
            kind = redirect.group().lstrip("0123456789")
            if kind in ("<<", "<<-"):
                raw = self.text[start : self._at]
                self._documents.append((re.sub(r"['\"\\]", "", raw), kind == "<<-"))
        if self._at == redirect.start():
            self._at += 1

    def _skip_documents(self) -> None:
        for delimiter, tabs in self._documents:
            while self._at < self._end:
                stop = self.text.find("\n", self._at, self._end)
                stop = self._end if stop < 0 else stop
                line = self.text[self._at : stop].rstrip("\r")
                self._at = min(stop + 1, self._end)
                if (line.lstrip("\t") if tabs else line) == delimiter:
                    break
            else:
                self.torn = True
        self._documents = []

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
        return value if size <= LONGEST_VALUE else None

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


_ITEM = re.compile(r'\s*"((?:[^"\\\x00-\x1f]|\\.)*)"\s*(,|\])', re.DOTALL)


def read_list(text: str, start: int = 0) -> list[Word] | None:
    """The words of a list in the form of JSON, as in `CMD ["a", "b"]`; None for anything else."""
    opening = re.compile(r"\s*\[\s*(\]\s*$)?").match(text, start)
    if opening is None:
        return None
    words: list[Word] = []
    at, mark = opening.end(), opening.group(1)
    while not mark:
        item = _ITEM.match(text, at)
        if item is None:
            return None
        at, mark = item.end(), item.group(2).replace(",", "")
        raw, (first, last) = item.group(1), item.span(1)
        try:
            words.append(Word(json.loads(f'"{raw}"'), first - 1, last + 1, inner=-1 if "\\" in raw else first))
        except ValueError:
            return None
    return words if not text[at:].strip() else None
