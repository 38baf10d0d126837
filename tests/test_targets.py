"""What a path on the command line stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritoncheck.targets import TargetError, resolve


def make(folder: Path, *files: str) -> None:
    """Empty files below a folder."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def test_model_is_widened(tmp_path: Path) -> None:
    """A configuration, a variant or a model's folder stands for its repository."""
    make(tmp_path, "models/a/config.pbtxt", "models/a/configs/fast.pbtxt", "models/a/README.md")
    make(tmp_path, "models/b/config.pbtxt")
    (tmp_path / "models/a/config.pbtxt").write_text('# first\nname: "a"\n')
    for name in ("a", "a/config.pbtxt", "a/configs/fast.pbtxt"):
        assert list(resolve([str(tmp_path / "models" / name)]).repositories) == [str(tmp_path / "models")]


@pytest.mark.parametrize("marks", [(".git/HEAD",), ("README.md",), ("pyproject.toml", "src/x.py")])
def test_project_root_is_no_neighbour_of_others(marks: tuple[str, ...], tmp_path: Path) -> None:
    """A project with a `config.pbtxt` at its root is linted without what lies beside the project."""
    make(tmp_path, "mine/config.pbtxt", "other/config.pbtxt", *(f"mine/{one}" for one in marks))
    targets = resolve([str(tmp_path / "mine")])
    assert targets.repositories == {}
    assert targets.alone == [str(tmp_path / "mine")]


def test_project_root_with_repository_inside(tmp_path: Path) -> None:
    """Repositories below the root of such a project are found too."""
    make(tmp_path, "mine/config.pbtxt", "mine/README.md", "mine/models/a/config.pbtxt")
    targets = resolve([str(tmp_path / "mine")])
    assert list(targets.repositories) == [str(tmp_path / "mine" / "models")]
    assert targets.alone == [str(tmp_path / "mine")]


def test_version_folder_makes_a_model(tmp_path: Path) -> None:
    """A model's folder may hold a README: its version folder says what it is."""
    make(tmp_path, "models/a/config.pbtxt", "models/a/README.md", "models/a/1/model.onnx")
    assert list(resolve([str(tmp_path / "models" / "a")]).repositories) == [str(tmp_path / "models")]


@pytest.mark.parametrize("name", ["model.onnx", "model.plan", "model.pt", "model.savedmodel/saved_model.pb"])
def test_model_without_configuration_is_widened(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version folder with a model file makes a model, as it does where the repository is named."""
    make(tmp_path, f"models/a/1/{name}", "models/b/config.pbtxt", f"bare/c/3/{name}")
    assert list(resolve([str(tmp_path / "models/a")]).repositories) == [str(tmp_path / "models")]
    assert list(resolve([str(tmp_path / "bare/c")]).repositories) == [str(tmp_path / "bare")]
    assert list(resolve([str(tmp_path / "bare")]).repositories) == [str(tmp_path / "bare")]
    monkeypatch.chdir(tmp_path / "bare" / "c")
    assert list(resolve(["."]).repositories) == [".."]


@pytest.mark.parametrize("name", ["1/notes.txt", "1/", "01/model.onnx", "data/model.onnx", "model.onnx"])
def test_other_folders_are_no_models(name: str, tmp_path: Path) -> None:
    """A number for a name makes no version, and a file beside the versions makes no model."""
    if name.endswith("/"):
        (tmp_path / "things" / name).mkdir(parents=True)
    else:
        make(tmp_path, f"things/{name}")
    targets = resolve([str(tmp_path / "things")])
    assert (targets.repositories, targets.alone, targets.files) == ({}, [], [])


@pytest.mark.parametrize(
    "path", ["", "models", "models/pipe", "models/pipe/1", "models/pipe/1/config.pbtxt", "models/detect"]
)
def test_configuration_in_a_version_folder(path: str, tmp_path: Path) -> None:
    """It makes no repository of the model that it lies in."""
    make(tmp_path, "models/detect/config.pbtxt", "models/pipe/1/config.pbtxt", "models/pipe/1/README.md")
    assert list(resolve([str(tmp_path / path)]).repositories) == [str(tmp_path / "models")]


@pytest.mark.parametrize(
    ("files", "repository"),
    [
        (("models/1/config.pbtxt", "models/2/config.pbtxt"), "models"),
        (("models/1/config.pbtxt", "models/1/1/model.onnx"), "models"),
        (("base/config.pbtxt", "models/1/config.pbtxt", "models/1/1/model.onnx"), "models"),
        (("base/config.pbtxt", "models/1_old/config.pbtxt"), "models"),
    ],
)
def test_models_with_a_number_for_a_name(files: tuple[str, ...], repository: str, tmp_path: Path) -> None:
    """Without other models around, or with versions of their own, they are models."""
    make(tmp_path, *files)
    assert str(tmp_path / repository) in resolve([str(tmp_path)]).repositories


def test_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` inside a model stands for the repository above."""
    make(tmp_path, "models/a/config.pbtxt", "models/b/config.pbtxt")
    monkeypatch.chdir(tmp_path / "models" / "a")
    assert list(resolve(["."]).repositories) == [".."]
    assert list(resolve(["config.pbtxt"]).repositories) == [".."]


def test_missing(tmp_path: Path) -> None:
    """A path that is not there is said with its name."""
    with pytest.raises(TargetError, match="nowhere"):
        resolve([str(tmp_path / "nowhere")])
