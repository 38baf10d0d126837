"""What a machine says of itself: recorded machines of every kind, each witness alone, an image that Docker holds."""

from __future__ import annotations

import json

import pytest

from tests.machines import HOSTS, RecordedMachine
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.machine import ThisMachine
from tritoncheck.deployment.probe import asked, driver_and_gpus, local_image, probe
from tritoncheck.deployment.quantities import count_of_list

GB = 2**30


def gpu_of(host: Host) -> tuple[str, tuple[int, int] | None, str, int]:
    """The first GPU, with its memory in GB."""
    gpu = host.gpus[0]
    return gpu.name, gpu.capability, gpu.kind, round(gpu.memory / GB)


@pytest.mark.parametrize(
    ("name", "driver", "cuda", "platform", "gpu"),
    [
        ("h200", "580.159.04", "13.0", "linux", ("NVIDIA H200", (9, 0), "data-center", 140)),
        (
            *("geforce-laptop", "580.173.02", "13.0", "linux"),
            ("NVIDIA GeForce RTX 3070 Laptop GPU", (8, 6), "geforce", 8),
        ),
        ("workstation-610", "610.43.02", "13.3", "linux", ("NVIDIA RTX A6000", (8, 6), "workstation", 48)),
        ("wsl", "576.88", "12.9", "wsl", ("NVIDIA GeForce RTX 4070", (8, 9), "geforce", 12)),
        ("jetson-orin", "540.4.0", "12.6", "jetson", ("Orin (nvgpu)", (8, 7), "jetson", 0)),
        ("jetson-xavier", "", "", "jetson", ("Jetson-AGX Xavier", (7, 2), "jetson", 0)),
        ("old-t4", "418.226.00", "10.1", "linux", ("Tesla T4", (7, 5), "data-center", 15)),
    ],
)
def test_machines(name: str, driver: str, cuda: str, platform: str, gpu: tuple[object, ...]) -> None:
    """Driver, CUDA, kind of machine and GPU of each."""
    host = probe(RecordedMachine(name))
    assert (host.driver, host.cuda, host.platform, gpu_of(host)) == (driver, cuda, platform, gpu)
    told = {key for key in Host._fields[:-1] if getattr(host, key)}
    assert set(host.origins) == told - ({"platform"} if platform == "linux" else set())


def test_every_recorded_machine_is_tested() -> None:
    """No recording without a test."""
    names = {folder.name for folder in HOSTS.iterdir()}
    known = {"h200", "geforce-laptop", "workstation-610", "wsl", "jetson-orin", "jetson-xavier", "old-t4", "none"}
    assert names == known | {"geforce-laptop-toolkit", "geforce-laptop-toolkit-off", "six-cores", "mixed"}


@pytest.mark.parametrize(
    ("without", "driver", "gpus", "where"),
    [
        ((), "580.159.04", 1, "NVML"),
        (("nvml",), "580.159.04", 1, "/proc/driver/nvidia/version"),
        (("nvml", "/proc/driver/nvidia/version"), "580.159.04", 1, "/sys/module/nvidia/version"),
        (("nvml", "/proc/driver/nvidia/version", "/sys/module/nvidia/version"), "580.159.04", 1, "nvidia-smi"),
        (("nvml", "/proc/driver/nvidia/version", "/sys/module/nvidia/version", "nvidia-smi --"), "580.159.04", 0, ""),
        (("nvml", "nvidia-smi"), "580.159.04", 0, "/proc/driver/nvidia/version"),
    ],
)
def test_each_witness_alone(without: tuple[str, ...], driver: str, gpus: int, where: str) -> None:
    """NVML, the two files of the module, nvidia-smi as a table, and its banner."""
    host = probe(RecordedMachine("h200", without))
    assert (host.driver, len(host.gpus)) == (driver, gpus)
    assert host.origins["driver"] == (where or "nvidia-smi")


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.173.02  Tue Jun  9 11:02:47 UTC 2026\n", "580.173.02"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (x)\n", "580.95.05"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module  610.43.02  Release Build\n", "610.43.02"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64 540.4.0  Release Build\n", "540.4.0"),
        ("something else 1.2.3\nNVIDIA Kernel Module  1.2.3\n", ""),
        ("", ""),
    ],
)
def test_forms_of_the_kernel_module(text: str, driver: str) -> None:
    """The proprietary module and the open one, with and without `for`."""

    class Proc(RecordedMachine):
        def read(self, path: str) -> str | None:
            return text if path == "/proc/driver/nvidia/version" else None

    assert probe(Proc("none")).driver == driver


@pytest.mark.parametrize(
    ("printed", "driver", "cuda"),
    [
        ("| NVIDIA-SMI 580.95.05    Driver Version: 580.95.05   CUDA Version: 13.0     |", "580.95.05", "13.0"),
        ("| NVIDIA-SMI 610.43.02    KMD Version: 610.43.02   CUDA UMD Version: 13.3    |", "610.43.02", "13.3"),
        ("| NVIDIA-SMI 575.64.01    Driver Version: 576.88      CUDA Version: 12.9     |", "576.88", "12.9"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "", ""),
        ("| NVIDIA-SMI 580.95.05    Driver Version: 580.95.05   CUDA Version: N/A      |", "", ""),
    ],
)
def test_both_banners(printed: str, driver: str, cuda: str) -> None:
    """The spelling up to branch 595 and the one from 610 on; a failure tells nothing."""
    host = probe(RecordedMachine("none", outputs={"nvidia-smi": printed}))
    assert (host.driver, host.cuda) == (driver, cuda)


