"""What a machine says of its driver, GPUs and container toolkit, and of an image that its engine holds.

Each fact is taken from the first that tells it: NVML, the kernel module's files, `nvidia-smi`. Nothing is pulled,
started or changed. Every fact remembers where it was read.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, NamedTuple

from tritoncheck.deployment.gpus import Gpu, brand_named, gpu_named
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.image import image_fault
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.machine import Machine, ThisMachine
from tritoncheck.deployment.quantities import count_of_list
from tritoncheck.deployment.release_names import release_of_triton
from tritoncheck.deployment.versions import parse_version

# One expression for the proprietary module and the open one, which says `Open Kernel Module for x86_64`.
_MODULE = re.compile(r"Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)")
# The banner of nvidia-smi has two spellings: the second from branch 610 on.
_BANNER = re.compile(r"(?:Driver Version|KMD Version): *(\d+(?:\.\d+)+) .*?CUDA (?:UMD )?Version: *(\d+\.\d+)")
_TOOLKIT = re.compile(r"version:? v?(\d+\.\d+\.\d+)")
_L4T = re.compile(r"# R(\d+) \(release\), REVISION: (\d+(?:\.\d+)*)")
_CONFIG = "/etc/nvidia-container-runtime/config.toml"
_PROC, _SYS = "/proc/driver/nvidia/version", "/sys/module/nvidia/version"
_CORES = "/sys/devices/system/cpu/online"
_WSL_SMI = "/usr/lib/wsl/lib/nvidia-smi"
_FIELDS = "name,driver_version,memory.total,compute_cap"


class LocalImage(NamedTuple):
    """An image that the engine of a machine holds. digest: of the repository, or else the image's id."""

    environment: dict[str, str]
    labels: dict[str, str]
    digest: str
    engine: str


def probe(machine: Machine) -> Host:
    """What a machine says of itself; empty where there is no driver."""
    facts: dict[str, Any] = {}
    origins: dict[str, str] = {}

    def found(where: str, **told: Any) -> None:
        for name, value in told.items():
            if value and name not in facts:
                facts[name], origins[name] = value, where

    _ask_platform(machine, found)
    _ask_nvml(machine, found)
    _ask_module(machine, found)
    if not {"driver", "gpus"} <= set(facts):
        _ask_smi(machine, found)
    if facts.get("platform") == "jetson":
        board = (machine.read("/proc/device-tree/model") or "").strip("\x00\n ")
        found("/proc/device-tree/model", gpus=(gpu_named(board),) if board else ())
    if facts:
        _ask_toolkit(machine, found)
        facts.setdefault("platform", "linux")
    found(_CORES, cores=count_of_list(machine.read(_CORES) or ""))
    if machine.exists("/.dockerenv"):
        facts.pop("cuda", None)  # it may be that of a compatibility library
        origins.pop("cuda", None)
    return Host(**facts, origins=origins)


def _ask_platform(machine: Machine, found: Any) -> None:
    release = machine.read("/etc/nv_tegra_release")
    if release is not None or machine.exists("/dev/nvgpu"):
        board = _L4T.search(release or "")
        where = "/etc/nv_tegra_release" if release is not None else "/dev/nvgpu"
        found(where, platform="jetson", l4t=f"{board[1]}.{board[2]}" if board else "")
    elif machine.exists("/dev/dxg"):
        found("/dev/dxg", platform="wsl")


def _ask_nvml(machine: Machine, found: Any) -> None:
    told = machine.nvml()
    if told is None:
        return
    cuda = f"{told.cuda // 1000}.{told.cuda % 1000 // 10}" if told.cuda else ""
    gpus = [Gpu(one.name, one.capability, one.memory, brand_named(one.brand), told=True) for one in told.gpus]
    found("NVML", driver=told.driver, cuda=cuda, gpus=tuple(gpus))


