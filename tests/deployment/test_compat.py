"""The verdict on driver, image and GPU: every row of its table, launch conditions, GPUs by name."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cases import ROOT
from tritoncheck.deployment.compat import Verdict, image_facts, judge
from tritoncheck.deployment.fit import fit
from tritoncheck.deployment.gpus import Gpu, gpu_named
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.requirement import HostValues, holds, requirements
from tritoncheck.deployment.tables import newest_for_driver

RTX, A100, A6000 = "NVIDIA GeForce RTX 3070 Laptop GPU", "NVIDIA A100-SXM4-40GB", "NVIDIA RTX A6000"


def verdict(release: tuple[int, ...], driver: str, gpu: str = "", variant: str = "server", **host: Any) -> Verdict:
    """The verdict on an image by its release."""
    gpus = (gpu_named(gpu),) if gpu else ()
    return judge(image_facts(release, variant, {}), Host(driver=driver, gpus=gpus, **host))


@pytest.mark.parametrize(
    ("release", "driver", "gpu", "kind", "sure"),
    [
        # The case of record: minor-version compatibility on a GeForce.
        ((26, 6), "580.173.02", RTX, "minor", True),
        ((26, 1), "580.95.05", RTX, "minor", True),
        # At or above the image's branch; an older patch of the same branch has the same CUDA.
        ((26, 6), "610.43.02", RTX, "native", True),
        ((26, 6), "615.65.02", RTX, "native", True),
        ((25, 11), "580.65.06", RTX, "native", True),
        ((25, 11), "580.173.02", RTX, "native", True),
        ((24, 5), "560.35.03", "", "native", True),
        # A compatibility library: its list was read, it is likely, or the release notes say so.
        ((25, 6), "535.183.01", A100, "forward", True),
        ((25, 10), "550.54.15", A100, "forward", True),
        ((25, 12), "580.95.05", A100, "forward", True),
        ((26, 6), "580.159.04", A6000, "forward", True),
        ((26, 6), "575.57.08", A100, "forward", False),
        ((26, 2), "535.86.10", A100, "forward", False),
        ((24, 5), "470.82.01", A100, "forward", False),
        # No compatibility library on this GPU, and the driver is below the floor of the CUDA major.
        ((26, 6), "575.57.08", RTX, "none", True),
        ((25, 8), "570.86.10", RTX, "none", True),
        ((23, 3), "520.61.05", RTX, "none", True),
        ((22, 12), "440.33.01", RTX, "none", True),
        ((20, 3), "435.21", RTX, "none", True),
        # The library's list lacks the branch; or the notes do, and no library has it.
        ((25, 12), "470.82.01", A100, "none", True),
        ((25, 6), "525.60.13", A100, "minor", True),
        ((24, 5), "510.47.03", A100, "none", False),
        ((24, 5), "470.42.01", A100, "none", False),
        ((26, 6), "545.23.08", A100, "none", False),
        # Only a compatibility library would do, and whether it works here is not known.
        ((26, 6), "470.82.01", A100, "forward-only", False),
        ((26, 2), "470.82.01", A100, "forward-only", False),
        ((25, 12), "535.183.01", "NVIDIA RTX A2000 Laptop GPU", "forward-only", False),
        ((25, 12), "535.183.01", "", "forward-only", False),
        ((25, 12), "535.183.01", "Acme 9000", "forward-only", False),
        # Which GPU it is decides between a compatibility library and minor-version compatibility only.
        ((26, 6), "580.173.02", "", "minor", True),
        # The GPU is too old, whatever the driver.
        ((26, 6), "615.65.02", "Tesla V100-SXM2-16GB", "old-gpu", False),
        ((26, 6), "450.80.02", "NVIDIA GeForce GTX 1080", "old-gpu", False),
        ((24, 12), "560.35.05", "Tesla V100-SXM2-16GB", "native", True),
        ((22, 12), "520.61.05", "Tesla K80", "old-gpu", False),
        # CUDA unknown, but bracketed by the neighbours; or nothing is known.
        ((23, 10), "545.23.08", RTX, "native", True),
        ((23, 10), "535.183.01", RTX, "unknown", True),
        ((23, 10), "530.30.02", RTX, "minor", True),
        ((23, 2), "510.47.03", RTX, "unknown", True),
        ((27, 1), "580.173.02", RTX, "unknown", True),
        ((26, 10), "610.43.02", RTX, "minor", True),
        ((26, 6), "nonsense", RTX, "unknown", True),
        ((26, 6), "", RTX, "unknown", True),
    ],
)
def test_verdict(release: tuple[int, ...], driver: str, gpu: str, kind: str, sure: bool) -> None:
    """Every row of the table."""
    found = verdict(release, driver, gpu)
    assert (found.kind, found.sure) == (kind, sure)


@pytest.mark.parametrize(
    ("variant", "driver", "kind"),
    [
        ("server", "590.44.01", "minor"),
        ("vllm", "590.44.01", "minor"),
        ("custom", "590.44.01", "minor"),
        ("trtllm", "590.44.01", "native"),
        ("trtllm", "580.173.02", "minor"),
        ("pytorch", "580.173.02", "unknown"),
        ("igpu", "580.173.02", "unknown"),
    ],
)
def test_variants_have_their_own_cuda(variant: str, driver: str, kind: str) -> None:
    """26.06 is CUDA 13.3, its TensorRT-LLM variant 13.1; what was not read is unknown."""
    assert verdict((26, 6), driver, RTX, variant).kind == kind


def test_wsl_has_no_compatibility_library() -> None:
    """There the driver is that of Windows; minor-version compatibility works."""
    assert verdict((26, 6), "576.88", A100, platform="wsl").kind == "none"
    assert verdict((26, 6), "581.29", A100, platform="wsl").kind == "minor"
    assert verdict((24, 5), "552.44", RTX, platform="wsl").kind == "native"


def test_jetson_is_another_matter() -> None:
    """Its drivers and images have numbers of their own."""
    assert verdict((24, 8), "540.4.0", "Orin (nvgpu)").kind == "unknown"
    assert verdict((24, 8), "540.4.0", platform="jetson").kind == "unknown"


def test_several_gpus() -> None:
    """The weakest counts for the image; a compatibility library must work on all."""
    image = image_facts((26, 6), "server", {})
    mixed = (gpu_named(A100), gpu_named(RTX))
    assert judge(image, Host("575.57.08", gpus=mixed)).kind == "forward-only"
    old = judge(image, Host("610.43.02", gpus=(gpu_named(A100), Gpu("Tesla V100", (7, 0), told=True))))
    assert (old.kind, old.sure, old.gpu and old.gpu.name) == ("old-gpu", True, "Tesla V100")


def test_the_image_itself_knows_best() -> None:
    """The environment of the image comes before the table, also where its tag says nothing."""
    environment = {
        "CUDA_VERSION": "13.0.2.006",
        "CUDA_DRIVER_VERSION": "580.95.05",
        "TRITON_SERVER_VERSION": "2.62.0",
        "NVIDIA_REQUIRE_CUDA": "cuda>=9.0",
    }
    image = image_facts((26, 6), "custom", environment)
    assert (image.triton, image.driver, image.floor) == ("2.62.0", "580.95.05", "580")
    assert judge(image, Host("580.173.02")).kind == "native"
    assert judge(image_facts(None, "", environment), Host("535.183.01", gpus=(gpu_named(RTX),))).kind == "none"
    bare = image_facts(None, "", {"CUDA_VERSION": "12.4.1"})
    assert (bare.driver, bare.floor) == ("550.54.15", "525.60.13")
    assert judge(bare, Host("535.183.01")).kind == "requirement"
    assert judge(bare._replace(conditions={}), Host("535.183.01")).kind == "minor"
    assert judge(image_facts(None, "", {"PATH": "/bin"}), Host("535.183.01")).kind == "unknown"


CUDA_IMAGE = "cuda>=13.0 brand=unknown,driver>=535,driver<536 brand=tesla,driver>=535,driver<536"


@pytest.mark.parametrize(
    ("condition", "host", "answer"),
    [
        ("cuda>=9.0", HostValues(cuda=(13, 0)), True),
        ("cuda>=13.3", HostValues(cuda=(13, 0)), False),
        ("cuda>=13.3", HostValues(), None),
        ("cuda>=13", HostValues(cuda=(13, 0)), True),
        (CUDA_IMAGE, HostValues(cuda=(13, 0)), True),
        (CUDA_IMAGE, HostValues(cuda=(12, 2), driver=(535, 183, 1), brand="tesla"), True),
        (CUDA_IMAGE, HostValues(cuda=(12, 2), driver=(535, 183, 1), brand="geforcertx"), False),
        (CUDA_IMAGE, HostValues(cuda=(12, 2), driver=(535, 183, 1)), None),
        (CUDA_IMAGE, HostValues(cuda=(12, 4), driver=(550, 54, 15)), False),
        ("arch>=7.5", HostValues(arch=(7, 0)), False),
        ("arch!=7.5", HostValues(arch=(7, 0)), True),
        ("arch=7.5,cuda<13", HostValues(arch=(7, 5), cuda=(12, 9)), True),
        ("brand!=tesla", HostValues(brand="tesla"), False),
        ("colour=green", HostValues(cuda=(1, 0)), True),
        ("nonsense", HostValues(), True),
        ("cuda>=x", HostValues(cuda=(1, 0)), True),
        ("", HostValues(), True),
    ],
)
def test_conditions(condition: str, host: HostValues, answer: bool | None) -> None:
    """A space is or, a comma is and; what is unknown of the host leaves it open."""
    assert holds(condition, host) is answer


def test_which_conditions_count() -> None:
    """All `NVIDIA_REQUIRE_*` but JetPack's; an image with a CUDA version alone requires that; it can be turned off."""
    assert requirements({"NVIDIA_REQUIRE_CUDA": "cuda>=9.0", "CUDA_VERSION": "13.3.0.035"}) == {
        "NVIDIA_REQUIRE_CUDA": "cuda>=9.0"
    }
    assert requirements({"CUDA_VERSION": "12.4.1"}) == {"CUDA_VERSION": "cuda>=12.4"}
    assert requirements({"NVIDIA_REQUIRE_JETPACK": "x", "NVIDIA_REQUIRE_ARCH": "arch>=8.0"}) == {
        "NVIDIA_REQUIRE_ARCH": "arch>=8.0"
    }
    assert requirements({"NVIDIA_REQUIRE_CUDA": "cuda>=99", "NVIDIA_DISABLE_REQUIRE": "true"}) == {}
    image = image_facts((26, 6), "server", {"NVIDIA_REQUIRE_CUDA": "cuda>=13.3"})
    found = judge(image, Host("580.173.02", gpus=(gpu_named("Tesla V100"),)))
    assert (found.kind, found.condition) == ("requirement", ("NVIDIA_REQUIRE_CUDA", "cuda>=13.3"))


