"""What a launch is made of besides image and flags: GPUs, ports, probes, mounts, doubts. Records only, of any origin.

A field that is None is unknown; each reader fills in what its format does by default (Docker's 64 MB of `/dev/shm`,
Kubernetes' period of 10 s), so that a rule need not know the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tritoncheck.rule import Span

# Bytes of `/dev/shm` of a container for which nothing else is said. Source: moby `daemon/config/config_linux.go`, 20.10
# to 29.0; containerd `pkg/oci/mounts.go`, 1.4 to 2.1, which CRI-O follows.
DEFAULT_SHM = 64 * 1024 * 1024
SHM = "/dev/shm"
# Values of `ipc` with which a container shares nobody else's `/dev/shm`.
OWN_IPC = frozenset(("private", "shareable", "none"))


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs that the server sees. count: how many, None for all of the host; 0 for none. ids: those named, by index
    or UUID, as written."""

    count: int | None = None
    ids: tuple[str, ...] = ()

    @property
    def none(self) -> bool:
        """Whether it is known that no GPU is seen."""
        return self.count == 0 and not self.ids

    @property
    def all(self) -> bool:
        """Whether every GPU of the host is seen, however many those are."""
        return self.count is None and not self.ids

    @property
    def number(self) -> int | None:
        """How many GPUs are seen, None where that depends on the host."""
        return len(self.ids) or self.count


class Port(NamedTuple):
    """A published port. host: the host's, None where the engine chooses one. address: the host's address that it is
    bound to, "" for all of them."""

    container: int
    host: int | None = None
    address: str = ""
    protocol: str = "tcp"

    @property
    def public(self) -> bool:
        """Whether others than the host itself reach it."""
        return not self.address.startswith("127.") and self.address not in ("localhost", "::1", "[::1]")


class Probe(NamedTuple):
    """A repeated question whether the server is well.

    kind: `startup`, `liveness`, `readiness` or `healthcheck`. path: what is asked over HTTP, "" where a command is run.
    command: what is run, in words. delay, period, timeout: seconds; delay is the time before a failure counts.
    failures: how many in a row count. kills: whether the server is then restarted.
    """

    kind: str
    path: str = ""
    command: tuple[str, ...] = ()
    port: int | None = None
    delay: float | None = None
    period: float | None = None
    timeout: float | None = None
    failures: int | None = None
    kills: bool = False

    @property
    def patience(self) -> float | None:
        """Seconds from the start until so many failures are reached, at the earliest; None where something is unknown.

        Kubernetes asks first when the delay is over, Docker after one period. Source: kubernetes
        `pkg/kubelet/prober/worker.go`, 1.20 to 1.34; moby `daemon/health.go`, 20.10 to 28.2.
        """
        if self.delay is None or self.period is None or self.failures is None:
            return None
        first = max(self.delay, self.period) if self.kind == "healthcheck" else self.delay
        return first + self.period * (max(1, self.failures) - 1)


class Mount(NamedTuple):
    """Something of the host inside the container. kind: `bind` (source is an absolute path, "" where unknown), `volume`
    (source is its name) or `memory`. target: the path in the container."""

    target: str
    source: str = ""
    read_only: bool = False
    kind: str = "bind"


class Doubt(NamedTuple):
    """A value that a file does not settle. key: as in `Launch.origins`; why: the reason, in words."""

    key: str
    why: str
    span: Span


class Clash(NamedTuple):
    """A port of the host that another service of the same file publishes too. span: where the other does.
    same_address: whether both name the same address of the host, or none. profile: the one that has to be on for both
    to run where only one of them has any, "" where they run together anyway."""

    port: Port
    service: str
    span: Span
    same_address: bool = True
    profile: str = ""