def _ask_module(machine: Machine, found: Any) -> None:
    module = _MODULE.search((machine.read(_PROC) or "").split("\n")[0])
    if module:
        found(_PROC, driver=module[1])
    bare = (machine.read(_SYS) or "").strip()
    if parse_version(bare):
        found(_SYS, driver=bare)


def _ask_smi(machine: Machine, found: Any) -> None:
    """`nvidia-smi` as a table, without the compute capability where the driver is too old for that; then its banner."""
    command = _WSL_SMI if machine.exists(_WSL_SMI) else "nvidia-smi"
    for fields in (_FIELDS, _FIELDS.rpartition(",")[0]):
        printed = machine.run(command, f"--query-gpu={fields}", "--format=csv,noheader,nounits")
        rows = [[cell.strip() for cell in line.split(",")] for line in (printed or "").splitlines()]
        gpus = [_gpu(row) for row in rows if len(row) == fields.count(",") + 1]
        if gpus:
            found("nvidia-smi", driver=rows[0][1] if parse_version(rows[0][1]) else "", gpus=tuple(gpus))
            break
    banner = _BANNER.search(machine.run(command) or "")
    if banner:
        found("nvidia-smi", driver=banner[1], cuda=banner[2])


def _gpu(row: list[str]) -> Gpu:
    name, _, memory, *rest = row
    version = parse_version(rest[0]) if rest else None
    gpu = gpu_named(name, (version[0], version[1]) if version and len(version) == 2 else None)
    return gpu._replace(memory=int(memory) * 2**20 if memory.isdigit() else 0)


def _ask_toolkit(machine: Machine, found: Any) -> None:
    for command in ("nvidia-ctk", "nvidia-container-toolkit", "nvidia-container-cli"):
        version = _TOOLKIT.search(machine.run(command, "--version") or "")
        if version:
            found(command, toolkit=version[1])
            break
    try:
        settings: dict[str, Any] = tomllib.loads(machine.read(_CONFIG) or "")
    except ValueError:
        return
    hook = _inside(settings, "features", "disable-cuda-compat-lib-hook")
    mode = _inside(settings, "nvidia-container-runtime", "modes", "legacy", "cuda-compat-mode")
    found(_CONFIG, compat_mode="disabled" if hook is True else mode if isinstance(mode, str) else "")


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def local_image(machine: Machine, reference: str) -> LocalImage | None:
    """An image that Docker or Podman holds on a machine, without pulling it; None where neither has it."""
    if not reference or image_fault(reference) or "$" in reference:
        return None
    for engine in ("docker", "podman"):
        printed = machine.run(engine, "image", "inspect", "--format", "{{json .}}", reference)
        try:
            told = json.loads(printed or "")
        except ValueError:
            continue
        environment, labels = _inside(told, "Config", "Env"), _inside(told, "Config", "Labels")
        digests = _inside(told, "RepoDigests")
        pairs = (str(one).partition("=") for one in (environment if isinstance(environment, list) else ()))
        return LocalImage(
            {name: value for name, equals, value in pairs if equals},
            {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {},
            str(digests[0] if isinstance(digests, list) and digests else _inside(told, "Id") or ""),
            engine,
        )
    return None


def asked(launch: Launch, machine: Machine | None = None) -> Launch:
    """A launch with what its machine says: the host, and the image if the engine holds it. What is known stays."""
    machine = machine or ThisMachine()
    host = launch.host or probe(machine)
    image = local_image(machine, launch.image)
    environment = image.environment if image else None
    release = launch.release or (
        release_of_triton(environment.get("TRITON_SERVER_VERSION", "")) if environment else None
    )
    return launch._replace(host=host, image_environment=environment, release=release)


def driver_and_gpus(machine: Machine | None = None) -> tuple[str, str]:
    """The driver's version and the names of the GPUs, for the facts of a run; "" where there is none."""
    host = probe(machine or ThisMachine())
    return host.driver, ", ".join(gpu.name for gpu in host.gpus)
