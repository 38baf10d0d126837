"""The protocol between an attempt and the place where its server runs. Knows no engine, no log and no outcome.

A host starts servers one at a time. What it cannot do because of its surroundings (the engine does not answer, the
image is not there, a port is taken) is an `EnvironmentFault`: never an attempt, but a reason to wait and try again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

Note = Callable[[str], None]

# Flags that let every model be tried and the server come up all the same. Source: server `command_line_parser.cc`.
MEASURING = ("--exit-on-error=false", "--strict-readiness=false")


class HostError(Exception):
    """The plan cannot be carried out on this host, however long one waits; the text says why and what would help."""


class MissingExtra(HostError):
    """A package is missing; the text says which `pip install` brings it."""


class EnvironmentFault(Exception):
    """The surroundings failed: no attempt. `lasting`: waiting will not heal it."""

    def __init__(self, text: str, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


class Chunk(NamedTuple):
    """Bytes that the server wrote, and on which stream."""

    stream: str
    data: bytes


class Row(NamedTuple):
    """One row of the repository index; version and state are "" for a model that was refused while scanning."""

    name: str
    version: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What a host knows of itself; "" where it does not."""

    engine: str = ""
    image_digest: str = ""
    driver: str = ""
    gpu: str = ""
    cpus: int | None = None
    command: tuple[str, ...] = ()


class Server(Protocol):
    """One started server."""

    def now(self) -> float:
        """A clock in seconds that never goes back."""

    def read(self, timeout: float) -> list[Chunk]:
        """What was written since the last call; waits for it so long at most."""

    def over(self) -> bool:
        """Whether the server has ended and everything it wrote was read."""

    def exit_code(self) -> int | None:
        """Its exit code, above 128 or negative for a signal; None while it runs or where nobody knows."""

    def index(self, timeout: float) -> list[Row] | None:
        """The repository index as it tells it, None where it does not answer."""

    def signal(self, number: int) -> bool:
        """Send a signal to the server and to what it started; whether the server, as far as is known, heeds it."""

    def remove(self) -> None:
        """End it, if need be by force, and remove all that it leaves. May be called twice."""


class Host(Protocol):
    """Where servers run."""

    def prepare(self, note: Note) -> HostFacts:
        """Sweep what dead runs left, fetch what is needed, and tell what it is. Raises HostError, EnvironmentFault."""

    def start(self, number: int) -> Server:
        """Start a server for this attempt. Raises EnvironmentFault."""

    def close(self) -> None:
        """Remove everything of this run. May be called twice."""
