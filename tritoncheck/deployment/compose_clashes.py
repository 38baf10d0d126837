"""Ports of the host that two services of a Compose project publish. Each service is read once, not once per pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from tritoncheck.deployment import compose_parts as parts
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Clash, Port
from tritoncheck.rule import Span

# Of one service; who has more sees what is wrong by these.
_MOST = 20


class Published(NamedTuple):
    """A port of the host that a service publishes. profiles: with one of which the service is started."""

    service: str
    profiles: frozenset[str]
    port: Port
    span: Span


ByPort = dict[tuple[int, str], list[Published]]


def published(reader: Reader) -> ByPort:
    """What all services publish, by port of the host and protocol."""
    found: ByPort = {}
    for name, node in reader.project.services.items():
        profiles = parts.profiles(node, reader)
        for port, span in parts.ports(node, reader).items():
            if port.host:
                entry = Published(name, profiles, port, span)
                found.setdefault((port.host, port.protocol), []).append(entry)
    return found


def clashes(launch: Launch, profiles: frozenset[str], by_port: ByPort) -> tuple[Clash, ...]:
    """The ports of the host that other services publish too, where both services can run at once."""
    return tuple(islice(_clashes(launch, profiles, by_port), _MOST))


def _clashes(launch: Launch, profiles: frozenset[str], by_port: ByPort) -> Iterator[Clash]:
    for own in launch.ports:
        for other in by_port.get((own.host or 0, own.protocol), ()):
            apart = bool(profiles) and bool(other.profiles) and other.profiles.isdisjoint(profiles)
            one_sided = (profiles or other.profiles) if not (profiles and other.profiles) else frozenset()
            same = own.address == other.port.address
            meets = same or "" in (own.address, other.port.address)
            if other.service != launch.service and not apart and meets:
                yield Clash(own, other.service, other.span, same, min(one_sided, default=""))
