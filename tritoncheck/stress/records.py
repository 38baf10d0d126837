"""The records of a stress run: the plan, what one attempt came to, and the lines of the journal.

A journal is JSON Lines: one `plan`, one `facts` for each session, then `attempt`, `environment` (an engine or image
error, which is no attempt), `decision` (a stopping rule has decided) and `end`. Everything that a report shows is
computed from these. Knows nothing of hosts, logs or statistics.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cache
from hashlib import sha256
from typing import Any

from tritoncheck.stress import flags
from tritoncheck.stress.variables import Variable

JOURNAL_VERSION = 1
# Planned attempts of a run that only its time bounds.
UNBOUNDED = 1_000_000
OUTCOMES = ("ready", "degraded", "failed", "knock-on", "hung", "crashed", "unknown")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does; a run is resumed only with the same plan.

    repository: the model repository's path. expected: the models that must come up. host: `docker`, `process`,
    `embedded` or `mock`. image, gpus (`all`, `none` or ids), shm_size, cpus, memory, environment: of the container.
    flags: further server flags. as_deployed: the flags are used as they are, without those for measuring.
    restarts: attempts at most. claim: the rate to rule out, None without a claim. until: `count`, `decided` (the
    confidence sequence) or `sprt` (the sequential test of the claim against the rate `against`).
    budget: seconds for the whole run, None without. startup_timeout: seconds for one attempt.
    contents: fingerprint of the repository's files.
    """

    repository: str
    expected: tuple[str, ...]
    host: str
    restarts: int = 50
    image: str = ""
    server: str = ""
    restart_mode: str = "fresh"
    flags: tuple[str, ...] = ()
    as_deployed: bool = False
    gpus: str = ""
    shm_size: str = ""
    cpus: float | None = None
    memory: str = ""
    environment: tuple[Variable, ...] = ()
    startup_timeout: float = 120.0
    claim: float | None = None
    until: str = "count"
    against: float | None = None
    budget: float | None = None
    seed: int = 0
    contents: str = ""

    @property
    def counted(self) -> bool:
        """Whether the number of attempts bounds the run, and not its time alone."""
        return self.restarts < UNBOUNDED or self.budget is None

    @property
    def retries(self) -> int:
        """How often the server may repeat a load that failed."""
        return flags.retries(self.flags)

    def digest(self) -> str:
        """Hash of everything in it, 16 hexadecimal digits."""
        return sha256(json.dumps(plain(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a session ran on; "" or None where it could not be found out."""

    started: str
    tritoncheck: str
    triton: str = ""
    image_digest: str = ""
    engine: str = ""
    driver: str = ""
    gpu: str = ""
    host: str = ""
    cpus: int | None = None
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """What one model came to in one attempt.

    outcome: one of `OUTCOMES`. failure: the class of the failure or loss, or of what a retry healed, "" without. line,
    text: its line in the log.
    culprits: models that caused it; victims: models that it caused to fail. lost: what a degraded model lost.
    seconds: from the start of its load to its end, or until it was given up; None where the log does not say. begun:
    seconds after the first line of the log. retries: how often its load failed before it succeeded.
    """

    outcome: str
    failure: str = ""
    line: int = 0
    text: str = ""
    culprits: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    seconds: float | None = None
    begun: float | None = None
    retries: int = 0
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One start of the server and what came of it.

    number: from 1. started: UTC, ISO 8601. seconds: from the start to the last outcome. ended: `settled`, `exit`,
    `timeout` or `stopped`. exit_code: of the server, None while it ran. whole: every expected model was ready and lost
    nothing. server: class of a failure of the server itself, "" without. log: the kept log's file name, "" if dropped.
    took: seconds with everything, from before the start to after the removal.
    """

    number: int
    started: str
    seconds: float
    ended: str
    whole: bool
    models: dict[str, ModelOutcome] = field(default_factory=dict)
    exit_code: int | None = None
    server: str = ""
    server_line: int = 0
    server_text: str = ""
    log: str = ""
    arm: str = ""
    took: float = 0.0


def to_line(kind: str, record: Any) -> str:
    """A record as a line of the journal, without its line break."""
    return json.dumps({"kind": kind, "version": JOURNAL_VERSION, **plain(record)}, ensure_ascii=True, sort_keys=True)


def plain(record: Any) -> dict[str, Any]:
    """A record as a table of plain values; of variables their names and marks."""
    if isinstance(record, dict):
        return record
    table = {name: getattr(record, name) for name in record.__dataclass_fields__}  # `asdict` copies all of it
    if isinstance(record, Plan):
        table["environment"] = [[one.name, one.mark] for one in record.environment]
    elif isinstance(record, Attempt):
        table["models"] = {name: plain(one) for name, one in record.models.items()}
    return table


class RecordError(ValueError):
    """A table that is no record of this kind."""


def attempt_from(table: dict[str, Any]) -> Attempt:
    """An attempt from a journal's line. Keys that are not known are passed over: a newer tool may have written it."""
    models = table.get("models", {})
    if not isinstance(models, dict):
        raise RecordError("models are no table")
    made: Attempt = _made(
        Attempt, {**table, "models": {name: _made(ModelOutcome, one) for name, one in models.items()}}
    )
    return made


def plan_from(table: dict[str, Any]) -> Plan:
    """A plan from a journal's line."""
    try:
        variables = tuple(Variable(name, mark) for name, mark in table.get("environment", ()))
    except (TypeError, ValueError):
        raise RecordError("environment is no list of names and marks") from None
    made: Plan = _made(Plan, {**table, "environment": variables})
    return made


def facts_from(table: dict[str, Any]) -> Facts:
    """Facts from a journal's line."""
    made: Facts = _made(Facts, {"started": "", "tritoncheck": "", **table})
    return made


_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (dict,),
    "float": (int, float),
    "int": (int,),
    "str": (str,),
    "tuple": (tuple,),
}


@cache
def _fields(kind: type) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """The fields of a record, and what each may hold."""
    found = []
    for one in fields(kind):
        first, _, rest = str(one.type).partition(" | ")
        found.append((one.name, _TYPES[first.partition("[")[0]] + ((type(None),) if rest else ())))
    return tuple(found)


def _made(kind: type, table: Any) -> Any:
    """A record from a table; RecordError where a field lacks, or is of another type."""
    if not isinstance(table, dict):
        raise RecordError(f"no table of {kind.__name__}")
    known = {}
    for name, types in _fields(kind):
        if name in table:
            value = known[name] = _frozen(table[name])
            if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
                raise RecordError(f"{name} of {kind.__name__}")
    try:
        return kind(**known)
    except TypeError as error:
        raise RecordError(str(error)) from None


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
