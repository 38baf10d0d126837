"""The known texts of failures, read from `signatures.toml`, and the search for them in a line.

A search first looks for a stable piece of the text, which is fast, and only then for the pattern. It knows nothing of
logs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# Failure texts are searched up to this length.
SEARCHED = 16 * 1024
# Classes of what a capture of CUDA graphs does: to the neighbour, and to the model that captures.
CAPTURE = ("legacy-stream-dependency", "cuda-graph-capture")
_WORD = re.compile(r"\w+")
_INNER = re.compile(r"(?<=\W)\w+(?=\W)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of failures, in words for the operator."""

    name: str
    title: str
    means: str
    restart: str
    next: str


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """One known text; the fields are explained at the head of `signatures.toml`. rank: its place in that file."""

    rank: int
    kind: str
    fragments: tuple[str, ...]
    pattern: re.Pattern[str] | None
    where: frozenset[str]
    vague: bool
    lost: str
    rule: str
    field: tuple[str, ...]
    example: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Match:
    """A signature found in a text. group: the named groups of its pattern that took part."""

    signature: Signature
    groups: dict[str, str]


@cache
def kinds() -> dict[str, Kind]:
    """The classes by name."""
    return {name: Kind(name, **words) for name, words in _file()["class"].items()}


@cache
def signatures() -> tuple[Signature, ...]:
    """All signatures by rank."""
    return tuple(_signature(rank, one) for rank, one in enumerate(_file()["signature"]))


@cache
def _file() -> dict[str, Any]:
    path = Path(__file__).with_name("signatures.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _signature(rank: int, one: dict[str, Any]) -> Signature:
    return Signature(
        rank=rank,
        kind=one["class"],
        fragments=tuple(one["fragments"]),
        pattern=re.compile(one["pattern"]) if "pattern" in one else None,
        where=frozenset(one["where"]),
        vague=one.get("vague", False),
        lost=one.get("lost", ""),
        rule=one.get("rule", ""),
        field=tuple(one["field"].split(".")) if "field" in one else (),
        example=one["example"],
        evidence=one["evidence"],
    )


def _try(signature: Signature, text: str) -> Match | None:
    for fragment in signature.fragments:
        if fragment in text:
            break
    else:
        return None
    if signature.pattern is None:
        return Match(signature, {})
    found = signature.pattern.search(text)
    if found is None:
        return None
    return Match(signature, {name: value for name, value in found.groupdict().items() if value})


class _Index:
    """Signatures by a word that must be in the text, so that few are tried on each line.

    A word counts if the fragment has its whole: it may end in the middle of one. Those without any are always tried.
    """

    def __init__(self, found: Iterable[Signature]) -> None:
        self._by_word: dict[str, list[Signature]] = {}
        self._always: list[Signature] = []
        for signature in found:
            keys = {max(_INNER.findall(fragment), key=len, default="") for fragment in signature.fragments}
            if "" in keys:
                self._always.append(signature)
            else:
                for key in keys:
                    self._by_word.setdefault(key, []).append(signature)

    def candidates(self, text: str) -> list[Signature]:
        """The signatures that may be in a text, by rank."""
        found = set(self._always)
        for word in set(_WORD.findall(text)) & self._by_word.keys():
            found.update(self._by_word[word])
        return sorted(found, key=lambda one: one.rank)


@cache
def _that_stand(where: str) -> _Index:
    return _Index(one for one in signatures() if where in one.where)


@cache
def _that_lose() -> tuple[Signature, ...]:
    return tuple(one for one in signatures() if one.lost)


def find(text: str, where: str) -> Match | None:
    """The first signature that stands in such a text; one that says why goes before one that does not.

    The first line decides if it says why: what follows may be another's, where a log does not quote its messages.
    """
    text = text[:SEARCHED]
    head, _, rest = text.partition("\n")
    vague: Match | None = None
    for part in (head, text) if rest else (head,):
        for signature in _that_stand(where).candidates(part):
            if (vague is not None and signature.vague) or (match := _try(signature, part)) is None:
                continue
            if not signature.vague:
                return match
            vague = match
    return vague


def loss(text: str) -> Match | None:
    """The signature of a loss that a model survives, such as that of a CUDA graph."""
    head = text[:SEARCHED].partition("\n")[0]
    return next((match for one in _that_lose() if (match := _try(one, head))), None)
