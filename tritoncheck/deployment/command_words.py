"""The commands of a shell script, each as its words with their places. Nothing is run.

Reads what POSIX calls the shell command language as far as it takes to know which words a command is called with:
continued lines, comments, operators, redirections and here-documents (both left out). Must not know what any command
means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tritoncheck.deployment.word_reader import Lookup, WordReader
from tritoncheck.deployment.words import Word

_GAP = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"\n|;;&?|;&|&&|\|\||\|&|[;&|()]")
_REDIRECT = re.compile(r"\d*(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&?)")
_RESERVED = frozenset(("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "{", "}", "!"))


class Command(NamedTuple):
    """The words of one command, and the operator that ends it: `;`, `&&`, `|`, `(`, a line's end, "" at the end.

    A reserved word such as `then` is one by itself, ended by a blank. streams: where its stdout and stderr go: `file`,
    `pipe`, `null`, "" for where the shell has them.
    """

    words: tuple[Word, ...]
    operator: str
    streams: tuple[str, str] = ("", "")


class Script(WordReader):
    """A script, read command by command. lookup: values of parameters, asked when they are met.

    torn: whether a quote or a bracket is not closed; known once all commands are read. plain: there are quotes and
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
        super().__init__(text, lookup, start, end, plain)
        self._documents: list[tuple[str, bool]] = []
        self._redirects: list[tuple[str, str]] = []

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
                    yield Command(tuple(words), operator.group(), self._streams(operator.group()))
                self._redirects.clear()
                words = []
                continue
            words += self._word()
            if len(words) == 1 and words[0].text in _RESERVED and words[0].inner == words[0].start:
                yield Command(tuple(words), " ")
                words = []
        if words:
            yield Command(tuple(words), "", self._streams(""))

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
            words = self._word()
            kind = redirect.group().lstrip("0123456789")
            self._redirects.append((redirect.group(), words[0].text if words else ""))
            if kind in ("<<", "<<-"):
                raw = self.text[start : self._at]
                self._documents.append((re.sub(r"['\"\\]", "", raw), kind == "<<-"))
        if self._at == redirect.start():
            self._at += 1

    def _streams(self, operator: str) -> tuple[str, str]:
        """Where stdout and stderr go after all redirections, read from left to right as a shell does."""
        goes = {"1": "pipe" if operator in ("|", "|&") else "", "2": ""}
        for sign, target in self._redirects:
            kind = sign.lstrip("0123456789")
            stream = sign.removesuffix(kind) or "1"
            where = "null" if target == "/dev/null" else "file"
            if kind in (">", ">>", ">|"):
                goes[stream] = where
            elif kind in ("&>", "&>>") or (kind == ">&" and not target.isdigit() and target != "-"):
                goes["1"] = goes["2"] = where
            elif kind == ">&":
                goes[stream] = goes.get(target, "")
        if operator == "|&":
            goes["2"] = goes["1"]
        return goes["1"], goes["2"]

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
