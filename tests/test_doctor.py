"""`tritoncheck doctor`: what it shows of options, files, recorded machines and tables, as text and as JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.cases import FIXTURES, ROOT
from tests.machines import HOSTS, RecordedMachine
from tritoncheck.config import Settings
from tritoncheck.diagnosis import Diagnosis, tables_on
from tritoncheck.doctor import examine, run_doctor
from tritoncheck.report.diagnosis import render_json, render_text

NV12 = str(FIXTURES / "repositories" / "nv12")
IMAGE = "nvcr.io/nvidia/tritonserver:26.06-py3"
TODAY = date(2026, 11, 30)

COMPOSE = f"""\
services:
  triton:
    image: {IMAGE}
    command: tritonserver --model-repository=/models --model-load-thread-count=1
    environment:
      API_TOKEN: hunter2
    volumes:
      - ./models:/models:ro
    shm_size: 1gb
    gpus: all
"""


def diagnosis(machine: str = "none", path: str = NV12, **options: Any) -> Diagnosis:
    """What is found on a recorded machine."""
    return examine(path, Settings(**options), RecordedMachine(machine), TODAY)


def shown(machine: str = "none", path: str = NV12, **options: Any) -> str:
    """The same as text, in one line."""
    return " ".join(render_text(diagnosis(machine, path, **options)).split())


def test_options() -> None:
    """What options say, what the tables add, and what becomes of it."""
    text = shown(image=IMAGE, driver="580.173.02", gpu="NVIDIA GeForce RTX 3070 Laptop GPU")
    for part in (
        f"image {IMAGE} [--image]",
        "release 26.06 (Triton 2.70.0) [the image's tag]",
        "CUDA 13.3.0.035 [table of releases]",
        "built for driver 610.43.02 [table of releases]",
        "needs driver 580 or later",
        "TensorRT 11.0.0.114 [table of releases, derived]",
        "driver 580.173.02 [--driver]",
        "its CUDA 13.0 [table of drivers]",
        "compute capability 8.6, GeForce class [--gpu]",
        "it runs by minor-version compatibility, with less [tritoncheck explain TCV030]",
        "newest image 26.10-py3 for this driver 25.11-py3 with all of its CUDA",
        'your server flags --launch "tritonserver …"',
        "This machine no NVIDIA driver, no GPU",
        "releases 79, newest 26.10 (1 month old)",
    ):
        assert part in text


def test_nothing_known() -> None:
    """What is missing is said, with the option that supplies it."""
    text = shown()
    assert "nothing is known of how the server is started" in text
    assert "verdict not known, for want of an image and a driver" in text
    for option in ("--image", "--launch", "--driver", "--gpu", "--host"):
        assert option in text


def test_a_file_beside_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value with its file and line; no value of a variable, which may be a secret; an option wins."""
    (tmp_path / "docker-compose.yml").write_text(COMPOSE)
    (tmp_path / "models" / "m").mkdir(parents=True)
    (tmp_path / "models" / "m" / "config.pbtxt").write_text('backend: "onnxruntime"\n')
    monkeypatch.chdir(tmp_path)
    models = str(tmp_path / "models")
    text = shown(path=models)
    for part in (
        "How `triton` in docker-compose.yml starts the server, for models",
        f"image {IMAGE} [docker-compose.yml:3]",
        "flags --model-repository=/models --model-load-thread-count=1 [docker-compose.yml:4]",
        "environment API_TOKEN [docker-compose.yml:",
        "GPUs all [docker-compose.yml:10]",
        "shm-size 1 GB [docker-compose.yml:9]",
        "mount models -> /models [docker-compose.yml:8]",
        "verdict not known, for want of a driver",
    ):
        assert part in text
    assert "hunter2" not in text
    assert "hunter2" not in render_json(diagnosis(path=models))
    text = shown("geforce-laptop", path=models, host=True, shm_size="256m")
    assert "shm-size 256 MB [--shm-size]" in text
    assert "driver 580.173.02 [NVML]" in text
    assert "TCV030" in text
    # Without a repository all that is near is shown.
    (tmp_path / "models" / "m" / "config.pbtxt").unlink()
    assert "How `triton` in docker-compose.yml" in shown(path=str(tmp_path))


