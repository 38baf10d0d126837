"""The time of a line, from its header or from the collector, in seconds that can be compared within one log.

Triton's usual header names no year (common `src/logging.cc`), its ISO8601 header no part of a second.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cache

_YEAR = 366 * 86400.0


class Clock:
    """Times of a log that names no year: they go on over New Year."""

    def __init__(self) -> None:
        self.last: float | None = None
        self._years = 0.0

    def of(self, header: re.Match[str] | None, stamp: tuple[str, str]) -> float | None:
        """The time of a line in seconds: that of its header, else that of the collector, else None."""
        if header is not None and header["clock"]:
            time = _seconds(int(header["month"]), int(header["day"]), header["clock"])
        elif header is not None:
            time = _seconds(int(header["date"][5:7]), int(header["date"][8:10]), header["seconds"])
        elif stamp[0]:
            time = _seconds(int(stamp[0][5:7]), int(stamp[0][8:10]), stamp[1])
        else:
            return None
        if time is None:
            return None
        time += self._years
        if self.last is not None and time < self.last - _YEAR / 2:
            self._years += _YEAR
            time += _YEAR
        self.last = time
        return time


def _seconds(month: int, day: int, clock: str) -> float | None:
    """Seconds since the year began, taking each year for a leap year."""
    days = _days(month, day)
    if days is None:
        return None
    return days * 86400 + int(clock[:2]) * 3600 + int(clock[3:5]) * 60 + float(clock[6:])


@cache
def _days(month: int, day: int) -> int | None:
    try:
        return date(2024, month, day).timetuple().tm_yday - 1
    except ValueError:
        return None
