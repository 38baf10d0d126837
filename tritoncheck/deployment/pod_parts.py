"""What a pod gives a container besides its command: GPUs, memory, volumes, probes.

What Kubernetes does where nothing is written is filled in. Source: kubernetes/api `core/v1/types.go` and
`pkg/apis/core/v1/defaults.go`, 1.20 to 1.34. None and "" are unknown or none.
"""

from __future__ import annotations

import re

from tritoncheck.deployment.gpu_request import by_runtime
from tritoncheck.deployment.parts import DEFAULT_SHM, SHM, Gpus, Mount, Port, Probe
from tritoncheck.deployment.quantities import fewest, whole
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

# A volume, None where it is not in the file, where it is mounted, and whether that is read-only.
Mounted = tuple[Node | None, Span, bool]
_PROBES = {"startupProbe": "startup", "livenessProbe": "liveness", "readinessProbe": "readiness"}
_TIMES = {"initialDelaySeconds": 0, "periodSeconds": 10, "timeoutSeconds": 1, "failureThreshold": 3}
_GPU = re.compile(r"nvidia\.com/(?:gpu(?:\.shared)?|mig-.+)")


def text(node: Node | None) -> str:
    """A scalar's value; "" for none and for one with a template or a variable in it."""
    value = node.text if node is not None else ""
    return "" if "{{" in value or "${" in value else value


def gpus(container: Node, spec: Node, environment: dict[str, str]) -> tuple[Gpus | None, Span | None]:
    """The GPUs that a container gets from the device plugin, and where that stands. None asked for is none, unless the
    container runtime may give them all by itself."""
    resources = container.get("resources")
    for kind in ("limits", "requests"):
        given = resources.get(kind) if resources is not None else None
        for key in given.items if given is not None else ():
            if given is not None and _GPU.fullmatch(key):
                count = whole(text(given.items[key]))
                return (Gpus(count) if count is not None else None), given.place(key)
    if resources is not None and (resources.get("claims") is not None or any(map(_hides, _values(resources)))):
        return None, None
    if spec.get("runtimeClassName") is not None:
        return by_runtime(environment), spec.place("runtimeClassName")
    if "NVIDIA_VISIBLE_DEVICES" in environment:
        return None, None
    return Gpus(0), None


def _values(node: Node) -> list[Node]:
    return [node, *(inner for one in node.items.values() for inner in (one, *one.items.values()))]


def _hides(node: Node) -> bool:
    return isinstance(node.value, str) and "{{" in node.value


def memory(container: Node) -> tuple[int | None, Span | None]:
    """The memory limit in bytes, and where it stands."""
    node = container.get("resources", "limits", "memory")
    if node is None:
        return None, None
    return whole(text(node)), container.place("resources", "limits", "memory")


def cpus(container: Node) -> tuple[float | None, Span | None]:
    """How many CPUs it may use, and where that stands."""
    node = container.get("resources", "limits", "cpu")
    return (None, None) if node is None else (fewest(text(node), ""), container.place("resources", "limits", "cpu"))


def mounts(container: Node, spec: Node) -> tuple[dict[Mount, Span], Mounted | None]:
    """What is mounted, each with its place, and what is mounted at `/dev/shm`."""
    volumes = {text(one.get("name")): one for one in _listed(spec.get("volumes"))}
    found: dict[Mount, Span] = {}
    shm = None
    for one in _listed(container.get("volumeMounts")):
        name, target = text(one.get("name")), text(one.get("mountPath"))
        volume = volumes.get(name)
        if not target:
            continue
        flag = one.get("readOnly")
        read_only = flag is not None and flag.boolean is True
        if target.rstrip("/") == SHM:
            shm = (volume, one.place("mountPath"), read_only)
            continue
        mount = _mount(target, name, text(one.get("subPath")), volume)
        found[mount._replace(read_only=read_only)] = one.place("mountPath")
    return found, shm


def _mount(target: str, name: str, inner: str, volume: Node | None) -> Mount:
    if volume is None:
        return Mount(target, name, kind="volume")
    if volume.get("hostPath") is not None:
        path = text(volume.get("hostPath", "path"))
        return Mount(target, f"{path.rstrip('/')}/{inner}".rstrip("/") if path and inner else path)
    if volume.get("emptyDir") is not None:
        medium = text(volume.get("emptyDir", "medium"))
        return Mount(target, kind="memory" if medium == "Memory" else "empty")
    claim = text(volume.get("persistentVolumeClaim", "claimName"))
    return Mount(target, claim or name, kind="volume" if claim or volume.get("configMap") is None else "config")


def shm_size(spec: Node, mounted: Mounted | None, limit: int | None) -> tuple[int | None, Span | None]:
    """Bytes of `/dev/shm`, and where that is said. A memory volume without a size is as large as the memory limit
    (since 1.22), or the node."""
    if mounted is None:
        host = spec.get("hostIPC")
        return (None, spec.place("hostIPC")) if host is not None and host.boolean else (DEFAULT_SHM, None)
    volume, place, _ = mounted
    empty = volume.get("emptyDir") if volume is not None else None
    if empty is None:
        return None, place
    size = whole(text(empty.get("sizeLimit")))
    if size is not None:
        return size, empty.place("sizeLimit")
    return (limit if text(empty.get("medium")) == "Memory" and empty.get("sizeLimit") is None else None), place


def probes(container: Node, names: dict[str, int]) -> tuple[tuple[Probe, ...], dict[str, Span]]:
    """The probes with the times that they have, and their places. names: the container's ports by name."""
    found, places = [], {}
    for key, kind in _PROBES.items():
        node = container.get(key)
        if node is None or node.null:
            continue
        times = {}
        for name, default in _TIMES.items():
            inner = node.get(name)
            times[name] = default if inner is None or inner.null else inner.number
        asked = next((one for name in ("httpGet", "grpc", "tcpSocket") if (one := node.get(name)) is not None), node)
        failures = times["failureThreshold"]
        found.append(
            Probe(
                kind,
                path=(text(asked.get("path")) or "/") if node.get("httpGet") is not None else "",
                command=tuple(one.text for one in _listed(node.get("exec", "command"))),
                port=port_of(asked.get("port"), names),
                delay=times["initialDelaySeconds"],
                period=times["periodSeconds"],
                timeout=times["timeoutSeconds"],
                failures=int(failures) if failures is not None else None,
                kills=kind != "readiness",
            )
        )
        places[f"probe:{kind}"] = container.place(key)
    return tuple(found), places


def port_names(container: Node) -> dict[str, int]:
    """The container's ports by name."""
    found = {}
    for one in _listed(container.get("ports")):
        number = port_of(one.get("containerPort"), {})
        if number is not None:
            found[text(one.get("name"))] = number
    return found


def port_of(node: Node | None, names: dict[str, int]) -> int | None:
    """A port's number, given by itself or by name."""
    value = text(node)
    return int(value) if value.isdigit() and 0 < len(value) < 6 else names.get(value) if value else None


def host_ports(container: Node) -> dict[Port, Span]:
    """The ports that the node itself publishes, each with its place."""
    found = {}
    for one in _listed(container.get("ports")):
        inside, outside = port_of(one.get("containerPort"), {}), port_of(one.get("hostPort"), {})
        if inside is not None and outside is not None:
            protocol = text(one.get("protocol")).lower() or "tcp"
            found[Port(inside, outside, text(one.get("hostIP")), protocol)] = one.place("hostPort")
    return found


def _listed(node: Node | None) -> list[Node]:
    return node.entries if node is not None else []
