"""What is known of how a server is started, from where, and what is missing: the contents of `tritoncheck doctor`.

Gathers what the launch, the image, the machine and the tables say, each with its source. Knows no terminal, runs no
rule, and shows no value of a variable or flag that may be a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from tritoncheck.deployment.fit import Fit, fit
from tritoncheck.deployment.gpus import Gpu
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.image import WITHOUT_SERVER
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.tables import ReleaseFacts, newest, tag_of, triton_versions
from tritoncheck.deployments import shown_flags
from tritoncheck.outcome import Unchecked
from tritoncheck.report.paths import shown_path
from tritoncheck.unchecked import unchecked

# After so many months without a release the tables are called old: NVIDIA makes one a month.
OLD_AFTER = 6

Source = Callable[[str], str]
# The verdicts by which it does not run.
_FAILS = frozenset(("none", "old-gpu", "requirement"))


class Known(NamedTuple):
    """One thing known. source: where from, in words or as file and line."""

    key: str
    value: str
    source: str


class Tables(NamedTuple):
    """The tables of releases: how many, the newest with its month, and how many months ago that was."""

    releases: int
    newest: str
    month: str
    age: int

    @property
    def old(self) -> bool:
        """Whether releases are likely to be missing."""
        return self.age > OLD_AFTER


class Started(NamedTuple):
    """One way of starting the server, with all that is known of it. verdict: what becomes of the image on the machine;
    code: the rule that says more. newest, native: tags of the newest images for this driver and GPU. fails: whether it
    is known that it does not run."""

    title: str
    repositories: tuple[str, ...]
    launch: tuple[Known, ...]
    image: tuple[Known, ...]
    host: tuple[Known, ...]
    verdict: str
    code: str
    newest: str
    native: str
    missing: tuple[Unchecked, ...]
    fails: bool = False


class Diagnosis(NamedTuple):
    """All of it. machine: this one, whether or not it is the server's."""

    started: tuple[Started, ...]
    machine: tuple[Known, ...]
    tables: Tables
    notes: tuple[str, ...] = ()


def tables_on(today: date) -> Tables:
    """How old the tables are on a day, by the month that the newest release is named after."""
    year, month = newest()[:2]
    age = (today.year - 2000 - year) * 12 + today.month - month
    return Tables(len(triton_versions()), tag_of(newest()), f"20{year:02}-{month:02}", age)


def started(launch: Launch, repositories: Iterable[str], title: str, source: Source) -> Started:
    """What is known of one launch. source: where a value comes from, by the keys of `Launch.origins`."""
    found = fit(launch)
    words, code = _verdict(found)
    return Started(
        title,
        tuple(repositories),
        tuple(_launch(launch, found, source)),
        tuple(_image(found)),
        tuple(host_rows(found.host, launch, source)),
        words,
        code,
        found.newest,
        found.newest_native,
        tuple(unchecked(launch, True, [], set())),
        found.verdict.kind in _FAILS,
    )


def _launch(launch: Launch, found: Fit, source: Source) -> Iterator[Known]:
    if launch.image:
        yield Known("image", launch.image, source("image"))
    if launch.release:
        triton = triton_versions().get(launch.release, "")
        tagged = found.name is not None and found.name.release == launch.release
        where = "the image's tag" if tagged else "the image itself" if found.image.environment else source("release")
        yield Known("release", tag_of(launch.release) + (f" (Triton {triton})" if triton else ""), where)
    if found.variant and found.variant != "server":
        yield Known("variant", found.variant + (", no server" if found.variant in WITHOUT_SERVER else ""), "its tag")
    if launch.flags_known or launch.flags:
        flags = " ".join(shown_flags(launch)) or "none"
        yield Known("flags", flags + ("" if launch.flags_known else " …"), source("command"))
    if launch.environment:
        yield Known("environment", " ".join(name for name, _ in launch.environment), source("environment"))
    if launch.gpus is not None:
        count, ids = launch.gpus.count, launch.gpus.ids
        shown = f"number {', '.join(ids)}" if ids else "all" if count is None else str(count)
        yield Known("GPUs", shown if shown != "0" else "none", source("gpus"))
    for key, size in (("shm-size", launch.shm_size), ("memory", launch.memory)):
        if size is not None:
            yield Known(key, _size(size), source(key.replace("-", "_")))
    if launch.restart:
        yield Known("restart", launch.restart, source("restart"))
    for port in launch.ports:
        host = f"{port.address + ':' if port.address else ''}{port.host or 'any'}"
        yield Known("port", f"{host} -> {port.container}", source(f"port:{port.container}"))
    for probe in launch.probes:
        patience = f", {probe.patience:g} s" if probe.patience is not None else ""
        yield Known("probe", f"{probe.kind}{patience}", source(f"probe:{probe.kind}"))
    for mount in launch.mounts:
        source_of = shown_path(mount.source) if mount.source.startswith("/") else mount.source or "?"
        yield Known("mount", f"{source_of} -> {mount.target}", source(f"mount:{mount.target}"))


