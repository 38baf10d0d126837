"""Places in a text file: from offsets in characters to lines and columns. Knows no format."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, pairwise

from tritoncheck.rule import Span


class Lines:
    """Places in a text by the offset in characters."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.text = text
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """From one offset to another, ends exclusive."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end) - 1
        column, stop = start - self.starts[first] + 1, end - self.starts[last] + 1
        return Span(self.path, first + 1, column, last + 1, stop, self._bytes(start), self._bytes(end))

    def written(self, span: Span) -> tuple[int, str]:
        """Where a place begins, as an offset, and what stands there."""
        start, end = (
            self.starts[line - 1] + column - 1
            for line, column in ((span.line, span.column), (span.end_line, span.end_column))
        )
        return start, self.text[start:end]

    def _bytes(self, offset: int) -> int:
        if self.text.isascii():
            return offset
        line = bisect_right(self.starts, offset) - 1
        return self._before[line] + _size(self.text[self.starts[line] : offset])

    @cached_property
    def _before(self) -> list[int]:
        """The bytes before each line."""
        sizes = (_size(self.text[start:end]) for start, end in pairwise(self.starts))
        return list(accumulate(sizes, initial=0))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


# Where the parts of a text stand in another, as (offset here, offset there), in order.
Pieces = tuple[tuple[int, int], ...]


def origin(pieces: Pieces, start: int, end: int) -> tuple[int, int]:
    """Offsets in the other text for two offsets in this one."""
    return (_origin(pieces, start), _origin(pieces, max(start, end - 1)) + (end > start))


def _origin(pieces: Pieces, at: int) -> int:
    here, there = pieces[max(0, bisect_right(pieces, (at, 1 << 62)) - 1)]
    return there + at - here
