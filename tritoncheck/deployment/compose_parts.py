"""What a Compose service says besides its command: GPUs, memory, CPUs, ports, volumes, restarts, health.

What Docker does where nothing is written is filled in. Source: compose-spec `05-services.md`, compose-go `types`, 2.0
to 2.9; moby `daemon/config` and `opts`, 20.10 to 28.0. Functions of a service's node; None and "" are unknown or none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from tritoncheck.deployment.compose_merge import split_volume
from tritoncheck.deployment.compose_project import Project
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.gpu_request import by_runtime, seen
from tritoncheck.deployment.interpolate import Filled, fill
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.parts import Gpus, Mount, Port
from tritoncheck.deployment.ports import read_ports
from tritoncheck.deployment.quantities import fewest, size
from tritoncheck.deployment.volumes import on_host, read_volume
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

DOCKER_SHM = 64 * 1024 * 1024  # moby `daemon/config/config_linux.go`, DefaultShmSize
_WITH_SHM = re.compile(r"\bperf_(?:analyzer|client)\b.*--shared-memory[= ](?:system|cuda)\b", re.DOTALL)
_CDI = re.compile(r"nvidia\.com/gpu=(.+)")


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
        return fill(node.text, self.variables(node))

    def variables(self, node: Node) -> Mapping[str, str]:
        """The variables that hold where a value stands."""
        return self.project.variables.get(node.span.path, {})

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
    """The GPUs that the server sees, and the key that gives them ("" where none does).

    None asked for is none, unless the service is privileged or has the devices themselves.
    """
    given, key = _given(service, reader, environment)
    return seen(given, environment), key


def _given(service: Node, reader: Reader, environment: dict[str, str]) -> tuple[Gpus | None, str]:
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
            return (Gpus() if cdi[1] == "all" else Gpus(1, (cdi[1],))), "devices"
        if "$" in text or "nvidia" in text:
            return None, "devices"
    if reader.text(service.get("runtime")) == "nvidia":
        return by_runtime(environment), "runtime"
    if (
        "NVIDIA_VISIBLE_DEVICES" in environment
        or service.get("runtime")
        or service.get("privileged")
        or service.get("device_cgroup_rules")
    ):
        return None, ""
    return Gpus(0), ""


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
    return Gpus(len(ids), ids) if ids else Gpus(total)


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
        return size(reader.text(node)), "shm_size"
    return DOCKER_SHM, ""


def ipc(service: Node, reader: Reader) -> str:
    """Whose shared memory it has, "" for its own."""
    text = reader.text(service.get("ipc"))
    return "" if text in ("private", "shareable", "none") else text


def shm_read_only(service: Node, reader: Reader) -> bool:
    """Whether what is mounted over `/dev/shm` cannot be written."""
    for one in _listed(service.get("volumes")):
        if one.items:
            flag = one.get("read_only")
            target, read_only = reader.text(one.get("target")), flag is not None and flag.boolean is True
        else:
            mount = read_volume(reader.text(one), "/")
            target, read_only = (mount.target, mount.read_only) if mount else ("", False)
        if target.rstrip("/") == "/dev/shm":
            return read_only
    return False


def _on_shm(service: Node, reader: Reader) -> tuple[int | None, str] | None:
    """What is mounted over `/dev/shm`, None where nothing is."""
    for one in _listed(service.get("tmpfs")):
        target, _, options = reader.text(one).partition(":")
        if target.rstrip("/") == "/dev/shm":
            given = re.search(r"size=([^,]+)", options)
            return size(given[1]) if given else None, "tmpfs"
    for one in _listed(service.get("volumes")):
        target = reader.text(one.get("target")) if one.items else split_volume(reader.text(one))[1]
        if target.rstrip("/") == "/dev/shm":
            return size(reader.text(one.get("tmpfs", "size"))) if one.items else None, "volumes"
    return None


def shm_clients(reader: Reader) -> Iterator[tuple[str, Span]]:
    """The services that call a load generator of Triton's with shared memory, each with the place of its command.

    Source: perf_analyzer `command_line_parser.cc`, 2.0 to 2.73: `--shared-memory=system` or `cuda`; `none` by default.
    """
    for name, node in reader.project.services.items():
        for key in ("command", "entrypoint"):
            value = node.get(key)
            words = " ".join(reader.text(one) for one in _listed(value))
            if value is not None and _WITH_SHM.search(words):
                yield name, node.place(key)
                break


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
            mount, span = _long(one, reader), one.place("target")
        else:
            short = read_volume(reader.fill(one).text, _folder(one.span.path))
            mount, span = short or Mount(""), one.span
        if mount.target and "$" not in mount.target:
            found[_volume(mount, reader) if mount.kind == "volume" else mount] = span
    for one in _listed(service.get("tmpfs")):
        target = reader.text(one).partition(":")[0]
        if target:
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


def _listed(node: Node | None) -> list[Node]:
    if node is None or node.null:
        return []
    return node.entries if isinstance(node.value, list) else [node]
