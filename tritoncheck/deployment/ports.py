"""Ports: how Docker's short form is read, and on which the server itself listens.

Source: docker/go-connections `nat/nat.go` and `nat/parse.go`, 0.4 to 0.6; server `src/command_line_parser.cc`,
20.01 to 26.09.
"""

from __future__ import annotations

import re

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Port
from tritoncheck.rule import Span

_SHORT = re.compile(
    r"(?:(?P<address>\[[0-9a-fA-F:.]*\]|\d+\.\d+\.\d+\.\d+|localhost|):(?=.*:))?(?:(?P<host>\d{1,5}(?:-\d{1,5})?)?:)?"
    r"(?P<inside>\d{1,5}(?:-\d{1,5})?)(?:/(?P<protocol>tcp|udp|sctp))?"
)
# No server listens on more than a few; a longer range is for something else.
_MOST = 64
# What listens, its flag and its port: (what allows it, its port, its address, the default).
_SERVICES = (
    ("allow-http", "http-port", "http-address", 8000),
    ("allow-grpc", "grpc-port", "grpc-address", 8001),
    ("allow-metrics", "metrics-port", "metrics-address", 8002),
)


def read_ports(text: str) -> tuple[Port, ...] | None:
    """`8000:8000`, `127.0.0.1:8000-8002:8000-8002/tcp`, `8000`, `[::1]::8000`; None for anything else."""
    found = _SHORT.fullmatch(text.strip())
    if found is None:
        return None
    address = found["address"] or ""
    inside, outside = _range(found["inside"]), _range(found["host"] or "")
    if not inside or len(inside) > _MOST:
        return None
    protocol = found["protocol"] or "tcp"
    if outside and len(outside) != len(inside):
        if len(inside) > 1:
            return None
        outside = []  # one port inside, and a range from which the engine chooses
    hosts: list[int | None] = list(outside) or [None] * len(inside)
    return tuple(Port(port, host, address, protocol) for port, host in zip(inside, hosts, strict=True))


def _range(text: str) -> list[int]:
    first, _, last = text.partition("-")
    if not first:
        return []
    low, high = int(first), int(last or first)
    return list(range(low, min(high, low + _MOST) + 1)) if 0 < low <= high < 65536 else []


def own_ports(launch: Launch) -> tuple[Port, ...]:
    """The ports on which the server listens, as the host has them where it shares the host's network."""
    found = []
    for allowed, flag, address, default in _SERVICES:
        port = launch.number(flag, default)
        if launch.switch(allowed, True) and 0 < port < 65536:
            bound = launch.last(address, launch.last("http-address") if allowed == "allow-metrics" else "")
            found.append(Port(port, port, "" if bound == "0.0.0.0" else bound))
    return tuple(found)


def with_host_network(launch: Launch, place: Span, published: tuple[Port, ...] = ()) -> Launch:
    """A launch whose server shares the host's network, and listens there where its flags say: none is guessed where
    they are not known. place: what says so. published: ports that something else publishes all the same."""
    taken = {one.container for one in published}
    own = tuple(one for one in own_ports(launch) if one.container not in taken) if launch.flags_known else ()
    places = {f"port:{one.container}": place for one in own}
    return launch._replace(ports=(*published, *own), origins={**launch.origins, **places})
