"""The flags of `tritonserver` that a user gave, as the server reads them. Knows nothing of hosts."""

from __future__ import annotations

from collections.abc import Sequence

from tritoncheck.deployment.command_line import parse_words

REPOSITORY = ("model-repository", "model-store", "m")


def pairs(flags: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Names without dashes, and values, "" without one."""
    found = parse_words(["tritonserver", *flags])
    return found.flags if found else ()


def value(flags: Sequence[str], name: str) -> str:
    """The value of a flag, the last if it is there twice; "" where it is not."""
    return next((value for one, value in reversed(pairs(flags)) if one == name), "")


def retries(flags: Sequence[str]) -> int:
    """How often the server repeats a load that failed (`--model-load-retry-count`, since 24.01; server
    `command_line_parser.cc`)."""
    text = value(flags, "model-load-retry-count")
    return int(text) if text.isdecimal() else 0


def loaded(flags: Sequence[str], models: Sequence[str]) -> tuple[str, ...]:
    """The models among all those of a repository that the server will load at its start."""
    if value(flags, "model-control-mode").lower() != "explicit":
        return tuple(models)
    named = [value for name, value in pairs(flags) if name == "load-model"]
    return tuple(models) if "*" in named else tuple(named)


def without_repository(flags: Sequence[str]) -> list[str]:
    """The flags without those that name a repository, which is given by the host."""
    kept: list[str] = []
    skip = False
    for flag in flags:
        if skip:
            skip = False
            continue
        name = flag.partition("=")[0].replace("_", "-")
        if name.lstrip("-") in REPOSITORY:
            skip = "=" not in flag
            continue
        kept.append(flag)
    return kept
