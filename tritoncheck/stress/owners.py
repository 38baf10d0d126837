"""Which model a line speaks of, where it names one at all.

A line may name a model, one of its instances (`NAME_0`, since 23.08 `NAME_0_0`), or a file of it. Only these forms
count: a word that happens to be a model's name does not. Knows nothing of what the line says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_QUOTED = re.compile(r"""['"]([^'"\n]{1,256})['"]""")
_FILE = re.compile(r"/([^/\s'\"]{1,256})/\d+/")
_SAID = re.compile(r"\b(?:[Mm]odel|for|[Ii]nstance|[Ee]nsemble) ([\w./:-]{1,256})")
_NUMBERED = re.compile(r"(?<![\w.-])([\w.-]{1,256}_\d+)(?![\w-])")
_NUMBER = re.compile(r"_\d+$")


class Owners:
    """Finds the model of a line among those that are known by name."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def of(self, text: str, instance: str = "") -> str:
        """The model that a text speaks of, "" where it names none. instance: what a signature took for its name."""
        text = text[:4096]
        for candidate in self._candidates(text, instance):
            if found := self._known(candidate):
                return found
        return ""

    def _known(self, candidate: str) -> str:
        """The model behind a name or the name of an instance."""
        candidate = candidate.rstrip(".,:;")
        for _ in range(3):
            if candidate in self._names:
                return candidate
            shorter = _NUMBER.sub("", candidate)
            if shorter == candidate:
                break
            candidate = shorter
        return ""

    @staticmethod
    def _candidates(text: str, instance: str) -> Iterator[str]:
        if instance:
            yield instance
        yield text.partition(": ")[0][:256]
        for pattern in (_QUOTED, _SAID, _FILE, _NUMBERED):
            for found in pattern.finditer(text):
                yield found[1]
