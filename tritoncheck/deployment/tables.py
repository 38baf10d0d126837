"""What is known of every release of the server's image and of drivers, from `tritoncheck/data`.

Which CUDA, driver, TensorRT, ONNX Runtime and Python the image `tritonserver:<tag>-py3` has; which driver runs which
CUDA. What no source states is None here, never filled in. scripts/add_release.py writes the files; each record there
names its sources and which of its fields are derived.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tritoncheck.deployment.gpus import is_newer
from tritoncheck.deployment.versions import Version, at_least, parse_version

Release = tuple[int, ...]

_DATA = Path(__file__).parent.parent / "data"


class OnnxLimits(NamedTuple):
    """The highest opset of `ai.onnx` and IR version that the ONNX Runtime of a release knows. of: the release that they
    were found for; a later one where nothing was found for the release itself, which then knows no more than that."""

    opset: int
    ir: int
    of: Release


class ReleaseFacts(NamedTuple):
    """One release; "" or None where unknown.

    cuda: CUDA in the image. cuda_between: the CUDA of the releases before and after it, where its own is unknown.
    image_driver: the driver that the image was built for, of which it carries the compatibility library.
    driver_branches: older driver branches that the release notes allow on data-center GPUs, each with its lowest
    version; excluded_branches: those that they forbid. tensorrt_between: as cuda_between.
    derived: the fields that were reasoned from other facts.
    """

    release: Release
    tag: str
    triton: str
    min_compute_capability: Version
    cuda: str = ""
    cuda_between: tuple[str, ...] = ()
    image_driver: str = ""
    driver_branches: tuple[str, ...] = ()
    excluded_branches: tuple[str, ...] = ()
    tensorrt: str = ""
    tensorrt_between: tuple[str, ...] = ()
    onnxruntime: str = ""
    onnx_opset_max: int | None = None
    onnx_ir_max: int | None = None
    python: str = ""
    ubuntu: str = ""
    variants: tuple[tuple[str, dict[str, str]], ...] = ()
    derived: frozenset[str] = frozenset()

    @property
    def onnx(self) -> OnnxLimits | None:
        """What ONNX files its ONNX Runtime knows at most; None where neither it nor a later release tells."""
        return onnx_limits(self.release)

    @property
    def cuda_major(self) -> int | None:
        """The CUDA major of the image; None where unknown."""
        majors = {parsed[0] for one in (self.cuda, *self.cuda_between) if (parsed := parse_version(one))}
        return majors.pop() if len(majors) == 1 else None

    @property
    def latest_cuda(self) -> Version | None:
        """The CUDA of the image, or the later of the two between which it lies; None where unknown."""
        return max((parsed for one in (self.cuda, *self.cuda_between) if (parsed := parse_version(one))), default=None)

    def knows(self, capability: Version) -> bool:
        """Whether its CUDA may compile for a GPU of this compute capability: it is no older than the architecture."""
        return not is_newer(capability, self.latest_cuda)

    def fits(self, capability: Version) -> bool:
        """Whether the image is built for a GPU of this compute capability: neither too new for it nor too old."""
        return self.min_compute_capability <= capability and self.knows(capability)

    @property
    def image_branch(self) -> int | None:
        """The first driver branch that has all that the image's CUDA needs; None where unknown."""
        driver, cuda = parse_version(self.image_driver), parse_version(self.cuda)
        return driver[0] if driver else branch_of_cuda(cuda) if cuda else None

    @property
    def floor(self) -> str:
        """The lowest driver on which its CUDA starts at all without a compatibility library; "" where unknown."""
        return cuda_floor(self.cuda_major) or (self.image_driver if self.cuda_major and self.cuda_major < 11 else "")


class CompatPackage(NamedTuple):
    """A compatibility library: the driver branches on which it works, `whole` if these are all."""

    branches: tuple[str, ...]
    whole: bool


def parse_tag(tag: str) -> Release:
    """`24.05` as (24, 5)."""
    return tuple(int(part) for part in tag.split("."))


def tag_of(release: Release) -> str:
    """(24, 5) as `24.05`."""
    return ".".join(f"{part:02}" for part in release[:2]) + "".join(f".{part}" for part in release[2:])


@cache
def _rows() -> dict[Release, dict[str, Any]]:
    rows = json.loads((_DATA / "releases.json").read_text(encoding="utf-8"))
    return {parse_tag(row["tag"]): row for row in rows}


@cache
def _drivers() -> dict[str, dict[str, Any]]:
    tables: dict[str, dict[str, Any]] = json.loads((_DATA / "drivers.json").read_text(encoding="utf-8"))
    return tables