@pytest.mark.parametrize(
    ("name", "capability", "kind", "forward"),
    [
        ("NVIDIA GeForce RTX 3070 Laptop GPU", (8, 6), "geforce", False),
        ("rtx 4090", (8, 9), "geforce", False),
        ("GeForce GTX 1060 6GB", (6, 1), "geforce", False),
        ("NVIDIA GeForce MX450", None, "geforce", False),
        ("NVIDIA TITAN Xp", (6, 1), "geforce", False),
        ("NVIDIA H200", (9, 0), "data-center", True),
        ("Tesla T4", (7, 5), "data-center", True),
        ("NVIDIA A100-SXM4-40GB", (8, 0), "data-center", True),
        ("NVIDIA A10G", (8, 6), "data-center", True),
        ("GRID T4-8Q", (7, 5), "data-center", True),
        ("NVIDIA GH200 480GB", (9, 0), "data-center", True),
        ("NVIDIA RTX A6000", (8, 6), "workstation", True),
        ("NVIDIA RTX 6000 Ada Generation", (8, 9), "workstation", True),
        ("NVIDIA RTX 4000 SFF Ada Generation", (8, 9), "workstation", True),
        ("NVIDIA RTX A2000 Laptop GPU", (8, 6), "workstation", None),
        ("Quadro RTX 8000", (7, 5), "workstation", True),
        ("NVIDIA GB10", (12, 1), "", None),
        ("Orin (nvgpu)", (8, 7), "jetson", None),
        ("NVIDIA Jetson AGX Orin", (8, 7), "jetson", None),
        ("Acme 9000", None, "", None),
        ("", None, "", None),
        ("A" * 100_000, None, "", None),
    ],
)
def test_gpus_by_name(name: str, capability: tuple[int, int] | None, kind: str, forward: bool | None) -> None:
    """What a name says of capability and kind."""
    gpu = gpu_named(name)
    assert (gpu.capability, gpu.kind, gpu.forward, gpu.told) == (capability, kind, forward, False)