@pytest.mark.parametrize(
    ("machine", "parts"),
    [
        ("h200", ["driver 580.159.04 [NVML]", "NVIDIA H200, compute capability 9.0, 140 GB, data-center class [NVML]"]),
        (
            "geforce-laptop-toolkit",
            ["container toolkit 1.18.1, puts an image's compatibility library first [nvidia-ctk]"],
        ),
        ("geforce-laptop-toolkit-off", ["cuda-compat-mode disabled [/etc/nvidia-container-runtime/config.toml]"]),
        ("workstation-610", ["driver 610.43.02 [/proc/driver/nvidia/version]", "48 GB, workstation [nvidia-smi]"]),
        ("wsl", ["driver 576.88 [nvidia-smi]", "platform WSL 2 [/dev/dxg]"]),
        ("jetson-orin", ["platform Jetson (L4T 36.4.3) [/etc/nv_tegra_release]", "driver 540.4.0"]),
        ("jetson-xavier", ["Jetson-AGX Xavier, compute capability 7.2, jetson [/proc/device-tree/model]"]),
        ("old-t4", ["driver 418.226.00 [/sys/module/nvidia/version]", "its CUDA 10.1 [nvidia-smi]"]),
        ("none", ["no NVIDIA driver, no GPU"]),
    ],
)
def test_this_machine(machine: str, parts: list[str]) -> None:
    """It is shown also where it is not the server's."""
    text = shown(machine).partition("This machine")[2]
    for part in parts:
        assert part in text


@pytest.mark.parametrize(
    ("machine", "image", "code"),
    [
        ("h200", IMAGE, "TCV031"),
        ("geforce-laptop", IMAGE, "TCV030"),
        ("workstation-610", IMAGE, None),
        ("wsl", IMAGE, "TCV002"),
        ("old-t4", IMAGE, "TCV002"),
        ("jetson-orin", "nvcr.io/nvidia/tritonserver:24.08-py3-igpu", None),
        ("none", IMAGE, None),
    ],
)
def test_host(machine: str, image: str, code: str | None) -> None:
    """With `--host` the machine is the server's, and the verdict names the rule that says more."""
    document = json.loads(render_json(diagnosis(machine, host=True, image=image)))
    (started,) = document["started"]
    assert started["verdict"]["code"] == code
    assert started["host"] == document["machine"]


def test_json() -> None:
    """Its form."""
    document = json.loads(render_json(diagnosis("h200", host=True, image=IMAGE, triton="26.06")))
    assert set(document) == {"version", "tool", "started", "machine", "tables", "notes"}
    assert document["tables"] == {
        "releases": 79,
        "newest": "26.10",
        "month": "2026-10",
        "age_months": 1,
        "old": False,
    }
    (started,) = document["started"]
    rows = [*started["launch"], *started["image"], *started["host"], *document["machine"]]
    assert len(rows) > 10
    assert all(set(row) == {"key", "value", "from"} and all(row.values()) for row in rows)
    assert started["newest_image"] == {"runs": "26.10-py3", "native": "25.11-py3"}
    assert [one["what"] for one in started["missing"]] == ["your server flags"]
    assert all(set(one) == {"what", "why", "enable"} for one in started["missing"])


