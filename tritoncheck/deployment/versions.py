"""Version numbers of drivers, CUDA and TensorRT, compared part by part: 580.173 is later than 580.95."""

from __future__ import annotations

import re

Version = tuple[int, ...]

_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,4}")


def parse_version(text: str) -> Version | None:
    """`580.173.02` as (580, 173, 2); None for what is no version."""
    found = _VERSION.fullmatch(text.strip())
    return tuple(int(part) for part in found.group().split(".")) if found else None


def at_least(have: Version, want: Version) -> bool:
    """Whether a version is this one or a later one. What `have` leaves out is taken as enough: 580 is at least
    580.65.06, since a user who names the branch means a driver of it that works."""
    shared = min(len(have), len(want))
    return have[:shared] >= want[:shared]


def dotted(version: Version) -> str:
    """(12, 4) as `12.4`; without the leading zeros that drivers have in their last part."""
    return ".".join(str(part) for part in version)


def short_driver(driver: str) -> str:
    """A driver's version without its last part, as NVIDIA's start-up banner names it: `610.43.02` is 610.43."""
    parts = driver.split(".")
    return ".".join(parts[:2])
