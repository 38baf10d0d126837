"""The pre-commit hook, by really running pre-commit on scratch repositories against this checkout.

pre-commit installs a hook from a commit, so the working tree, with what is not committed yet, is first committed to a
repository of its own. The hook's environment is built once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.needs import give_up

Run = Callable[[Path], subprocess.CompletedProcess[str]]

NV12 = ("depth_main", "pose_main", "rfdetr", "vlm_main")


def _environment(**more: str) -> dict[str, str]:
    """This process' environment without git's variables, which are set where the tests themselves run in a hook."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    author = {
        f"GIT_{role}_{what}": "test@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return {**kept, **author, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **more}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(
        command, cwd=folder, env=_environment(), check=True, capture_output=True, text=True, timeout=60
    ).stdout


def _commit(folder: Path) -> str:
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--no-verify", "--message", "state")
    return _git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture(scope="module")
def source(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A git repository with the working tree of the checkout, and its one commit."""
    if not (checkout / ".git").exists():
        give_up("this is no git checkout")
    folder = tmp_path_factory.mktemp("source")
    listed = _git(checkout, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (checkout / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(checkout / name, folder / name, follow_symlinks=False)
    _git(folder, "init", "--quiet")
    return folder, _commit(folder)


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs pre-commit on what is staged in a repository; all runs share one environment of the hook."""
    home = tmp_path_factory.mktemp("home")

    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        environment = _environment(PRE_COMMIT_HOME=str(home), PRE_COMMIT_COLOR="never", NO_COLOR="1")
        command = [sys.executable, "-m", "pre_commit", "run", "--verbose"]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=400)

    return run


@pytest.fixture
def scratch(source: tuple[Path, str], checkout: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a git repository that uses the hook and holds some models of NV-12, all committed."""

    def make(*models: str) -> Path:
        folder, revision = source
        config = f"repos:\n- repo: {folder}\n  rev: {revision}\n  hooks:\n  - id: tritoncheck\n"
        (tmp_path / ".pre-commit-config.yaml").write_text(config)
        for model in models:
            shutil.copytree(checkout / "fixtures/repositories/nv12" / model, tmp_path / "models" / model)
        _git(tmp_path, "init", "--quiet")
        _commit(tmp_path)
        return tmp_path

    return make


def _stage(folder: Path, name: str, text: str) -> None:
    """Append to a file, or make it, and stage it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)
    _git(folder, "add", name)


def test_a_change_in_one_model_checks_its_neighbours(scratch: Callable[..., Path], pre_commit: Run) -> None:
    folder = scratch(*NV12)
    _stage(folder, "models/pose_main/config.pbtxt", "# touched\n")
    run = pre_commit(folder)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "TCG001" in run.stdout
    assert [model for model in NV12 if f"models/{model}/config.pbtxt" not in run.stdout] == []


def test_a_repository_without_a_race_passes(scratch: Callable[..., Path], pre_commit: Run) -> None:
    folder = scratch("pose_main")
    _stage(folder, "models/pose_main/config.pbtxt", "# touched\n")
    run = pre_commit(folder)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Passed" in run.stdout


def test_a_variant_in_configs_is_checked(scratch: Callable[..., Path], pre_commit: Run) -> None:
    folder = scratch("pose_main")
    _stage(folder, "models/pose_main/configs/h200.pbtxt", "max_batch_sise: 8\n")
    run = pre_commit(folder)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "models/pose_main/configs/h200.pbtxt" in run.stdout


def test_another_pbtxt_is_not(scratch: Callable[..., Path], pre_commit: Run) -> None:
    folder = scratch("pose_main")
    for name in ("models/label_map.pbtxt", "models/pose_main/old_config.pbtxt", "models/pose_main/configs/a/b.pbtxt"):
        _stage(folder, name, "item { id: 1 }\n")
    run = pre_commit(folder)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "(no files to check)Skipped" in run.stdout