def _image(found: Fit) -> Iterator[Known]:
    """What the image brings: by its own environment, by the table, or between which neighbours of the table."""
    image, table = found.image, found.image.table
    own = "the image itself" if image.environment else ""

    def row(key: str, value: str, field: str, variable: str = "") -> Iterator[Known]:
        if value:
            here = bool(own and variable in image.environment)
            yield Known(key, value, own if here else _sure(table, field))

    yield from row("CUDA", image.cuda or _between(table.cuda_between if table else ()), "cuda", "CUDA_VERSION")
    yield from row("built for", f"driver {image.driver}" if image.driver else "", "image_driver", "CUDA_DRIVER_VERSION")
    if image.floor:
        yield Known("needs", f"driver {image.floor} or later", "CUDA's minor-version compatibility")
    if image.min_capability:
        lowest = ".".join(str(part) for part in image.min_capability)
        yield from row("GPU from", f"compute capability {lowest}", "min_compute_capability")
    for name, condition in image.conditions.items():
        yield Known("condition", condition, name)
    tensorrt = image.tensorrt or _between(table.tensorrt_between if table else ())
    yield from row("TensorRT", tensorrt, "tensorrt", "TRT_VERSION")
    if table:
        opset = f" (ONNX opset up to {table.onnx_opset_max})" if table.onnx_opset_max else ""
        yield from row("ONNX Runtime", table.onnxruntime + opset if table.onnxruntime else "", "onnxruntime")
        yield from row("Python", table.python, "python")
        yield from row("Ubuntu", table.ubuntu, "ubuntu")


def _between(versions: tuple[str, ...]) -> str:
    if not versions:
        return ""
    return f"between {versions[0]} and {versions[1]}" if len(versions) > 1 else f"{versions[0]} or later"


def _sure(table: ReleaseFacts | None, field: str) -> str:
    return "table of releases" + (", derived" if table and field in table.derived else "")


def host_rows(host: Host, launch: Launch | None, source: Source) -> Iterator[Known]:
    """What is known of a machine. launch: where options may have said it."""

    def where(key: str, given: object) -> str:
        return source(key) if given else host.origins.get("gpus" if key == "gpu" else key, "this machine")

    said = launch or Launch()
    if host.driver:
        yield Known("driver", host.driver, where("driver", said.driver))
    if host.native_cuda:
        cuda = ".".join(str(part) for part in host.native_cuda)
        told = "" if said.driver else host.origins.get("cuda", "")
        yield Known("its CUDA", cuda, told or "table of drivers")
    for gpu in host.gpus:
        yield Known("GPU", _gpu(gpu), where("gpu", said.gpu or said.compute_capability))
    if host.platform and host.platform != "linux":
        l4t = f" (L4T {host.l4t})" if host.l4t else ""
        yield Known("platform", {"wsl": "WSL 2", "jetson": "Jetson"}[host.platform] + l4t, host.origins["platform"])
    if host.toolkit:
        first = ", puts an image's compatibility library first" if host.compat_first else ""
        yield Known("container toolkit", host.toolkit + first, host.origins["toolkit"])
    if host.compat_mode:
        yield Known("cuda-compat-mode", host.compat_mode, host.origins["compat_mode"])


def _gpu(gpu: Gpu) -> str:
    parts = [gpu.name] if gpu.name else []
    if gpu.capability:
        parts.append(f"compute capability {gpu.capability[0]}.{gpu.capability[1]}")
    if gpu.memory:
        parts.append(f"{gpu.memory / 2**30:.0f} GB")
    if gpu.kind:
        parts.append({"geforce": "GeForce class", "data-center": "data-center class"}.get(gpu.kind, gpu.kind))
    return ", ".join(parts)


def _verdict(found: Fit) -> tuple[str, str]:
    """What becomes of the image on the machine, and the rule that says more."""
    verdict = found.verdict
    known = {
        "native": ("it runs with all of its CUDA", ""),
        "forward": ("it runs with the compatibility library in the image", "TCV031"),
        "minor": ("it runs by minor-version compatibility, with less", "TCV030"),
        "none": ("it does not run: the driver is too old for its CUDA", "TCV002"),
        "forward-only": ("it runs only if the compatibility library in the image works here", "TCV002"),
        "old-gpu": ("it does not run: the GPU is older than it is built for", "TCV033"),
        "requirement": (f"the container does not start: {' '.join(verdict.condition)}", "TCV034"),
    }
    if found.newer_gpu and verdict.kind in ("native", "forward", "minor", "unknown"):
        return "it hardly runs: the GPU is newer than its CUDA", "TCV053"
    if verdict.kind in known:
        return known[verdict.kind]
    if found.host.is_jetson:
        return "not compared: images for Jetson boards have drivers of their own", ""
    lacking = [] if found.text else ["an image"]
    if not found.host.driver:
        lacking.append("a driver")
    if found.text and found.image.branches is None:
        lacking.append("the driver that the image was built for")
    return f"not known, for want of {' and '.join(lacking) or 'the exact CUDA of the image'}", ""


def _size(size: int) -> str:
    for unit, bytes_of in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= bytes_of:
            return f"{size / bytes_of:g} {unit}" if size % bytes_of == 0 else f"{size / bytes_of:.1f} {unit}"
    return f"{size} bytes"