def test_what_the_driver_says_of_a_gpu_comes_first() -> None:
    """A brand and a capability that NVML told are not looked up."""
    gpu = Gpu("Graphics Device", (8, 6), brand="geforcertx", told=True)
    assert (gpu.kind, gpu.forward) == ("geforce", False)
    assert gpu_named("NVIDIA A100", (9, 0)).capability == (9, 0)


@pytest.mark.parametrize(
    ("release", "gpu", "newer", "first"),
    [
        ((24, 5), "NVIDIA B200", True, "25.01-py3"),
        ((24, 12), "NVIDIA GeForce RTX 5090", True, "25.01-py3"),
        ((25, 1), "NVIDIA GeForce RTX 5090", False, "25.01-py3"),
        ((22, 8), "NVIDIA H100", True, "22.09-py3"),
        ((22, 9), "NVIDIA H100", False, "22.09-py3"),
        ((20, 3), "NVIDIA A100", True, "20.06-py3"),
        ((20, 6), "NVIDIA L4", False, "20.06-py3"),
        ((23, 10), "NVIDIA B200", True, "25.01-py3"),
        ((23, 1), "NVIDIA H100", False, "22.09-py3"),
        ((24, 5), "NVIDIA GB10", True, "25.01-py3"),
        ((24, 5), "Acme 9000", False, ""),
        ((20, 3), "Tesla T4", False, "20.03-py3"),
    ],
)
def test_gpu_newer_than_image(release: tuple[int, ...], gpu: str, newer: bool, first: str) -> None:
    """An image's CUDA that is older than the GPU's architecture has no code for it; within a major it has."""
    found = fit(Launch(release=release, gpu=gpu))
    assert (found.newer_gpu is not None) == newer
    assert found.first_for_gpu == first


