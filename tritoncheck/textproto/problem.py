"""Faults found while reading a text: what we say about each, what libprotobuf prints, and how many are worth saying.

Knows neither how a fault is found nor who reads of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Problem:
    """A fault of the text.

    kind: `syntax`, `placeholder`, `slash-comment`, `unknown-field`, `duplicate-field`, `second-oneof`,
        `wrong-type`, `enum-value`, `too-new` or `removed`.
    start, end: byte offsets of the place a person must change.
    message: the fault in our words; `help`: what to write instead ("" = nothing better to say).
    token: index of the token that is current when libprotobuf reports it (what it prints is the place
        of this token, which for an unknown field is the one *after* the name), -1 when it has none.
    server_offset: byte offset that libprotobuf prints, where it differs from the start of `token`
        (tokenizer errors), else -1.
    server_text: libprotobuf's own words, "" where the fault is ours alone (a placeholder).
    layer: 0 tokenizer, 1 schema, 2 grammar: the order in which libprotobuf meets faults at one token.
    path: the field that is hurt, as names and indexes; rules that read it stay silent.
    instead: the text that surely was meant in place of this one, "" where that is not plain.
    related: start and end of a second place (the first of two definitions), with its message.
    """

    kind: str
    start: int
    end: int
    message: str
    help: str = ""
    token: int = -1
    server_offset: int = -1
    server_text: str = ""
    layer: int = 2
    path: tuple[str | int, ...] = ()
    related: tuple[tuple[int, int, str], ...] = ()
    instead: str = ""


# How many faults of a kind one text can have before a reader stops reading them. Those of the first line come by the
# hundred where a file is no model configuration at all; the others need a field, or what looks like one.
_MOST = {"syntax": 20, "words": 10, "placeholder": 200, "slash-comment": 500}
_MOST_OF_OTHERS = 500
# The strict reading reports to nobody; its faults say what libprotobuf prints, which is everything.
_MOST_STRICT = 2_000


@dataclass(slots=True)
class Faults:
    """The faults of one reading: those worth saying are kept, the others counted, so that garbage costs no memory.

    left_out: of each kind of which some were not kept, the span of the first of these and how many there were.
    """

    lenient: bool = False
    kept: list[Problem] = field(default_factory=list)
    left_out: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def room(self, kind: str, start: int, end: int) -> bool:
        """Count a fault of this kind; whether it is to be kept. Ask before its wording is made.

        kind: that of the problem, or `words` for unknown fields without a value: prose, or a program.
        """
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= (_MOST.get(kind, _MOST_OF_OTHERS) if self.lenient else _MOST_STRICT):
            return True
        at, until, more = self.left_out.get(kind, (start, end, 0))
        self.left_out[kind] = (at, until, more + 1)
        return False

    def summary(self) -> list[Problem]:
        """The faults, and for a reader one more for each kind of which some were left out."""
        if not self.lenient:
            return self.kept
        return self.kept + [
            Problem("unknown-field" if kind == "words" else kind, start, end, f"and {more} more of this kind")
            for kind, (start, end, more) in self.left_out.items()
        ]
