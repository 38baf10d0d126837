"""Joins the tables of a Triton log into rows: a wide cell is wrapped over several lines, and a text may hold any `|`.

Source: `TablePrinter` (common `src/table_printer.cc`, 20.10 on; wrapping seen on 2.51.0 at 100 columns): cells are
padded with blanks to the width of the column, which is counted in bytes; a longer text goes on in the next line with
empty cells beside it, and so does each line of a text of several lines. Knows nothing of models but the head of their
table.
"""

from __future__ import annotations

from typing import NamedTuple

# A cell's text is kept up to this length.
CELL_LIMIT = 64 * 1024
# core `server.cc`, `PrintBackendAndModelSummary`.
MODELS = ("Model", "Version", "Status")
_STATES = ("READY", "UNAVAILABLE", "Not loaded", "LOADING", "UNLOADING")


class Row(NamedTuple):
    """One row of a table. line: its first line in the log. head: the names of the columns."""

    line: int
    head: tuple[str, ...]
    cells: tuple[str, ...]


class TableReader:
    """Lines of tables → whole rows. A row is whole when the next one, or the border, is seen."""

    def __init__(self) -> None:
        self._borders = 0
        self._widths: list[int] = []
        self._head: tuple[str, ...] = ()
        self._line = 0
        self._cells: list[str] = []
        self._room: list[int] = []

    @staticmethod
    def belongs(text: str) -> bool:
        """Whether a line is a border or a row."""
        return text.startswith(("+--", "| ")) and text.rstrip().endswith(("-+", "|"))

    def feed(self, line: int, text: str) -> Row | None:
        """Take a line that belongs; the row that it completes, if it does."""
        text = text.rstrip()
        if text.startswith("+"):
            return self._border(text)
        cells, room = self._cut(text)
        if self._borders == 0:
            # The beginning of the table is lost.
            seen = len(cells) == 3 and cells[2].startswith(_STATES)
            self._borders, self._head = 2, MODELS if seen else ("",)
        elif self._borders == 1:
            self._head = tuple(cells)
            return None
        if self._goes_on(cells):
            self._extend(cells, room)
            return None
        row = self.finish()
        self._line, self._cells, self._room = line, cells, room
        return row

    def finish(self) -> Row | None:
        """The row that was being read."""
        if not self._line:
            return None
        row = Row(self._line, self._head, tuple(cell.strip() for cell in self._cells))
        self._line, self._cells = 0, []
        return row

    def end(self) -> None:
        """What follows belongs to another table."""
        self._borders, self._widths, self._head = 0, [], ()

    def _border(self, text: str) -> Row | None:
        row = self.finish()
        if self._borders < 2:
            self._borders += 1
            self._widths = [len(part) for part in text.strip("+").split("+")]
        else:
            self.end()
        return row

    def _cut(self, text: str) -> tuple[list[str], list[int]]:
        """The cells of a line, and how many blanks each has left; many where that is not known."""
        raw = text.encode("utf-8", "replace")
        if self._widths and len(raw) == sum(self._widths) + len(self._widths) + 1:
            cells, room, at = [], [], 1
            for width in self._widths:
                inside = raw[at + 1 : at + width - 1]
                at += width + 1
                cells.append(inside.decode("utf-8", "replace").rstrip())
                room.append(len(inside) - len(inside.rstrip()))
            return cells, room
        count = len(self._widths) or len(self._head) or 99
        parts = [part.strip() for part in text[1:].removesuffix("|").split("|", max(0, count - 1))]
        return parts, [9] * len(parts)

    def _goes_on(self, cells: list[str]) -> bool:
        """Whether a line goes on with the row before: the cell that no row leaves empty is empty."""
        key = 1 if self._head[:1] == MODELS[:1] and len(cells) > 1 else 0
        return bool(self._line) and not cells[key]

    def _extend(self, cells: list[str], room: list[int]) -> None:
        for number, (cell, left) in enumerate(zip(cells[: len(self._cells)], room, strict=False)):
            before = self._cells[number]
            last = number == len(self._cells) - 1
            if not (cell or last) or len(before) > CELL_LIMIT:
                continue
            # A full line was wrapped anywhere, one with a blank left at a blank; else the text has a line end there.
            self._cells[number] = before + {0: "", 1: " "}.get(self._room[number], "\n") + cell
            self._room[number] = left