def test_no_older_image_is_advised_than_the_gpu() -> None:
    """What is named as the newest image for a driver has a CUDA that knows the GPU."""
    assert newest_for_driver((535, 183), (10, 0), native=True) is None
    assert newest_for_driver((535, 183), (8, 9), native=True) == (23, 9)


def test_no_image_is_advised_that_lacks_one_of_the_gpus() -> None:
    """The newest native image for a driver must know every GPU of the machine, not only the oldest."""
    old, new = gpu_named("Tesla T4"), gpu_named("NVIDIA B200")
    launch = Launch(release=(26, 6), host=Host(driver="535.183.01", gpus=(old, new)))
    assert fit(launch).newest_native == ""
    assert fit(launch._replace(host=Host(driver="535.183.01", gpus=(old,)))).newest_native == "23.09-py3"


def test_table_of_architectures() -> None:
    """Sorted, unique, sourced."""
    rows = json.loads((ROOT / "tritoncheck" / "data" / "gpus.json").read_text(encoding="utf-8"))["architectures"]
    assert [row["major"] for row in rows] == sorted({row["major"] for row in rows})
    versions = [tuple(map(int, row["cuda"].split("."))) for row in rows]
    assert versions == sorted(versions)
    assert all(set(row) == {"major", "name", "cuda", "source"} and row["name"] and row["source"] for row in rows)


def test_table_of_gpus() -> None:
    """Every row is a pattern that compiles, with a kind; a capability is of two parts."""
    table = json.loads((ROOT / "tritoncheck" / "data" / "gpus.json").read_text(encoding="utf-8"))
    assert table["source"]
    assert len({row["name"] for row in table["gpus"]}) == len(table["gpus"])
    for row in table["gpus"]:
        assert set(row) <= {"name", "capability", "kind"}
        assert re.compile(row["name"])
        assert row["kind"] in ("data-center", "workstation", "geforce", "jetson", "")
        assert "capability" not in row or re.fullmatch(r"\d{1,2}\.\d", row["capability"])
