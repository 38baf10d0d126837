"""What a Compose service says besides its command: GPUs, memory, ports, volumes, restarts, health.

What Docker does where nothing is written is filled in. Source: compose-spec `05-services.md`, compose-go `types`, 2.0
to 2.9; moby `daemon/config` and `opts`, 20.10 to 28.0. Functions of a service's node; None and "" are unknown or none.
"""

from __future__ import annotations

import os
import re

from tritoncheck.deployment.compose_project import Project, pairs, split_volume
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.interpolate import Filled, fill
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.options import parse_size
from tritoncheck.deployment.parts import Gpus, Mount, Port, Probe
from tritoncheck.deployment.ports import read_ports
from tritoncheck.deployment.quantities import seconds
from tritoncheck.deployment.words import Script
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

DOCKER_SHM = 64 * 1024 * 1024  # moby `daemon/config/config_linux.go`, DefaultShmSize
_CDI = re.compile(r"nvidia\.com/gpu=(.+)")
_URL = re.compile(r"http(s?)://[^/\s\"':]+(?::(\d{1,5}))?(/[^\s\"']*)?")


class Reader:
    """Reads values with the variables of the file that they are from."""

    def __init__(self, project: Project, files: Files) -> None:
        self.project = project
        self.files = files
        self._lines: dict[str, Lines] = {}

    def fill(self, node: Node | None) -> Filled:
        """A scalar with its variables put in; "" for none."""
        if node is None or not node.is_scalar:
            return Filled("")
        return fill(node.text, self.project.variables.get(node.span.path, {}))

    def text(self, node: Node | None) -> str:
        """A scalar's value, "" where it is not known."""
        filled = self.fill(node)
        return filled.text if filled.known else ""

    def raw(self, span: Span) -> tuple[Lines, int, str]:
        """The text of a place as written, with its file's lines and its offset."""
        if span.path not in self._lines:
            self._lines[span.path] = Lines(self.files.texts.get(span.path, ""), span.path)
        lines = self._lines[span.path]
        start, end = (lines.starts[line - 1] + column - 1 for line, column in _ends(span))
        return lines, start, lines.text[start:end]


