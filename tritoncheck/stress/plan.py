"""From what a user asks for to a plan: how many attempts, which models must come up, what the run is to show.

The plan is all that a resumed run needs to go on in the same way. Knows nothing of hosts.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path

from tritoncheck.repository import RepositoryFolder, looks_like_model, read_repository
from tritoncheck.stress import flags
from tritoncheck.stress.ending import UNTIL, restarts_for
from tritoncheck.stress.records import Plan
from tritoncheck.stress.variables import read

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*")
_CLAIM = re.compile(r"\s*(?:<=?|below)?\s*(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(%?)\s*", re.IGNORECASE)


class PlanError(ValueError):
    """Something asked for cannot be; the text says what and what would be."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for, as it was typed. restarts: None where it was not."""

    repository: str = "."
    restarts: int | None = None
    claim: str = ""
    until: str = ""
    against: str = ""
    budget: str = ""
    image: str = ""
    server: str = ""
    restart_mode: str = "fresh"
    flags: tuple[str, ...] = ()
    as_deployed: bool = False
    gpus: str = ""
    shm_size: str = ""
    cpus: float | None = None
    memory: str = ""
    environment: tuple[str, ...] = ()
    startup_timeout: str = "120s"
    expected: tuple[str, ...] = ()
    seed: int = 0


def make_plan(wish: Wish, host: str) -> Plan:
    """The plan. PlanError for wishes that cannot be."""
    until, claim, against = _question(wish)
    if wish.restart_mode not in ("fresh", "restart"):
        raise PlanError(f"--restart-mode must be `fresh` or `restart`, not `{wish.restart_mode}`")
    if wish.restarts is not None and wish.restarts < 1:
        raise PlanError("--restarts must be at least 1")
    if wish.flags and not wish.flags[0].startswith("-"):
        raise PlanError(f"--flag takes a flag of tritonserver: --flag=--log-verbose=1, not `{wish.flags[0]}`")
    budget = parse_duration(wish.budget, "--for") if wish.budget else None
    folder, expected = "", wish.expected
    contents = ""
    if host != "mock":
        folder = os.path.realpath(wish.repository)
        repository = _scan(wish.repository)
        expected = wish.expected or flags.loaded(wish.flags, [model.name for model in repository.models])
        contents = fingerprint(folder)
        if strange := sorted(set(expected) - {model.name for model in repository.models}):
            raise PlanError(f"{wish.repository}: no model `{strange[0]}` there, which is to be waited for")
    if not expected:
        raise PlanError(f"{wish.repository}: no model there to wait for; name models with --expect")
    return Plan(
        repository=folder or wish.repository,
        expected=tuple(sorted(set(expected))),
        host=host,
        restarts=wish.restarts or restarts_for(until, claim, against, budget),
        image=wish.image,
        server=wish.server,
        restart_mode=wish.restart_mode,
        flags=wish.flags,
        as_deployed=wish.as_deployed,
        gpus=wish.gpus,
        shm_size=wish.shm_size,
        cpus=wish.cpus,
        memory=wish.memory,
        environment=read(wish.environment, os.environ),
        startup_timeout=parse_duration(wish.startup_timeout, "--startup-timeout"),
        claim=claim,
        until=until,
        against=against,
        budget=budget,
        seed=wish.seed,
        contents=contents,
    )


def changed(plan: Plan, wish: Wish, host: str = "auto") -> str:
    """The first option in which a wish differs from the plan of a run that is to go on, "" without any. What was not
    asked for differs in nothing; variables are another matter."""
    asked: dict[str, object] = {
        one.name: value
        for one in fields(Wish)
        if (value := getattr(wish, one.name)) != getattr(Wish(), one.name) and one.name != "environment"
    }
    for name, option in (("claim", "--claim"), ("against", "--against")):
        if name in asked:
            asked[name] = parse_rate(getattr(wish, name), option)
    for name, option in (("budget", "--for"), ("startup_timeout", "--startup-timeout")):
        if name in asked:
            asked[name] = parse_duration(getattr(wish, name), option)
    if "repository" in asked:
        asked["repository"] = os.path.realpath(wish.repository)
    if "expected" in asked:
        asked["expected"] = tuple(sorted(set(wish.expected)))
    if host != "auto":
        asked["host"] = host
    names = {"flags": "--flag", "budget": "--for", "expected": "--expect", "repository": "repository"}
    wrong = next((name for name, value in asked.items() if getattr(plan, name) != value), "")
    return names.get(wrong, f"--{wrong.replace('_', '-')}") if wrong else ""


def _question(wish: Wish) -> tuple[str, float | None, float | None]:
    """What ends the run, the rate that is claimed, and the one that it is told from."""
    until = wish.until or "count"
    if until not in UNTIL:
        raise PlanError(f"--until must be `decided`, `sprt` or `count`, not `{wish.until}`")
    claim = parse_rate(wish.claim, "--claim") if wish.claim else None
    against = parse_rate(wish.against, "--against") if wish.against else None
    if until != "sprt":
        if against is not None:
            raise PlanError("--against is the second rate of the sequential test: --until sprt")
        return until, claim, None
    if claim is None or against is None:
        raise PlanError('--until sprt tells two rates apart: a good one and a bad one, --claim "<1%" --against 5%')
    if claim >= against:
        raise PlanError(f"--against {wish.against}: the bad rate must be above the good one, --claim {wish.claim}")
    return until, claim, against


def parse_rate(text: str, option: str) -> float:
    """`<1%`, `1 %`, `0.01` as a rate."""
    found = _CLAIM.fullmatch(text)
    if found:
        rate = float(found[1]) / (100 if found[2] else 1)
        if 0 < rate < 1:
            return rate
    example = '"<1%"' if option == "--claim" else "5%"
    raise PlanError(f"{option} takes a rate such as {example} or 0.01, not `{text}`")


def parse_duration(text: str, option: str) -> float:
    """`90`, `90s`, `30m`, `2h` in seconds."""
    found = _DURATION.fullmatch(text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not seconds > 0 or not math.isfinite(seconds):
        raise PlanError(f"{option} takes a time such as 90s, 30m or 2h, not `{text}`")
    return seconds


def fingerprint(folder: str) -> str:
    """Changes when a file of the repository is added, removed, resized, or a configuration or script is edited."""
    digest = sha256()
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if one != "__pycache__")
        for name in sorted(files):
            whole = os.path.join(path, name)
            try:
                size = os.stat(whole).st_size
                text = Path(whole).read_bytes() if size < 1 << 20 and name.endswith((".pbtxt", ".py")) else b""
            except OSError:
                size, text = -1, b""
            digest.update(f"{os.path.relpath(whole, folder)}\0{size}\0".encode("utf-8", "surrogateescape") + text)
    return digest.hexdigest()[:16]


def _scan(path: str) -> RepositoryFolder:
    if not os.path.isdir(path):
        raise PlanError(f"{path}: {'a file, not a folder' if os.path.exists(path) else 'no such folder'}")
    if looks_like_model(path):
        above, name = os.path.split(os.path.abspath(path))
        raise PlanError(f"{path}: a model, not a repository; to wait for it alone: {above} --expect {name}")
    repository = read_repository(path)
    if repository.error:
        raise PlanError(f"{path}: {repository.error}")
    return repository