def triton_versions() -> dict[Release, str]:
    """Every known release with its Triton version, oldest first."""
    return {release: row["triton"] for release, row in _rows().items()}


def newest() -> Release:
    """The newest release in the table."""
    return next(reversed(_rows()))


@cache
def onnx_limits(release: Release) -> OnnxLimits | None:
    """The limits of a release, or those of the first later one of which they are known; None where none is.

    They never fall from release to release: tests hold the table to it.
    """
    for later, row in _rows().items():
        if later >= release and "onnx_opset_max" in row:
            return OnnxLimits(row["onnx_opset_max"], row["onnx_ir_max"], later)
    return None


@cache
def facts_of(release: Release) -> ReleaseFacts | None:
    """What is known of a release; None if nothing is."""
    row = _rows().get(release)
    if row is None:
        return None
    return ReleaseFacts(
        release=release,
        tag=row["tag"],
        triton=row["triton"],
        min_compute_capability=parse_tag(row["min_compute_capability"]),
        cuda=row.get("cuda", ""),
        cuda_between=tuple(row.get("cuda_between", ())),
        image_driver=row.get("image_driver", ""),
        driver_branches=tuple(row.get("driver_branches", ())),
        excluded_branches=tuple(row.get("excluded_branches", ())),
        tensorrt=row.get("tensorrt", ""),
        tensorrt_between=tuple(row.get("tensorrt_between", ())),
        onnxruntime=row.get("onnxruntime", ""),
        onnx_opset_max=row.get("onnx_opset_max"),
        onnx_ir_max=row.get("onnx_ir_max"),
        python=row.get("python", ""),
        ubuntu=row.get("ubuntu", ""),
        variants=tuple(row.get("variants", {}).items()),
        derived=frozenset(row.get("derived", ())),
    )


def cuda_floor(major: int | None) -> str:
    """The lowest driver for a CUDA major by minor-version compatibility; "" where there is none (before 11)."""
    entry = _drivers()["floors"].get(str(major), {})
    return str(entry.get("driver", ""))


def toolkit_driver(cuda: str) -> str:
    """The driver that belongs to a CUDA toolkit (`12.4.1`, further parts are ignored); "" where unknown."""
    entry = _drivers()["toolkits"].get(".".join(cuda.split(".")[:3]), {})
    return str(entry.get("driver") or "")


def native_cuda(driver: Version) -> Version | None:
    """The newest CUDA that a driver has without any compatibility; None for a branch that is not in the table."""
    cuda = _drivers()["branches"].get(str(driver[0]), {}).get("cuda")
    return parse_version(cuda) if cuda else None


def branch_of_cuda(cuda: Version) -> int | None:
    """The first driver branch that has this CUDA; None where the table has none."""
    for branch, entry in _drivers()["branches"].items():
        has = parse_version(entry.get("cuda", ""))
        if has and has >= cuda[:2]:
            return int(branch)
    return None


def branch_end(driver: Version) -> str:
    """The month with which support of a driver's branch ends, as `2028-06`; "" where unknown."""
    return str(_drivers()["branches"].get(str(driver[0]), {}).get("ends", ""))


def compat_packages(cuda_major: int) -> dict[str, CompatPackage]:
    """The compatibility libraries of a CUDA major whose list of branches was read, by the driver they come from."""
    found = {}
    for driver, entry in _drivers()["compat"].items():
        if parse_tag(entry["cuda"])[0] == cuda_major:
            listed = entry.get("branches") or entry["includes"]
            found[driver] = CompatPackage(tuple(listed), "branches" in entry)
    return found


def newest_for_driver(driver: Version, capability: Version | None = None, *, native: bool = False) -> Release | None:
    """The newest release that a driver runs without a compatibility library; None if none is known.

    capability: of the GPU, None for any. native: with all features, not by minor-version compatibility.
    """
    for release in reversed(_rows()):
        facts = facts_of(release)
        if facts is None or (capability is not None and not facts.fits(capability)):
            continue
        if native:
            branch = facts.image_branch
            if branch is not None and driver[0] >= branch:
                return release
        else:
            floor = parse_version(facts.floor)
            if floor and at_least(driver, floor):
                return release
    return None


def newest_for_capability(capability: Version) -> Release | None:
    """The newest release whose image is built for a GPU of this compute capability; None if none is known."""
    for release in reversed(_rows()):
        facts = facts_of(release)
        if facts and facts.fits(capability):
            return release
    return None


def first_for_capability(capability: Version) -> Release | None:
    """The first release whose CUDA compiles for a GPU of this compute capability; None if none is known."""
    for release in _rows():
        facts = facts_of(release)
        if facts and facts.fits(capability):
            return release
    return None
