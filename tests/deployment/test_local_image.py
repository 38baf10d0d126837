"""An image of a real engine, made here with the environment of a Triton image: read, and linted with."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator

import pytest

from tests.cases import FIXTURES, TODAY
from tests.machines import RecordedMachine
from tests.needs import needed
from tests.stress.engine_of_docker import NoEngine, engine
from tritoncheck.config import Settings
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.machine import ThisMachine
from tritoncheck.deployment.probe import asked, local_image
from tritoncheck.lint import lint
from tritoncheck.registry import own_rules
from tritoncheck.run import Run

pytestmark = pytest.mark.docker

IMAGE = "registry.local:5000/tritoncheck-test/triton:stable"
ENVIRONMENT = {
    "NVIDIA_TRITON_SERVER_VERSION": "26.06",
    "TRITON_SERVER_VERSION": "2.70.0",
    "CUDA_VERSION": "13.3.0.035",
    "CUDA_DRIVER_VERSION": "610.43.02",
    "TRT_VERSION": "11.0.0.114",
    "NVIDIA_REQUIRE_CUDA": "cuda>=9.0",
}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An empty image with the environment and the labels of a Triton image, imported and removed."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    changes = [f"--change=ENV {name}={value}" for name, value in ENVIRONMENT.items()]
    changes.append("--change=LABEL com.nvidia.tritonserver.version=2.70.0")
    with needed(NoEngine), engine(tmp_path_factory.mktemp("engine")):
        subprocess.run(["docker", "import", *changes, "-", IMAGE], input=buffer.getvalue(), check=True)
        yield IMAGE
        subprocess.run(["docker", "image", "rm", IMAGE], check=True)


class Laptop(ThisMachine):
    """The engine of this machine, and the driver and GPU of a recorded one."""

    recorded = RecordedMachine("geforce-laptop")
    read, exists, nvml = recorded.read, recorded.exists, recorded.nvml


def test_environment_and_labels(image: str) -> None:
    """All of it is read, and nothing is pulled."""
    found = local_image(ThisMachine(), image)
    assert found is not None
    assert found.environment == found.environment | ENVIRONMENT
    assert found.labels == {"com.nvidia.tritonserver.version": "2.70.0"}
    assert found.digest.startswith("sha256:")
    assert local_image(ThisMachine(), f"{image}-not-there") is None


def test_lint_with_it(image: str) -> None:
    """A tag that says nothing: release and driver come from the image."""
    launch = asked(Launch(image=image), Laptop())
    assert launch.release == (26, 6)
    run = Run(Settings(), launch, own_rules(), TODAY)
    report = lint([str(FIXTURES / "repositories" / "nv12")], run)
    (finding,) = (one for one in report.findings if one.rule.code.startswith("TCV"))
    assert finding.rule.code == "TCV030"
    assert "610.43" in finding.message
