"""Whether a host's driver and GPU run an image, and how: the verdict that the rules of drivers put into words.

Knows no files and no findings. What decides, in this order:

1. A launch condition of the image that the host does not meet: the container toolkit refuses to start the container.
2. A GPU below the compute capability that the image is built for.
3. A driver of the image's own branch or a later one runs it natively: a branch has one CUDA version.
4. A compatibility library, on GPUs that allow it and driver branches that it lists, makes an older driver do.
5. Within one CUDA major an older driver will do too, with less: minor-version compatibility.
6. Else the CUDA runtime does not start.

Source: docs.nvidia.com/deploy/cuda-compatibility; NVIDIA's start-up script `50-gpu-driver-check2.sh`, which compares
branches only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tritoncheck.deployment.gpus import Gpu
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.requirement import holds, requirements
from tritoncheck.deployment.tables import (
    ReleaseFacts,
    branch_of_cuda,
    compat_packages,
    cuda_floor,
    facts_of,
    toolkit_driver,
)
from tritoncheck.deployment.versions import Version, at_least, parse_version

Release = tuple[int, ...]


class ImageFacts(NamedTuple):
    """What an image brings; "" or None where unknown.

    cuda, driver: the CUDA in it and the driver that it was built for. latest_cuda: its CUDA, or the later of the two
    between which that lies. branches: the driver branches between which that
    driver's lies. floor: the lowest driver on which its CUDA starts. table: what is known of its release.
    environment: its own environment, where the image was read. conditions: what must hold for it to start, by variable.
    """

    release: Release | None = None
    triton: str = ""
    cuda: str = ""
    latest_cuda: Version | None = None
    driver: str = ""
    branches: tuple[int, int] | None = None
    floor: str = ""
    tensorrt: str = ""
    min_capability: Version | None = None
    table: ReleaseFacts | None = None
    environment: Mapping[str, str] = {}
    conditions: Mapping[str, str] = {}

    @property
    def cuda_major(self) -> int | None:
        """The CUDA major; None where unknown."""
        version = parse_version(self.cuda)
        return version[0] if version else self.table.cuda_major if self.table and not self.environment else None


class Verdict(NamedTuple):
    """What becomes of an image on a host.

    kind: `native`; `forward` (by a compatibility library); `minor` (minor-version compatibility); `none` (CUDA does
    not start); `forward-only` (nothing else would do, and whether that works here is unknown); `old-gpu`;
    `requirement`; `unknown`. sure: whether it rests on what is known, not on what is likely.
    condition: the condition not met. gpu: the GPU that is too old. listed: whether the image's compatibility library
    supports the driver's branch. forward: whether it works here, on this GPU too.
    """

    kind: str
    sure: bool = True
    condition: tuple[str, str] = ("", "")
    gpu: Gpu | None = None
    listed: bool | None = None
    forward: bool | None = None


def image_facts(release: Release | None, variant: str, environment: Mapping[str, str]) -> ImageFacts:
    """What is known of an image: its own environment before the table's.

    Of the variants with a CUDA of their own only what was read is known; the table's driver from 24.04 on is that of
    the vLLM image and of the server.
    """
    table = facts_of(release) if release else None
    cuda, driver = environment.get("CUDA_VERSION", ""), environment.get("CUDA_DRIVER_VERSION", "")
    if cuda or driver:
        driver = driver or toolkit_driver(cuda)
        return _facts(release, table, cuda, driver, (), environment)
    if table is None:
        return ImageFacts(release, environment.get("TRITON_SERVER_VERSION", ""), environment=environment)
    if variant in ("trtllm", "pytorch", "tensorflow", "igpu"):
        own = dict(table.variants).get(variant, {})
        return _facts(release, table, own.get("cuda", ""), own.get("image_driver", ""), (), environment)
    return _facts(release, table, table.cuda, table.image_driver, table.cuda_between, environment)


def _facts(
    release: Release | None,
    table: ReleaseFacts | None,
    cuda: str,
    driver: str,
    between: tuple[str, ...],
    environment: Mapping[str, str],
) -> ImageFacts:
    built = parse_version(driver)
    branches = [built[0]] if built else []
    if not branches:
        known = [branch_of_cuda(version) for one in (cuda, *between) if (version := parse_version(one))]
        branches = [one for one in known if one is not None]
    version = parse_version(cuda)
    majors = {parsed[0] for one in (cuda, *between) if (parsed := parse_version(one))}
    major = version[0] if version else majors.pop() if len(majors) == 1 else None
    return ImageFacts(
        release=release,
        triton=environment.get("TRITON_SERVER_VERSION", "") or (table.triton if table else ""),
        cuda=cuda,
        latest_cuda=version or max(filter(None, map(parse_version, between)), default=None),
        driver=driver,
        branches=(min(branches), max(branches)) if branches else None,
        floor=cuda_floor(major) or (driver if major and major < 11 else ""),
        tensorrt=environment.get("TRT_VERSION", "") or (table.tensorrt if table else ""),
        min_capability=table.min_compute_capability if table else None,
        table=table,
        environment=environment,
        conditions=requirements(environment),
    )


def judge(image: ImageFacts, host: Host) -> Verdict:
    """The verdict on an image on a host."""
    for name, condition in image.conditions.items():
        if holds(condition, host.values) is False:
            return Verdict("requirement", condition=(name, condition))
    gpu = host.weakest
    if gpu and gpu.capability and image.min_capability and gpu.capability < image.min_capability:
        return Verdict("old-gpu", sure=gpu.told, gpu=gpu)
    driver = host.version
    if driver is None or image.branches is None or host.is_jetson:
        return Verdict("unknown")
    low, high = image.branches
    if driver[0] >= high:
        return Verdict("native")
    if driver[0] >= low:
        return Verdict("unknown")
    return _older(image, host, driver)


def _older(image: ImageFacts, host: Host, driver: Version) -> Verdict:
    """The verdict on a driver that is older than the image's."""
    floor = parse_version(image.floor)
    enough = floor is not None and at_least(driver, floor)
    listed, sure = _listed(image, driver)
    forward = host.forward if listed is not False else False
    if forward and listed:
        return Verdict("forward", sure, listed=True, forward=True)
    if enough:
        return Verdict("minor", listed=listed, forward=forward)
    if floor is None:
        return Verdict("unknown")
    if forward is False:
        return Verdict("none", sure or host.forward is False, listed=listed, forward=False)
    return Verdict("forward-only", False, listed=listed, forward=forward)


