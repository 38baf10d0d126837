"""What a Compose service says besides its command: memory, CPUs, ports, volumes, restarts, health.

What Docker does where nothing is written is filled in. Source: compose-spec `05-services.md`, compose-go `types`, 2.0
to 2.9; moby `daemon/config` and `opts`, 20.10 to 28.0. Functions of a service's node; None and "" are unknown or none.
"""

from __future__ import annotations

import os

from tritoncheck.deployment.compose_merge import listed
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.interpolate import Filled
from tritoncheck.deployment.parts import SHM, Mount, Port
from tritoncheck.deployment.ports import read_ports
from tritoncheck.deployment.quantities import fewest, size
from tritoncheck.deployment.volumes import on_host, read_volume
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span


def memory(service: Node, reader: Reader) -> tuple[int | None, str]:
    """The memory limit in bytes, and the key that says so."""
    for path in (("deploy", "resources", "limits", "memory"), ("mem_limit",)):
        node = service.get(*path)
        if node is not None and not node.null:
            return size(reader.text(node)), ".".join(path)
    return None, ""


def cpus(service: Node, reader: Reader) -> tuple[float | None, str]:
    """How many CPUs it may use, and the key that says so."""
    for path in (("deploy", "resources", "limits", "cpus"), ("cpus",), ("cpuset",)):
        node = service.get(*path)
        if node is not None and not node.null:
            quota = reader.text(node) if path != ("cpuset",) else ""
            return fewest(quota, reader.text(service.get("cpuset"))), ".".join(path)
    return None, ""


def ports(service: Node, reader: Reader) -> dict[Port, Span]:
    """The published ports, each with its place."""
    found: dict[Port, Span] = {}
    for one in listed(service.get("ports")):
        if not one.items:
            found |= dict.fromkeys(read_ports(reader.text(one)) or (), one.span)
            continue
        address, published, target = (reader.text(one.get(key)) for key in ("host_ip", "published", "target"))
        text = ":".join(part for part in (_bracketed(address), published, target) if part)
        protocol = reader.text(one.get("protocol")) or "tcp"
        found |= dict.fromkeys(read_ports(f"{text}/{protocol}") or (), one.place("published"))
    return found


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


def mounts(service: Node, reader: Reader) -> dict[Mount, Span]:
    """What is mounted, `/dev/shm` excepted, each with its place. A path is seen from the folder of its file."""
    found: dict[Mount, Span] = {}
    for one in listed(service.get("volumes")):
        if one.items:
            mount, span = _long(one, reader), one.place("target")
        else:
            short = read_volume(reader.fill(one).text, _folder(one.span.path))
            mount, span = short or Mount(""), one.span
        if mount.target and "$" not in mount.target and mount.target.rstrip("/") != SHM:
            found[_volume(mount, reader) if mount.kind == "volume" else mount] = span
    for one in listed(service.get("tmpfs")):
        target = reader.text(one).partition(":")[0]
        if target and target.rstrip("/") != SHM:
            found[Mount(target, kind="memory")] = one.span
    return found


def _long(entry: Node, reader: Reader) -> Mount:
    """An entry of `volumes` with its parts by name."""
    kind = reader.text(entry.get("type")) or "volume"
    source, read_only = reader.fill(entry.get("source")), entry.get("read_only")
    mount = Mount(reader.text(entry.get("target")), source.text, bool(read_only and read_only.boolean), kind)
    if kind == "tmpfs":
        return mount._replace(kind="memory", source="")
    return mount._replace(source=_host_path(source, entry.span.path)) if kind == "bind" else mount


def _volume(mount: Mount, reader: Reader) -> Mount:
    """A named volume that is a folder of the host in truth, as `driver_opts` with `o: bind` make it."""
    volume = reader.project.volumes.get(mount.source)
    options = volume.get("driver_opts") if volume is not None else None
    if options is None or "bind" not in reader.text(options.get("o")):
        return mount
    return mount._replace(kind="bind", source=_host_path(reader.fill(options.get("device")), options.span.path))


def _host_path(source: Filled, file: str) -> str:
    """The absolute path of a folder of the host; "" where it is not known, or is in a home folder."""
    if not source.text or not source.known or source.text.startswith("~"):
        return ""
    return on_host(os.path.join(_folder(file), source.text), _folder(file))


def _folder(file: str) -> str:
    return os.path.abspath(os.path.dirname(file)).replace(os.sep, "/")


def profiles(service: Node, reader: Reader) -> frozenset[str]:
    """The profiles with one of which a service is started; none for always."""
    return frozenset(reader.text(one) for one in listed(service.get("profiles")))


def restart(service: Node, reader: Reader) -> tuple[str, str]:
    """The restart policy as written, and its key; "" for none."""
    node = service.get("restart")
    if node is not None:
        text = reader.text(node)
        return ("" if text == "no" else text), "restart"
    condition = service.get("deploy", "restart_policy", "condition")
    if condition is not None:
        text = reader.text(condition)
        return ("" if text == "none" else text), "deploy.restart_policy.condition"
    return "", ""
