"""The wheel and the sdist hold what they should, and the installed tool says what the checkout says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

IMAGE = "nvcr.io/nvidia/tritonserver:26.06-py3"


@pytest.fixture(scope="module")
def dist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one wheel and one sdist of the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def in_wheel(dist: Path) -> set[str]:
    """The names of the files in the wheel."""
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def in_sdist(dist: Path) -> set[str]:
    """The names of the files in the sdist, below its one folder."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive if not member.isdir()}


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs the tritoncheck of the wheel, installed with what it asks for into an environment with nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=True)
    (wheel,) = dist.glob("*.whl")
    pip = [
        str(folder / "venv/bin/python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True, text=True, timeout=300)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [folder / "venv/bin/tritoncheck", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)

    return run


def _rule_files(checkout: Path) -> set[str]:
    return {path.relative_to(checkout).as_posix() for path in (checkout / "rules").rglob("*.py")}


def test_the_wheel_holds_every_rule(checkout: Path, in_wheel: set[str]) -> None:
    packed = {name.removeprefix("tritoncheck/") for name in in_wheel if name.startswith("tritoncheck/rules/")}
    assert packed == _rule_files(checkout) != set()


def test_the_wheel_holds_the_licence_and_the_data_and_nothing_but_the_package(in_wheel: set[str]) -> None:
    assert [name for name in in_wheel if name.endswith(".dist-info/licenses/LICENSE")]
    data = ("schema/modelconfig.json", "data/releases.json", "data/drivers.json")
    assert {f"tritoncheck/{name}" for name in data} <= in_wheel
    assert {name.split("/")[0] for name in in_wheel if ".dist-info/" not in name} == {"tritoncheck"}
    assert not [name for name in in_wheel if name.endswith(".pyc")]


def test_the_sdist_holds_what_the_tests_need(checkout: Path, in_sdist: set[str]) -> None:
    assert _rule_files(checkout) <= in_sdist
    wanted = ("LICENSE", "Makefile", "README.md", "pyproject.toml", "tests/test_packaging.py", "scripts/make_schema.py")
    assert [name for name in wanted if name not in in_sdist] == []
    files = [path for path in (checkout / "fixtures").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    fixtures = {path.relative_to(checkout).as_posix() for path in files}
    assert fixtures <= in_sdist
    assert not [name for name in in_sdist if name.endswith(".pyc") or name.split("/")[0] in (".cache", ".venv")]


def test_the_installed_tool_knows_the_same_rules(installed: Command, tritoncheck: Command) -> None:
    here, there = tritoncheck("rules", "--format", "json"), installed("rules", "--format", "json")
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == here.stdout
    assert installed("explain", "TCG001").stdout == tritoncheck("explain", "TCG001").stdout


def test_the_installed_tool_finds_the_same(checkout: Path, installed: Command, tritoncheck: Command) -> None:
    def findings(run: Command) -> list[Any]:
        repository = checkout / "fixtures" / "repositories" / "nv12"
        ran = run("lint", repository, "--image", IMAGE, "--format", "json")
        assert (ran.returncode, ran.stderr) == (1, "")
        return [
            (each["code"], each["model"], each["message"], Path(each["path"]).parts[-2:], each["line"], each["column"])
            for each in json.loads(ran.stdout)["findings"]
        ]

    assert findings(installed) == findings(tritoncheck) != []
