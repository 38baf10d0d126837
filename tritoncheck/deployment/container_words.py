"""The command of a container, as YAML of Compose or Kubernetes gives it: its words with their places, and from them the
server's flags.

Compose reads a command that is one text by the rules of shell quoting, but runs no shell (go-shellwords). Knows
nothing of the rest of a container.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tritoncheck.deployment.command_line import parse_words
from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.interpolate import Filled
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.server_flags import CommandLine
from tritoncheck.deployment.started import started
from tritoncheck.deployment.words import Word
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

Filling = Callable[[Node], Filled]
_FLAG = re.compile(r"[\"']?--?\w")
LinesOf = Callable[[str], Lines]


class Words:
    """Words from several values, perhaps of several files. Each word has its number as its offset, so that a pair of
    offsets leads back to places. lines_of: the lines of a file by its path."""

    def __init__(self, lines_of: LinesOf) -> None:
        self.words: list[Word] = []
        self.spans: list[Span] = []
        self._lines_of = lines_of

    def add(self, node: Node | None, fill: Filling) -> None:
        """The words of one value: a list's entries, or a text's words."""
        if node is None:
            return
        for one in node.entries:
            self._append(fill(one), one.span)
        if node.is_scalar:
            lines = self._lines_of(node.span.path)
            start, raw = lines.written(node.span)
            filled, at = fill(node), 0
            script = Script(filled.text, plain=True)
            for word in (word for command in script.commands() for word in command.words):
                found = _find(raw, word.text, at)
                at = found[1] if found else at
                span = lines.span(start + found[0], start + found[1]) if found else node.span
                self._append(Filled(word.text, filled.missing if "$" in word.text else ()), span)

    def _append(self, filled: Filled, span: Span) -> None:
        at = len(self.words)
        self.words.append(Word(filled.text, at, at + 1, filled.known))
        self.spans.append(span)

    def command(self, environment: Mapping[str, str]) -> CommandLine | None:
        """What starts the server; None if nothing in the words does. environment: what a script in them finds set."""
        return parse_words(self.words, environment)

    @property
    def name_server(self) -> bool:
        """Whether the server's program is named at all, as it must be where the image is not known to be Triton's."""
        return any("tritonserver" in one.text for one in self.words)

    @property
    def may_start(self) -> bool:
        """Whether a script, or what a variable hides, may start the server, though no word names it."""
        return any(one.text.endswith((".sh", ".bash")) or "$" in one.text or "triton" in one.text for one in self.words)

    def place(self, start: int, end: int) -> Span:
        """The place of the words with these numbers."""
        most = len(self.spans) - 1
        first, last = self.spans[min(start, most)], self.spans[min(max(start, end - 1), most)]
        if first.path != last.path or last.start < first.start:
            return first
        return first._replace(end_line=last.end_line, end_column=last.end_column, end=last.end)

    def started(self, launch: Launch, command: CommandLine) -> Launch:
        """A launch with the flags and variables of the command that was read from these words."""
        launch = started(launch, command, self.place)
        origins = {
            key: self._refined(key.removeprefix("flag:"), span) if key.startswith("flag:") else span
            for key, span in launch.origins.items()
        }
        return launch._replace(origins=origins)

    def _refined(self, name: str, span: Span) -> Span:
        """The place of a flag inside a word that is a whole script; the word's own where it is not written so."""
        lines = self._lines_of(span.path)
        start, raw = lines.written(span)
        if _FLAG.match(raw):
            return span
        value = r"(?:=(?:\"[^\"]*\"|'[^']*'|[^\s\"'\\]+))?"
        every = list(re.finditer(rf"--?{re.escape(name)}(?![\w-]){value}", raw))
        return lines.span(start + every[-1].start(), start + every[-1].end()) if every else span


def _find(raw: str, word: str, at: int) -> tuple[int, int] | None:
    """Where a word stands in a raw text, from a place on; where its value was filled in, its beginning does."""
    place = raw.find(word, at)
    if place >= 0:
        return place, place + len(word)
    head = re.match(r"-{1,2}[\w-]+=?", word)
    place = raw.find(head[0], at) if head else -1
    if place < 0:
        return None
    rest = re.compile(r"\S*").match(raw, place)
    return place, rest.end() if rest else place + 1
