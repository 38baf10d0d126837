"""The commands of a shell script with the constants that it assigns put in, as far as they are certain.

A value is put in where every way through the script to that place gives the same: what is assigned in a branch, a loop
or a function holds until its end and is not known behind it. Nothing is run. Knows no program; see `command_line`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tritoncheck.deployment.command_words import Command, Script
from tritoncheck.deployment.option import Option, assigned
from tritoncheck.deployment.word_reader import Value
from tritoncheck.deployment.words import Word

_OPENING = frozenset(("if", "for", "while", "until", "case", "select", "{"))
_MIDDLE = frozenset(("else", "elif"))
_CLOSING = frozenset(("fi", "done", "esac", "}"))
_NAMING = frozenset(("for", "select"))
_DECLARING = frozenset(("export", "readonly", "local", "declare", "typeset"))
_CHAIN = frozenset(("&&", "||"))
_DEPTH = 100
_INSIDE = 2


class ShellCommand(NamedTuple):
    """words: those of one command, its own assignments included. variables: what the script has exported so far.
    torn: whether a quote or a bracket up to here is not closed. streams: as those of `Command`."""

    words: tuple[Word, ...]
    variables: tuple[Option, ...] = ()
    torn: bool = False
    streams: tuple[str, str] = ("", "")


def read_commands(
    text: str, constants: Mapping[str, str] | None = None, start: int = 0, end: int | None = None
) -> Iterator[ShellCommand]:
    """The commands of a script, in order. constants: what is known from outside; start, end: the part to read."""
    return _Reader(text, dict(constants or {}), start, end).commands()


class _Reader:
    def __init__(self, text: str, values: dict[str, Value], start: int, end: int | None, depth: int = 0) -> None:
        self._depth = depth
        self._values = values
        self._exported: dict[str, Option] = {}
        self._blocks: list[tuple[str, set[str]]] = []
        self._chained: set[str] = set()
        self._script = Script(text, self._values.get, start, end)

    def commands(self) -> Iterator[ShellCommand]:
        before = ""
        for command in self._script.commands():
            words = self._keywords(command)
            if words and words[0].text in _DECLARING:
                self._declare(words, before)
            elif words and words[0].text in ("unset", "read"):
                for word in words[1:]:
                    self._set(word.text, None)
            elif words and all(assigned(word) for word in words):
                self._assign(words, command.operator, before)
            elif words and "+=" in words[0].text and words[0].text.partition("+=")[0].isidentifier():
                self._append(words[0], command.operator)
            elif words:
                yield ShellCommand(words, tuple(self._exported.values()), self._script.torn, command.streams)
            elif command.words and self._script.torn:
                yield ShellCommand((), (), True)
            yield from self._substituted()
            self._after(command.operator)
            before = before if command.operator == " " else command.operator

    def _substituted(self) -> Iterator[ShellCommand]:
        """The commands in `$(…)` of the command just read, as in `ID=$(docker run …)`."""
        for start, end in self._script.substituted:
            if self._depth < _INSIDE:
                inner = _Reader(self._script.text, dict(self._values), start, end, self._depth + 1)
                yield from inner.commands()
        self._script.substituted.clear()

    def _keywords(self, command: Command) -> tuple[Word, ...]:
        """The words of a command; none for the reserved words of the shell, which open and close blocks."""
        first = command.words[0].text if command.words else ""
        if first in _OPENING:
            self._open(first)
            if first in _NAMING and len(command.words) > 1:
                self._set(command.words[1].text, None)
        elif first in _MIDDLE:
            self._forget()
        elif first in _CLOSING:
            self._close()
        elif first not in ("then", "do", "!", "function"):
            return command.words
        return ()

    def _open(self, kind: str) -> None:
        if len(self._blocks) < _DEPTH:
            self._blocks.append((kind, set()))

    def _close(self) -> None:
        if self._blocks:
            self._forget()
            self._blocks.pop()

    def _forget(self) -> None:
        """What was assigned since the innermost block began is not known any more."""
        if self._blocks:
            for name in self._blocks[-1][1]:
                self._values[name] = None
                self._exported.pop(name, None)
            if len(self._blocks) > 1:
                self._blocks[-2][1].update(self._blocks[-1][1])

    def _after(self, operator: str) -> None:
        if operator == "(":
            self._open("(")
        elif operator == ")" and self._blocks and self._blocks[-1][0] == "(":
            self._close()
        elif operator in (";;", ";&", ";;&"):
            self._forget()
        if operator not in _CHAIN:
            for name in self._chained:
                self._values[name] = None
            self._chained.clear()

    def _set(self, name: str, value: Value) -> None:
        self._values[name] = value
        if self._blocks:
            self._blocks[-1][1].add(name)

    def _assign(self, words: tuple[Word, ...], operator: str, before: str) -> None:
        for word in words:
            option = assigned(word)
            assert option is not None
            value: Value = option.value if option.known else None
            if operator == "(" and word is words[-1] and not option.value:
                value = self._script.array()
            self._set(option.name, value)
            if before in _CHAIN:
                self._chained.add(option.name)
            if option.name in self._exported:
                self._exported[option.name] = option

    def _append(self, word: Word, operator: str) -> None:
        name, _, more = word.text.partition("+=")
        old = self._values.get(name)
        added: Value = more if word.known else None
        if operator == "(" and not more:
            added = self._script.array()
        if isinstance(old, tuple) and isinstance(added, tuple):
            self._set(name, (*old, *added))
        else:
            self._set(name, old + added if isinstance(old, str) and isinstance(added, str) else None)

    def _declare(self, words: tuple[Word, ...], before: str) -> None:
        exports = words[0].text == "export" or any(word.text == "-x" for word in words)
        for word in words[1:]:
            option = assigned(word)
            if option is None:
                value = self._values.get(word.text)
                option = (
                    Option(word.text, value or "", word.start, word.end, value is not None)
                    if isinstance(value, str | None)
                    else None
                )
            else:
                self._assign((word,), "", before)
            if exports and option is not None and option.name.isidentifier():
                self._exported[option.name] = option
