"""From the options of `docker run` to a launch: GPUs, memory, ports, mounts, health check, restart policy.

What an option does not say, the engine's default does (docker/cli `cli/command/container/opts.go`, 20.10 to 29.0).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.gpu_request import ALL, NONE, GpuRequestError, by_runtime, read_request, seen
from tritoncheck.deployment.health import health_check
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.option import Option
from tritoncheck.deployment.parts import DEFAULT_SHM, OWN_IPC, SHM, Doubt, Gpus, Mount, Port, Probe
from tritoncheck.deployment.ports import read_ports, with_host_network
from tritoncheck.deployment.quantities import fewest, size
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.started import Place
from tritoncheck.deployment.variable_files import Setting, read_plain, read_settings
from tritoncheck.deployment.volumes import read_mount, read_volume
from tritoncheck.rule import Span


@dataclass(slots=True)
class Asked:
    """The options of one container, and what reading them brings to light. folder: the one that `$PWD` means. files:
    read those of `--env-file`."""

    options: tuple[Option, ...]
    place: Place
    folder: str
    files: Files = field(default_factory=Files)
    origins: dict[str, Span] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def hidden(self) -> bool:
        """Whether a word may stand for further options, so that what is not written may still be given."""
        return any(not one.name for one in self.options)

    def span(self, option: Option) -> Span:
        """Where an option stands."""
        return self.place(option.start, option.end)

    def all(self, *names: str) -> Iterator[Option]:
        """The options of some names, in order."""
        return (one for one in self.options if one.name in names)

    def last(self, name: str, key: str = "") -> str:
        """The value that counts, "" where there is none; its place is kept under the key."""
        found = next(reversed(list(self.all(name))), None)
        if found is None:
            return ""
        if key:
            self.origins[key] = self.span(found)
        if not found.known:
            self.doubts.append(Doubt(key or name, f"the value of `--{name}` is not in this file", self.span(found)))
            return ""
        return found.value


def in_container(launch: Launch, asked: Asked) -> Launch:
    """A launch with what its container adds. What the engine refuses is among `asked.faults` afterwards."""
    mounts, shm_sizes, read_only = _mounts(asked)
    ipc = asked.last("ipc", "shm_size")
    launch = _with_files(launch, asked)
    for word in asked.all(""):
        why = f"`{word.value}` has no value in this file, and may hold further options of the engine"
        asked.doubts.append(Doubt("gpus", why, asked.span(word)))
    changed = launch._replace(
        shm_size=_shm(asked, ipc, shm_sizes),
        memory=size(asked.last("memory", "memory")),
        ipc="" if ipc in OWN_IPC else ipc,
        shm_read_only=read_only,
        cpus=fewest(asked.last("cpus", "cpus"), asked.last("cpuset-cpus", "cpus")),
        gpus=seen(_gpus(asked, launch), dict(launch.environment)),
        ports=_ports(asked),
        restart=asked.last("restart", "restart"),
        probes=_probes(asked),
        mounts=mounts,
        service=asked.last("name", "service") or launch.service,
    )
    changed = changed._replace(
        origins={**changed.origins, **asked.origins},
        doubts=(*changed.doubts, *asked.doubts),
    )
    shared = next((one for one in asked.all("network") if one.value == "host"), None)
    return with_host_network(changed, asked.span(shared)) if shared else changed


def _with_files(launch: Launch, asked: Asked) -> Launch:
    """A launch with the variables of `--env-file` below those of `--env`, whatever the order in which both stand."""
    found: dict[str, Setting] = {}
    for option in asked.all("env-file"):
        try:
            if not option.known:
                raise FileError("its name is not known")
            path = os.path.relpath(os.path.join(asked.folder, option.value))
            settings = read_settings(path, asked.files, read_plain)
        except FileError as error:
            why = f"variables are set in `{option.value}`, which is not read: {error}"
            asked.doubts.append(Doubt("environment", why, asked.span(option)))
            continue
        found |= settings.values
        asked.faults += settings.faults
    found = {name: one for name, one in found.items() if f"environment:{name}" not in launch.origins}
    asked.origins |= {f"environment:{name}": one.span for name, one in found.items()}
    for name, one in found.items():
        if one.value is None:
            why = f"the value of `{name}` is that of whoever starts the container"
            asked.doubts.append(Doubt(f"environment:{name}", why, one.span))
    known = {name: one.value for name, one in found.items() if one.value is not None}
    return launch._replace(environment=tuple({**known, **dict(launch.environment)}.items()))


def _mounts(asked: Asked) -> tuple[tuple[Mount, ...], list[int | None], bool]:
    """The mounts but those on `/dev/shm`, the sizes that those have, and whether the last of them is read-only."""
    found: dict[str, Mount] = {}
    shm: list[int | None] = []
    read_only = False
    for option in asked.all("volume", "mount", "tmpfs"):
        text = ""
        mount: Mount | None
        if option.name == "mount":
            mount, text = read_mount(option.value, asked.folder) or (None, "")
        elif option.name == "tmpfs":
            target, _, settings = option.value.partition(":")
            mount = Mount(target, kind="memory")
            text = next((one[5:] for one in settings.split(",") if one.startswith("size=")), "")
        else:
            mount = read_volume(option.value, asked.folder)
        if mount is None:
            continue
        if mount.target.rstrip("/") == SHM:
            asked.origins["shm_size"] = asked.span(option)
            shm.append(size(text) if mount.kind == "memory" else None)
            read_only = mount.read_only
            continue
        found[mount.target] = mount
        asked.origins[f"mount:{mount.target}"] = asked.span(option)
    return tuple(found.values()), shm, read_only


def _shm(asked: Asked, ipc: str, mounted: list[int | None]) -> int | None:
    """The size of `/dev/shm`; None where it is the host's or another container's."""
    if mounted:
        return mounted[-1]
    if ipc == "host" or ipc.startswith("container:") or any(not one.known for one in asked.all("ipc")):
        return None
    text = asked.last("shm-size", "shm_size")
    if not any(asked.all("shm-size")):
        return None if asked.hidden else DEFAULT_SHM
    return size(text) or None


def _gpus(asked: Asked, launch: Launch) -> Gpus | None:
    """The GPUs that the container gets; None where that hangs on what is not known here. None asked for is none, unless
    an option that is not known may ask, the variable of NVIDIA's runtime is set, which may be the default one, or the
    container has the host's devices."""
    requests = list(asked.all("gpus"))
    if requests:
        asked.origins["gpus"] = asked.span(requests[-1])
        try:
            return read_request(requests[-1].value) if requests[-1].known else None
        except GpuRequestError as error:
            quoted = requests[-1].value.replace('"', "")
            help = f"write --gpus '\"{quoted}\"'" if "device" in quoted else "write --gpus all"
            asked.faults.append(Fault(f"Docker refuses these GPUs: {error}", asked.span(requests[-1]), help))
            return None
    devices = [one for one in asked.all("device") if one.value.startswith("nvidia.com/gpu=")]
    if devices:
        asked.origins["gpus"] = asked.span(devices[-1])
        ids = tuple(one.value.partition("=")[2] for one in devices)
        return ALL if "all" in ids else Gpus(len(ids), ids)
    runtime = asked.last("runtime", "gpus")
    if runtime == "nvidia":
        return by_runtime(dict(launch.environment))
    own = any("nvidia" in one.value or not one.known for one in asked.all("device")) or any(asked.all("privileged"))
    left_open = (
        asked.hidden
        or own
        or any("environment:NVIDIA_VISIBLE_DEVICES" in one for one in (launch.origins, asked.origins))
    )
    return None if runtime or any(asked.all("runtime")) or left_open else NONE


def _ports(asked: Asked) -> tuple[Port, ...]:
    """The published ports."""
    found: list[Port] = []
    for option in asked.all("publish"):
        for port in read_ports(option.value) or ():
            found.append(port)
            asked.origins[f"port:{port.container}"] = asked.span(option)
    return tuple(found)


def _probes(asked: Asked) -> tuple[Probe, ...]:
    """The health check; it says how the server is, and kills nobody."""
    command = asked.last("health-cmd", "probe:healthcheck")
    if not command or any(asked.all("no-healthcheck")):
        return ()
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        words = (command,)

    def given(name: str) -> str | None:
        return asked.last(f"health-{name}") if any(asked.all(f"health-{name}")) else None

    return (health_check(words, given),)
