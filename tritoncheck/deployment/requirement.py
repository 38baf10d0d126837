"""The launch condition of an image, `NVIDIA_REQUIRE_CUDA` and its like, as the container toolkit judges it.

A space means or, a comma and; each term is `property operator value` with the properties `cuda`, `driver`, `arch` and
`brand`, of the host. All variables `NVIDIA_REQUIRE_*` must hold, those of JetPack excepted; `NVIDIA_DISABLE_REQUIRE`
turns it off; an image with `CUDA_VERSION` alone requires that CUDA. Where it does not hold the container does not
start. Source: NVIDIA/nvidia-container-toolkit 1.20.0, `internal/config/image/cuda_image.go` and
`internal/requirements/constraints`.

What is not known of the host makes a term neither true nor false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tritoncheck.deployment.versions import Version, parse_version

_TERM = re.compile(r"([a-z_]+)\s*(<=|>=|!=|=|<|>)\s*(.+)", re.ASCII)
_COMPARE: dict[str, Callable[[Version, Version], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PREFIX = "NVIDIA_REQUIRE_"


class HostValues(NamedTuple):
    """What a condition may ask of a host. cuda: the newest that its driver has; arch: compute capability."""

    cuda: Version | None = None
    driver: Version | None = None
    arch: Version | None = None
    brand: str = ""


def requirements(environment: Mapping[str, str]) -> dict[str, str]:
    """The conditions in an image's environment, by variable; empty where they are turned off."""
    if environment.get("NVIDIA_DISABLE_REQUIRE", "").lower() in ("1", "t", "true"):
        return {}
    found = {
        name: value
        for name, value in environment.items()
        if name.startswith(_PREFIX) and not name.startswith(f"{_PREFIX}JETPACK") and value.strip()
    }
    version = parse_version(environment.get("CUDA_VERSION", ""))
    if version and len(version) > 1 and f"{_PREFIX}CUDA" not in environment:
        found["CUDA_VERSION"] = f"cuda>={version[0]}.{version[1]}"
    return found


def holds(condition: str, host: HostValues) -> bool | None:
    """Whether a condition holds on a host; None where that depends on what is not known of it."""
    return _any([_all([_term(term, host) for term in choice.split(",")]) for choice in condition.split()])


def _term(text: str, host: HostValues) -> bool | None:
    """One term; what nobody knows is skipped by the toolkit, so it holds."""
    found = _TERM.fullmatch(text.strip())
    if not found:
        return True
    name, sign, value = found.groups()
    if name == "brand":
        if not host.brand or sign not in ("=", "!="):
            return None
        return (host.brand == value) == (sign == "=")
    have: Version | None = {"cuda": host.cuda, "driver": host.driver, "arch": host.arch}.get(name, ())
    want = parse_version(value)
    if have == () or want is None:
        return True
    if have is None:
        return None
    size = max(len(have), len(want))
    return _COMPARE[sign](have + (0,) * (size - len(have)), want + (0,) * (size - len(want)))


def _all(values: list[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _any(values: list[bool | None]) -> bool | None:
    return True if True in values or not values else None if None in values else False