def test_nothing_is_there() -> None:
    """A machine without a driver says nothing, and says so without a fault."""
    assert probe(RecordedMachine("none")) == Host()
    assert driver_and_gpus(RecordedMachine("none")) == ("", "")
    assert isinstance(probe(ThisMachine()), Host)
    assert ThisMachine().run("/nonexistent/program") is None
    assert ThisMachine().run("false") is None
    assert ThisMachine().run("echo", "a\x00b") is None
    assert ThisMachine().read("/nonexistent/file") is None


def test_cores() -> None:
    """Those that are switched on; they are no driver, and no machine with one is needed for them."""
    host = probe(RecordedMachine("six-cores"))
    assert (host.cores, host.driver, host.gpus) == (6, "", ())
    assert host.origins == {"cores": "/sys/devices/system/cpu/online"}


@pytest.mark.parametrize(
    ("text", "count"), [("0", 1), ("0-3", 4), ("0-3,8,10-11\n", 7), ("0-3,2", 4), ("", 0), ("all", 0), ("3-", 0)]
)
def test_lists_of_cpus(text: str, count: int) -> None:
    """As the kernel and `cpuset` write them."""
    assert count_of_list(text) == count


def test_container_toolkit() -> None:
    """Its version by any of its programs, and whether it is told to leave compatibility libraries out."""
    on, off = (probe(RecordedMachine(f"geforce-laptop-toolkit{end}")) for end in ("", "-off"))
    assert (on.toolkit, on.compat_mode, on.compat_first) == ("1.18.1", "ldconfig", True)
    assert (off.toolkit, off.compat_mode, off.compat_first) == ("1.18.1", "disabled", False)
    old = probe(RecordedMachine("workstation-610"))
    assert (old.toolkit, old.compat_first) == ("1.17.4", False)
    assert probe(RecordedMachine("geforce-laptop")).compat_first is None


def test_jetson() -> None:
    """The release of its system tells the JetPack."""
    assert [probe(RecordedMachine(name)).l4t for name in ("jetson-orin", "jetson-xavier")] == ["36.4.3", "35.5.0"]


def test_facts_of_a_run() -> None:
    """The stress tester writes driver and GPUs into its journal."""
    assert driver_and_gpus(RecordedMachine("workstation-610")) == ("610.43.02", "NVIDIA RTX A6000, NVIDIA RTX A6000")


IMAGE = "registry.local/team/triton:stable"
INSPECTED = {
    "Id": "sha256:1",
    "RepoDigests": ["registry.local/team/triton@sha256:2"],
    "Config": {
        "Env": ["TRITON_SERVER_VERSION=2.62.0", "CUDA_VERSION=13.0.2.006", "CUDA_DRIVER_VERSION=580.95.05", "ODD"],
        "Labels": {"com.nvidia.tritonserver.version": "2.62.0"},
    },
}
INSPECT = "image inspect --format {{json .}} "


def test_local_image() -> None:
    """Its own environment tells the release that the tag does not."""
    machine = RecordedMachine("geforce-laptop", outputs={f"docker {INSPECT}{IMAGE}": json.dumps(INSPECTED)})
    image = local_image(machine, IMAGE)
    assert image is not None
    assert (image.digest, image.engine) == ("registry.local/team/triton@sha256:2", "docker")
    assert image.environment["CUDA_DRIVER_VERSION"] == "580.95.05"
    launch = asked(Launch(image=IMAGE), machine)
    assert launch.release == (25, 10)
    assert launch.host is not None
    assert launch.host.driver == "580.173.02"
    assert asked(Launch(image=IMAGE, release=(26, 6)), machine).release == (26, 6)


@pytest.mark.parametrize(
    ("release", "environment", "tensorrt"),
    [
        ((26, 6), {}, "11.0.0.114"),
        ((26, 6), {"TRT_VERSION": "10.14.1.48"}, "10.14.1.48"),
        ((26, 6), {"TRT_VERSION": "unset"}, "11.0.0.114"),
        ((26, 4), {"TRT_VERSION": "10.15.1.29"}, "10.15.1.29"),
        ((26, 4), {}, ""),
    ],
)
def test_the_image_names_its_tensorrt(release: tuple[int, ...], environment: dict[str, str], tensorrt: str) -> None:
    """Rules on plans ask the image before the table."""
    facts = Launch(release, image_environment=environment).facts
    assert facts is not None
    assert facts.tensorrt == tensorrt
    assert bool(facts.tensorrt_between) == (not tensorrt)


@pytest.mark.parametrize("printed", ["", "null", "[]", "not json", '{"Config": null}', '{"Config": {"Env": 3}}'])
def test_odd_answers_of_an_engine(printed: str) -> None:
    """What an engine says is not trusted to have a form."""
    machine = RecordedMachine("none", outputs={f"podman {INSPECT}{IMAGE}": printed})
    image = local_image(machine, IMAGE)
    assert image is None or image.environment == {}


@pytest.mark.parametrize("reference", ["", "--help", "x y", "a\x00b", "${IMAGE}", "-v"])
def test_no_engine_is_asked_for_what_is_no_reference(reference: str) -> None:
    """Nothing of a deployment file becomes an option of a command."""

    class Deaf(RecordedMachine):
        def run(self, *words: str) -> str | None:
            raise AssertionError(words)

    assert local_image(Deaf("none"), reference) is None
