"""A health check as Docker runs it, with what holds where nothing is written.

Source: moby `daemon/health.go` and Dockerfile reference, *HEALTHCHECK*, 20.10 to 28.2: every 30 s, each at most 30 s,
no start period, unhealthy after 3 in a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tritoncheck.deployment.parts import Probe
from tritoncheck.deployment.quantities import seconds

_URL = re.compile(r"http(s?)://[^/\s\"':]+(?::(\d{1,5}))?(/[^\s\"']*)?")


def health_check(command: Sequence[str], given: Callable[[str], str | None]) -> Probe:
    """The check that a command in words makes. given: what is written for `start-period`, `interval`, `timeout` and
    `retries`: None for nothing, "" for what is not known. It says how the server is, and restarts nothing."""
    url = _URL.search(" ".join(command))
    retries = given("retries")
    retries = "3" if retries is None else retries
    return Probe(
        "healthcheck",
        path=(url[3] or "/") if url else "",
        command=tuple(command),
        port=int(url[2] or (443 if url[1] else 80)) if url else None,
        delay=_time(given("start-period"), "0s"),
        period=_time(given("interval"), "30s"),
        timeout=_time(given("timeout"), "30s"),
        failures=int(retries) if retries.isdigit() and len(retries) < 6 else None,
    )


def _time(given: str | None, default: str) -> float | None:
    return seconds(default if given is None else given)
