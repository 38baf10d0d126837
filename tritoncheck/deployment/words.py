"""Words with their places in a file, and the list in the form of JSON in which a Dockerfile may write them.

Must not know what any word means.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple


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
