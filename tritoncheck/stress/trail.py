"""What is kept of a log: failures, telling lines, and the history of one model. Plain data; `history` fills it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritoncheck.stress.logs import Event
from tritoncheck.stress.signatures import Match


@dataclass(slots=True)
class Failure:
    """One failed attempt at a model or an instance. order: its place among the events; why: the text after the name."""

    line: int
    order: int
    why: str
    text: str
    version: int | None = None
    time: float | None = None


@dataclass(slots=True)
class Hit:
    """A line of its own that matches a signature. loss: the signature of what was lost, if the line says so."""

    event: Event
    order: int
    match: Match | None
    loss: Match | None


@dataclass(slots=True)
class ModelHistory:
    """What the log says of one model since its last `loading`.

    began, ended: lines, 0 where there was none; with `_order`, their places among the events. ready: a line.
    refused: never loaded, and why. needs: the models that an ensemble waits for in vain. retried: failures that a
    later attempt healed. rows: its rows in the table, status by version.
    """

    name: str
    began: int = 0
    ended: int = 0
    began_order: int = 0
    ended_order: int = 0
    versions: dict[int, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    instances: list[Failure] = field(default_factory=list)
    retried: list[Failure] = field(default_factory=list)
    refused: Failure | None = None
    needs: tuple[str, ...] = ()
    ready: int = 0
    given_up: bool = False
    rows: dict[str, tuple[int, str]] = field(default_factory=dict)
    loads: int = 0

    @property
    def loading(self) -> bool:
        """Whether a load began and has no end yet."""
        return bool(self.began) and not self.ready and not self.given_up and "loading" in self.versions.values()

    def settled(self, retries: int = 0) -> bool:
        """Whether its load has come to an end. retries: of the server (`--model-load-retry-count`).

        To 23.04 there is no last line for a failed model, but no retries either (since 24.01).
        """
        if self.ready or self.given_up or self.refused or self.is_up:
            return True
        return bool(self.failures) and not retries and "loading" not in self.versions.values()

    @property
    def is_up(self) -> bool:
        """Whether it came up, by its own line or by the table."""
        rows = [status for _, status in self.rows.values()]
        return bool(self.ready) or bool(rows) and all(status.startswith("READY") for status in rows)
