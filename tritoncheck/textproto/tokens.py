"""What a text is cut into: tokens, comments, and the faults met while cutting.

Holds no rule of how to cut: see `lex` for what libprotobuf does and `templates` for what a person means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from tritoncheck.textproto.problem import Faults, Problem


class Kind(IntEnum):
    """Token kinds, as libprotobuf names them, and `HOLE` for an unfilled placeholder (lenient mode only)."""

    IDENTIFIER = 1
    INTEGER = 2
    FLOAT = 3
    STRING = 4
    SYMBOL = 5
    HOLE = 6
    END = 7


# The same as plain numbers, which compare faster.
IDENTIFIER, INTEGER, FLOAT, STRING, SYMBOL, HOLE, END = (int(kind) for kind in Kind)


@dataclass(slots=True)
class Tokens:
    """Parallel lists, one entry a token: its kind, its text and its byte span; the last token is `END`.

    comments: byte spans of the comments, in order.
    gaps: where something was stepped over that may stand for fields, such as `{% if x %}`: the index of the token
        behind it (lenient mode only).
    faults: what was found while cutting, and later by the parser.
    """

    kinds: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def add(self, kind: int, text: str, start: int) -> None:
        """Append a token."""
        self.kinds.append(kind)
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(start + len(text))

    def fault(self, start: int, end: int, message: str, server: str, at: int, advice: str = "") -> None:
        """Record a fault of the token that comes next; `at` is the offset that libprotobuf prints with `server`."""
        if self.faults.room("syntax", start, end):
            token = len(self.kinds)
            self.faults.kept.append(
                Problem("syntax", start, end, message, advice, token, server_offset=at, server_text=server, layer=0)
            )
