"""GPUs by name: compute capability, and whether it is a GeForce, a data-center GPU, a workstation's or a Jetson's.

What NVML says of a GPU comes first; the table serves where a user has typed a name. What the table does not know is
unknown.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tritoncheck.deployment.versions import Version, parse_version

Capability = tuple[int, int]

_DATA = Path(__file__).parent.parent / "data"
_MAKERS = re.compile(r"\b(?:NVIDIA|GEFORCE|TESLA|GRACE HOPPER SUPERCHIP|\(R\)|\(TM\))|[-_,()]", re.ASCII)

# NVML's brands, `nvmlBrandType_t`; spelled as in the conditions of NVIDIA_REQUIRE_CUDA. Source: nvidia-ml-py
# 13.615.71, pynvml.py.
_BRANDS = (
    *("", "quadro", "tesla", "nvs", "grid", "geforce", "titan", "vapps", "vpc", "vcs", "vws", "cloudgaming"),
    *("quadrortx", "nvidiartx", "nvidia", "geforcertx", "titanrtx"),
)
# Brands that the compatibility libraries read so far leave out of their devices (`compat` in data/drivers.json).
_NO_COMPAT = frozenset(("geforce", "titan", "geforcertx", "titanrtx"))


class Gpu(NamedTuple):
    """One GPU. capability: None where unknown. memory: bytes, 0 where unknown. brand: NVML's, "" where it was not
    asked. told: whether the capability was told by the driver or the user, not looked up by the name."""

    name: str
    capability: Capability | None = None
    memory: int = 0
    brand: str = ""
    told: bool = False

    @property
    def kind(self) -> str:
        """`geforce` (Titan too), `data-center`, `workstation` or `jetson`; "" where unknown."""
        if self.brand in _NO_COMPAT:
            return "geforce"
        return _look_up(self.name)[1]

    @property
    def forward(self) -> bool | None:
        """Whether a compatibility library works on it; None where unknown.

        Documented for data-center GPUs and "select" workstation ones, and not for GeForce, Titan and laptops; the
        libraries list NVML brands, and leave out GeForce and Titan.
        """
        if self.kind == "geforce":
            return False
        if self.kind == "data-center":
            return True
        return True if self.kind == "workstation" and "LAPTOP" not in self.name.upper() else None


def brand_named(number: int) -> str:
    """NVML's number of a brand as a word; "" for one that is not known."""
    return _BRANDS[number] if 0 <= number < len(_BRANDS) else ""


def gpu_named(name: str, capability: Capability | None = None) -> Gpu:
    """The GPU that a user names."""
    known = _look_up(name)[0]
    return Gpu(name, capability or known, told=capability is not None)


@cache
def first_cuda(major: int) -> Version | None:
    """The first CUDA that compiles for GPUs of a compute capability's major; None where every image has it, or where it
    is not known. Within a major code compiled for one runs on those above it, as that of 8.6 on 8.9."""
    rows = json.loads((_DATA / "gpus.json").read_text(encoding="utf-8"))["architectures"]
    return next((parse_version(row["cuda"]) for row in rows if row["major"] == major), None)


def is_newer(capability: Version, cuda: Version | None) -> bool:
    """Whether GPUs of a compute capability came after a CUDA, which then compiles nothing for them; False where that is
    not known."""
    first = first_cuda(capability[0])
    return first is not None and cuda is not None and cuda < first


@cache
def _table() -> list[tuple[re.Pattern[str], Capability | None, str]]:
    rows = json.loads((_DATA / "gpus.json").read_text(encoding="utf-8"))["gpus"]
    found = []
    for row in rows:
        version = parse_version(row.get("capability", ""))
        capability = (version[0], version[1]) if version else None
        found.append((re.compile(rf"(?:{row['name']})(?= |$)", re.ASCII), capability, row["kind"]))
    return found


@cache
def _look_up(name: str) -> tuple[Capability | None, str]:
    """Capability and kind by the first row that fits a word of the name."""
    upper = name[:200].upper()
    words = " ".join(_MAKERS.sub(" ", upper).split())
    for pattern, capability, kind in _table():
        at = pattern.search(words)
        while at and at.start() and words[at.start() - 1] != " ":
            at = pattern.search(words, at.start() + 1)
        if at:
            return capability, kind
    return None, "geforce" if "GEFORCE" in upper else ""
