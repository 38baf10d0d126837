"""Amounts as deployment files write them: durations of Go, quantities of Kubernetes."""

from __future__ import annotations

import re
from decimal import Decimal

_PART = re.compile(r"(\d{1,12}(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_QUANTITY = re.compile(r"\+?(\d{1,18}(?:\.\d{0,9})?|\.\d{1,9})(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,2}))?")
_POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def seconds(text: str) -> float | None:
    """The seconds of a duration such as `1m30s` or `500ms` (Go `time.ParseDuration`); None for anything else."""
    text = text.strip()
    if text == "0":
        return 0.0
    found = _PART.findall(text)
    if not found or "".join(number + unit for number, unit in found) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in found)


def quantity(text: str) -> Decimal | None:
    """A quantity of Kubernetes: `64Mi`, `1.5G`, `500m`, `1e9`, `128974848`; None for anything else.

    apimachinery `pkg/api/resource/quantity.go`, 1.20 to 1.34. `m` is a thousandth, `M` a million: `512m` of memory is
    half a byte, rounded up to one.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    number, binary, decimal, exponent = found.groups()
    if binary:
        return Decimal(number) * Decimal(1024 ** ("KMGTPE".index(binary[0]) + 1))
    return Decimal(number).scaleb(_POWERS[decimal] if decimal else int(exponent or 0))


def whole(text: str) -> int | None:
    """A quantity of bytes or of devices, rounded up as Kubernetes does."""
    amount = quantity(text)
    return None if amount is None else int(amount.to_integral_value(rounding="ROUND_CEILING"))


def count_of_list(text: str) -> int:
    """How many a list such as `0-3,8` names, as the kernel and `cpuset` write it; 0 for anything else."""
    named: set[int] = set()
    for part in text.strip().split(","):
        found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part.strip())
        if found is None:
            return 0
        named.update(range(int(found[1]), int(found[2] or found[1]) + 1))
    return len(named)


def fewest(quota: str, cpuset: str) -> float | None:
    """How many CPUs a container may use: at most the quota (`2`, `1.5`, `500m`), and only those of the set (`0-3`)."""
    amount = quantity(quota)
    limits = [float(amount)] if amount else []
    limits += [float(count_of_list(cpuset))] if count_of_list(cpuset) else []
    return min(limits, default=None)


_SIZE = re.compile(r"(\d{1,18}(?:\.\d*)?)\s?(?:([kmgtp])i?)?b?", re.IGNORECASE)


def size(text: str) -> int | None:
    """Bytes of a size as Docker writes it: `64m`, `1.5gb`, `512MiB`, powers of 1024 (go-units `RAMInBytes`)."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    power = " kmgtp".index((found.group(2) or " ").lower())
    return int(Decimal(found.group(1)) * 1024**power)