def _listed(image: ImageFacts, driver: Version) -> tuple[bool | None, bool]:
    """Whether the image's compatibility library works on a driver's branch, and whether that was read.

    The library's own list decides where it was read. Else a branch that every library of the same CUDA major lists is
    likely, and so is one that the release notes allow, unless a library that is no newer leaves it out: the notes
    still allowed 470 when it was gone. One that the notes forbid or do not name, and no library lists, is unlikely.
    """
    branch = str(driver[0])
    packages = compat_packages(image.cuda_major) if image.cuda_major else {}
    own = packages.get(image.driver)
    if own and own.whole:
        return branch in own.branches, True
    if own and branch in own.branches:
        return True, True
    whole = {name: branch in package.branches for name, package in packages.items() if package.whole}
    if whole and all(whole.values()):
        return True, False
    table = image.table
    if table is None or image.environment.get("CUDA_VERSION", table.cuda) != table.cuda:
        return None, False
    allowed = [parse_version(one) for one in table.driver_branches]
    if any(one and one[0] == driver[0] and at_least(driver, one) for one in allowed):
        built = parse_version(image.driver) or ()
        left_out = [name for name, listed in whole.items() if not listed and (parse_version(name) or ()) <= built]
        return (None if left_out else True), False
    if branch in table.excluded_branches or (allowed and not any(whole.values())):
        return False, False
    return None, False