@pytest.mark.parametrize(
    ("machine", "options", "code", "verdict"),
    [
        ("old-t4", {"image": IMAGE, "host": True}, 1, "it does not run: the driver is too old for its CUDA"),
        ("none", {"image": IMAGE, "driver": "610.43.02", "gpu": "Tesla K80"}, 1, "it does not run: the GPU is older"),
        ("h200", {"image": IMAGE, "host": True}, 0, "it runs with the compatibility library in the image"),
        ("none", {"image": IMAGE}, 0, "not known, for want of a driver"),
        ("none", {}, 0, "not known, for want of an image and a driver"),
    ],
)
def test_the_verdict_comes_first(
    machine: str, options: dict[str, Any], code: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether it runs stands in the first lines, and is the exit code."""
    assert run_doctor(NV12, Settings(**options), "text", RecordedMachine(machine), TODAY) == code
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "In short"
    assert f"verdict {verdict}" in " ".join(" ".join(shown[1:3]).split())
    assert run_doctor(NV12, Settings(**options), "json", RecordedMachine(machine), TODAY) == code
    (started,) = json.loads(capsys.readouterr().out)["started"]
    assert started["verdict"]["fails"] == bool(code)


def test_what_is_wrong_or_open_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are not taken are named before all that is known."""
    for name in ("k8s/dev.yaml", "k8s/prod.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            f"apiVersion: v1\nkind: Pod\nmetadata: {{name: triton}}\nspec:\n  containers:\n    - image: {IMAGE}\n"
            "      args: [tritonserver, --model-repository=s3://bucket/models]\n"
        )
    (tmp_path / "models" / "m").mkdir(parents=True)
    (tmp_path / "models" / "m" / "config.pbtxt").write_text('backend: "onnxruntime"\n')
    monkeypatch.chdir(tmp_path)
    text = shown(path="models")
    first = text.partition("How the server is started")[0]
    assert "note --deployment k8s/dev.yaml (2 files start a server (k8s/dev.yaml, k8s/prod.yaml)" in first


def test_old_tables() -> None:
    """Half a year without a new release is worth a warning."""
    assert [tables_on(date(2026 + month // 12, month % 12 + 1, 1)).old for month in (10, 15, 16)] == [
        False,
        False,
        True,
    ]
    text = render_text(examine(NV12, Settings(), RecordedMachine("none"), date(2027, 8, 1)))
    assert "warning: the tables are 10 months old" in text


@pytest.mark.parametrize("machine", sorted(folder.name for folder in HOSTS.iterdir()))
def test_eighty_columns(machine: str) -> None:
    """It reads well in a terminal of 80 columns, and steers none."""
    options: dict[str, Any] = {"host": True, "image": IMAGE, "gpu": "a\x1b[31mb " + "x" * 40}
    text = render_text(diagnosis(machine, **options))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for what cannot be understood."""
    for path, typed, format in (
        (NV12, Settings(), "xml"),
        ("nowhere", Settings(), "text"),
        (NV12, Settings(driver="new"), "text"),
        (NV12, Settings(image=IMAGE, triton="24.05"), "text"),
    ):
        assert run_doctor(path, typed, format, RecordedMachine("none"), TODAY) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("tritoncheck: ")
        assert said.err.count("\n") == 1


def test_command_line(tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """As a user runs it, here and anywhere."""
    ran = tritoncheck("doctor", NV12, "--image", IMAGE, "--driver", "610.43.02", "--format", "json", cwd=ROOT)
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["started"][0]["verdict"]["text"] == "it runs with all of its CUDA"


@pytest.mark.parametrize(
    ("image", "driver", "gpu", "code"),
    [
        ("24.05-py3", "570.86.10", "NVIDIA B200", "TCV053"),
        ("22.12-py3", "575.57.08", "NVIDIA GeForce RTX 5090", "TCV053"),
        ("25.01-py3", "570.86.10", "NVIDIA B200", None),
        ("26.06-py3", "570.86.10", "NVIDIA GeForce RTX 5090", "TCV002"),
    ],
)
def test_gpu_newer_than_image(image: str, driver: str, gpu: str, code: str | None) -> None:
    """No image runs with all of its CUDA on a GPU that its CUDA does not know."""
    told = diagnosis("none", image=f"nvcr.io/nvidia/tritonserver:{image}", driver=driver, gpu=gpu)
    (started,) = json.loads(render_json(told))["started"]
    assert started["verdict"]["code"] == code