def _ends(span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
    return (span.line, span.column), (span.end_line, span.end_column)


def gpus(service: Node, reader: Reader, environment: dict[str, str]) -> tuple[Gpus | None, str]:
    """The GPUs that a container sees, and the key that says so ("" where none does).

    None asked for is none, unless the service is privileged or has the devices themselves.
    """
    whole = service.get("gpus")
    if whole is not None and not whole.null:
        if whole.is_scalar:
            return (Gpus() if reader.text(whole) == "all" else None), "gpus"
        return _devices(whole.entries, reader), "gpus"
    devices = service.get("deploy", "resources", "reservations", "devices")
    wanted = [one for one in (devices.entries if devices else []) if _is_gpu(one, reader)]
    if wanted:
        return _devices(wanted, reader), "deploy.resources.reservations.devices"
    for one in (service.get("devices") or Node([], service.span)).entries:
        text = reader.text(one) or "$"
        cdi = _CDI.fullmatch(text)
        if cdi:
            return (Gpus() if cdi[1] == "all" else Gpus(None, (cdi[1],))), "devices"
        if "$" in text or "nvidia" in text:
            return None, "devices"
    visible = environment.get("NVIDIA_VISIBLE_DEVICES")
    if reader.text(service.get("runtime")) == "nvidia":
        return visible_gpus("all" if visible is None else visible), "runtime"
    if visible is not None or service.get("runtime") or service.get("privileged") or service.get("device_cgroup_rules"):
        return None, ""
    return Gpus(0), ""


def visible_gpus(value: str) -> Gpus | None:
    """What `NVIDIA_VISIBLE_DEVICES` makes visible (nvidia-container-toolkit `config/image/devices.go`, 1.13 to 1.20);
    NVIDIA's images set it to `all`."""
    if "$" in value:
        return None
    if value == "all":
        return Gpus()
    if value in ("", "none", "void"):
        return Gpus(0)
    return Gpus(None, tuple(part.strip() for part in value.split(",") if part.strip()))


def _is_gpu(device: Node, reader: Reader) -> bool:
    words = [reader.text(one) for one in (device.get("capabilities") or device).entries]
    return bool({"gpu", "nvidia", "compute", "utility"} & set(words)) or reader.text(device.get("driver")) == "nvidia"


def _devices(devices: list[Node], reader: Reader) -> Gpus | None:
    total = 0
    ids: tuple[str, ...] = ()
    for one in devices:
        named, count = one.get("device_ids"), one.get("count")
        if named is not None:
            filled = [reader.fill(inner) for inner in named.entries]
            if not all(inner.known for inner in filled):
                return None
            ids += tuple(inner.text for inner in filled)
            continue
        filled_count = reader.fill(count)
        if count is None or filled_count.text in ("all", "-1"):
            return Gpus()
        if not filled_count.text.isdigit():
            return None
        total += int(filled_count.text)
    return Gpus(None, ids) if ids else Gpus(total)


def shm_size(service: Node, reader: Reader) -> tuple[int | None, str]:
    """Bytes of `/dev/shm`, and the key that says so; None with `ipc: host` and the like, where others decide."""
    own = _on_shm(service, reader)
    if own is not None:
        return own
    ipc = service.get("ipc")
    if ipc is not None and reader.text(ipc) not in ("private", "shareable", "none"):
        return None, "ipc"
    node = service.get("shm_size")
    if node is not None and not node.null:
        return parse_size(reader.text(node)), "shm_size"
    return DOCKER_SHM, ""


def _on_shm(service: Node, reader: Reader) -> tuple[int | None, str] | None:
    """What is mounted over `/dev/shm`, None where nothing is."""
    for one in _listed(service.get("tmpfs")):
        target, _, options = reader.text(one).partition(":")
        if target.rstrip("/") == "/dev/shm":
            size = re.search(r"size=([^,]+)", options)
            return parse_size(size[1]) if size else None, "tmpfs"
    for one in _listed(service.get("volumes")):
        target = reader.text(one.get("target")) if one.items else split_volume(reader.text(one))[1]
        if target.rstrip("/") == "/dev/shm":
            return parse_size(reader.text(one.get("tmpfs", "size"))) if one.items else None, "volumes"
    return None


def memory(service: Node, reader: Reader) -> tuple[int | None, str]:
    """The memory limit in bytes, and the key that says so."""
    for path in (("deploy", "resources", "limits", "memory"), ("mem_limit",)):
        node = service.get(*path)
        if node is not None and not node.null:
            return parse_size(reader.text(node)), ".".join(path)
    return None, ""


def ports(service: Node, reader: Reader) -> dict[Port, Span]:
    """The published ports, each with its place."""
    found: dict[Port, Span] = {}
    for one in _listed(service.get("ports")):
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
    """What is mounted, each with its place. A path is seen from the folder of the file that writes it."""
    found: dict[Mount, Span] = {}
    for one in _listed(service.get("volumes")):
        if one.items:
            kind = reader.text(one.get("type")) or "volume"
            source, target = reader.fill(one.get("source")), reader.text(one.get("target"))
            read_only = one.get("read_only")
            mount = Mount(target, source.text, read_only is not None and bool(read_only.boolean), kind)
            known, span = source.known, one.place("target")
        else:
            filled = reader.fill(one)
            left, target, options = split_volume(filled.text)
            known, span = "$" not in left, one.span
            mount = Mount(target, left, "ro" in options.split(","), "bind" if left[:1] in "./~" and left else "volume")
        if not target or "$" in target:
            continue
        if mount.kind == "volume":
            mount = _volume(mount, reader)
        if mount.kind == "bind":
            mount = mount._replace(source=_host_path(mount.source, span.path) if known else "")
        found[mount] = span
    for one in _listed(service.get("tmpfs")):
        target = reader.text(one).partition(":")[0]
        if target:
            found[Mount(target, kind="memory")] = one.span
    return found


def _volume(mount: Mount, reader: Reader) -> Mount:
    """A named volume that is a folder of the host in truth, as `driver_opts` with `o: bind` make it."""
    volume = reader.project.volumes.get(mount.source)
    options = volume.get("driver_opts") if volume is not None else None
    device = reader.fill(options.get("device")) if options is not None else Filled("")
    if options is None or not device.text or "bind" not in reader.text(options.get("o")):
        return mount
    return mount._replace(kind="bind", source=device.text if device.known else "")


def _host_path(source: str, file: str) -> str:
    if not source or source.startswith("~") or re.match(r"[A-Za-z]:[\\/]", source):
        return ""  # a home folder, or a drive of Windows: some other machine's
    return os.path.normpath(os.path.join(os.path.abspath(os.path.dirname(file)), source)).replace(os.sep, "/")


def profiles(service: Node, reader: Reader) -> frozenset[str]:
    """The profiles with one of which a service is started; none for always."""
    return frozenset(reader.text(one) for one in _listed(service.get("profiles")))


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


def probe(service: Node, reader: Reader) -> Probe | None:
    """The health check; None where there is none. It restarts nothing unless `autoheal` watches the container."""
    node = service.get("healthcheck")
    test = node.get("test") if node is not None else None
    disabled = node.get("disable") if node is not None else None
    if node is None or test is None or (disabled is not None and disabled.boolean):
        return None
    words = [reader.fill(one).text for one in test.entries]
    if words[:1] == ["NONE"] or not (words or test.is_scalar):
        return None
    script = reader.fill(test).text if test.is_scalar else words[1] if words[0] == "CMD-SHELL" and words[1:] else ""
    command = [word.text for one in Script(script, plain=True).commands() for word in one.words] or words[1:]
    url = _URL.search(" ".join(command))
    retries = reader.text(node.get("retries")) or "3"
    return Probe(
        "healthcheck",
        path=(url[3] or "/") if url else "",
        command=tuple(command),
        port=int(url[2] or (443 if url[1] else 80)) if url else None,
        delay=_time(node, "start_period", "0s", reader),
        period=_time(node, "interval", "30s", reader),
        timeout=_time(node, "timeout", "30s", reader),
        failures=int(retries) if retries.isdigit() and len(retries) < 6 else None,
        kills=_healed(service, reader),
    )


def _time(node: Node, key: str, default: str, reader: Reader) -> float | None:
    inner = node.get(key)
    return seconds(reader.text(inner) if inner is not None and not inner.null else default)


def _healed(service: Node, reader: Reader) -> bool:
    """Whether a container that restarts unhealthy ones watches this one (willfarrell/docker-autoheal)."""
    label = "autoheal"
    watched = False
    for other in reader.project.services.values():
        if "autoheal" in reader.text(other.get("image")):
            watched = True
            named = pairs(other.get("environment")).get("AUTOHEAL_CONTAINER_LABEL")
            label = reader.text(named[0]) if named else label
    mine = pairs(service.get("labels")).get(label)
    return watched and (label == "all" or (mine is not None and reader.text(mine[0]).lower() == "true"))


def _listed(node: Node | None) -> list[Node]:
    if node is None or node.null:
        return []
    return node.entries if isinstance(node.value, list) else [node]
