"""Walks a protobuf message in a file, field by field; what is not asked for is passed over by its length.

The wire format is that of https://protobuf.dev/programming-guides/encoding/. Knows no message types.
"""

from __future__ import annotations

from collections.abc import Iterator

from tritoncheck.modelfile.window import Window

# A tag and a length are at most ten bytes each.
_AHEAD = 20
VARINT = -1

Field = tuple[int, int, int]


class Malformed(Exception):
    """The bytes are no protobuf message, or the message is cut off. cut: the file ends before the message does."""

    def __init__(self, cut: bool = False) -> None:
        super().__init__("cut off" if cut else "malformed")
        self.cut = cut


class TooMuch(Exception):
    """There is more in the file than is looked at."""


class Walk:
    """A walk through one file. Yields each field as (number, start, stop) of its bytes, a varint as (number, value,
    VARINT). Raises Malformed, TooMuch after `most` fields, and OSError."""

    def __init__(self, window: Window, most: int) -> None:
        self._window = window
        self._left = most

    def message(self, start: int, stop: int) -> Iterator[Field]:
        """The fields of the message between two places of the file."""
        window = self._window
        piece, base = window.piece, window.base
        at = start
        cut = stop > window.size
        while at < stop:
            self._left -= 1
            if self._left < 0:
                raise TooMuch
            here = at - base
            if here < 0 or here + _AHEAD > len(piece):
                piece, base, here = window.move(at), at, 0
            try:
                key = piece[here]
                here += 1
                if key > 127:
                    key, here = _varint(piece, here - 1)
                kind = key & 7
                if kind == 2:
                    value = piece[here]
                    here += 1
                    if value > 127:
                        value, here = _varint(piece, here - 1)
                elif kind == 0:
                    value, here = _varint(piece, here)
                elif kind == 5:
                    value = 4
                elif kind == 1:
                    value = 8
                else:
                    raise Malformed
            except IndexError:
                raise Malformed(cut or base + len(piece) >= window.size) from None
            at = base + here
            if not key >> 3 or at > stop:
                raise Malformed(cut)
            if kind == 0:
                yield key >> 3, value, VARINT
                continue
            if at + value > stop:
                raise Malformed(cut or stop == window.size)
            yield key >> 3, at, at + value
            at += value

    def text(self, start: int, stop: int, most: int = 4096) -> str:
        """The bytes between two places as text. TooMuch if there are more than `most`."""
        if stop == VARINT:
            raise Malformed
        if stop - start > most:
            raise TooMuch
        return self._window.read(start, stop - start).decode("utf-8", "replace")


def _varint(piece: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place behind it. IndexError where the piece ends."""
    value = shift = 0
    while True:
        byte = piece[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise Malformed


def signed(value: int) -> int:
    """A varint as int64."""
    return value - 2**64 if value >= 2**63 else value
