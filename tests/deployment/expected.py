"""What a deployment file must be read as, from `expect.toml` beside it.

    faults = ["3:5 the beginning of the message"]
    unread = ["4:"]
    [[launch]]
    image, release, flags, environment, shm_size, memory, cpus, gpus, ports, probes, mounts, restart, service, …
    doubts = ["flag:model-repository"]
    [launch.places]
    "flag:model-repository" = "11:22 the text that stands there"

What is not named is not there: no flag, no port, no fault. The command line is known unless `flags_known = false`.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Gpus, Mount, Port, Probe
from tritoncheck.deployment.reading import Reading
from tritoncheck.rule import Span, release_tag

_DEFAULTS = {"flags_known": True, "environment": {}, "places": {}} | {
    name: [] for name in ("flags", "ports", "probes", "mounts", "doubts")
}


def expectation(file: Path) -> dict[str, Any]:
    """The table beside a file."""
    return tomllib.loads((file.parent / "expect.toml").read_text(encoding="utf-8"))


def check(reading: Reading, file: Path) -> None:
    """That a reading is what is expected."""
    expected = expectation(file)
    faults = [f"{one.span.line}:{one.span.column} {one.message}" for one in reading.faults]
    wanted = expected.get("faults", [])
    assert len(faults) == len(wanted), faults
    assert [one[: len(want)] for one, want in zip(faults, wanted, strict=True)] == wanted
    unread = [f"{one.line}:" for one in reading.unread]
    assert unread == expected.get("unread", [])
    launches = expected.get("launch", [])
    assert len(reading.launches) == len(launches), [one.image for one in reading.launches]
    for launch, want in zip(reading.launches, launches, strict=True):
        found = shown(launch, file.parent)
        whole = _DEFAULTS | {name: value for name, value in want.items() if name != "places"}
        assert found == {name: value for name, value in whole.items() if name != "places"}
        places = {name: place(launch.origins[name]) for name in want.get("places", {})}
        assert places == want.get("places", {})
        assert launch.source == str(file)


def place(span: Span) -> str:
    """A place with the text that stands there."""
    return f"{span.line}:{span.column} {Path(span.path).read_bytes()[span.start : span.end].decode()}"


def shown(launch: Launch, folder: Path) -> dict[str, Any]:
    """A launch as a table; values that are unknown are left out."""
    table: dict[str, Any] = {
        "image": launch.image or None,
        "release": launch.release and release_tag(launch.release),
        "flags_known": launch.flags_known,
        "flags": [f"{name}={value}" if value else name for name, value in launch.flags],
        "environment": dict(launch.environment),
        "shm_size": launch.shm_size,
        "memory": launch.memory,
        "cpus": launch.cpus,
        "gpus": _gpus(launch.gpus),
        "ports": [_port(one) for one in launch.ports],
        "restart": launch.restart or None,
        "probes": [_probe(one) for one in launch.probes],
        "mounts": [_mount(one, folder) for one in launch.mounts],
        "service": launch.service or None,
        "doubts": [one.key for one in launch.doubts],
    }
    return {name: value for name, value in table.items() if value is not None}


def _gpus(gpus: Gpus | None) -> Any:
    if gpus is None:
        return None
    return list(gpus.ids) or ("all" if gpus.all else gpus.count)


def _port(port: Port) -> str:
    host = "any" if port.host is None else port.host
    return f"{port.address + ':' if port.address else ''}{host}:{port.container}" + (
        "" if port.protocol == "tcp" else f"/{port.protocol}"
    )


def _probe(probe: Probe) -> str:
    asked = " ".join(probe.command) or f"{probe.port or ''}{probe.path}"
    times = {"delay": probe.delay, "period": probe.period, "timeout": probe.timeout, "failures": probe.failures}
    shown = "".join(f" {name}={value:g}" for name, value in times.items() if value is not None)
    return f"{probe.kind} {asked}{shown}" + (" kills" if probe.kills else "")


def _mount(mount: Mount, folder: Path) -> str:
    source = os.path.relpath(mount.source, folder) if mount.source.startswith(str(folder.resolve())) else mount.source
    return f"{mount.target} <- {mount.kind} {source}".rstrip() + (" read-only" if mount.read_only else "")
