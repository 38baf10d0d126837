"""What a source tree says by what it keeps, and what it explains by files about files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritoncheck.deployment.launch import Launch
from tritoncheck.lint import read_models
from tritoncheck.model_repository import Repository
from tritoncheck.repository import read_repository


def make(folder: Path, *names: str) -> None:
    """Empty files; configurations of ONNX models."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('backend: "onnxruntime"\n' if name.endswith("config.pbtxt") else "")


def read(folder: Path) -> Repository:
    """The repository with its models."""
    repository = Repository(read_repository(str(folder)), Launch())
    for one in repository.folder.models:
        repository.models += read_models(repository, one)
    return repository


@pytest.mark.parametrize(
    ("names", "evident"),
    [
        (("a/config.pbtxt", "a/1/x", "b/config.pbtxt", "b/1/x"), True),
        (("a/config.pbtxt", "a/1/x"), False),
        (("a/config.pbtxt", "a/1/x", "b/config.pbtxt"), False),
        (("a/config.pbtxt", "a/1/x", "b/config.pbtxt", "b/1/x", "scripts/x"), False),
        (("a/config.pbtxt", "a/1/x", "b/config.pbtxt", "b/1/x", "setup.py"), False),
    ],
)
def test_evident(names: tuple[str, ...], evident: bool, tmp_path: Path) -> None:
    """Several models with versions and nothing else."""
    make(tmp_path, *names)
    assert read(tmp_path).source.is_evident is evident


@pytest.mark.parametrize(
    ("having", "lacking", "told"), [(1, 1, True), (2, 1, True), (1, 2, False), (2, 3, False), (0, 2, False)]
)
def test_mostly(having: int, lacking: int, told: bool, tmp_path: Path) -> None:
    """Most of the others, or all of them."""
    for number in range(having):
        make(tmp_path, f"with{number}/config.pbtxt", f"with{number}/1/model.onnx")
    for number in range(lacking):
        make(tmp_path, f"without{number}/config.pbtxt")
    repository = read(tmp_path)
    if lacking:
        model = repository.by_name["without0"]
        assert (repository.source.versions_beside(model) is not None) is told
        assert (repository.source.file_beside(model) is not None) is told


@pytest.mark.parametrize(
    ("path", "text", "explained"),
    [
        (".gitignore", "*.onnx\n", True),
        (".gitignore", "# *.onnx\n!*.onnx\n*.plan\n", False),
        (".gitignore", "models/*/1/\n", True),
        ("resnet/.gitignore", "/1\n", True),
        (".gitattributes", "*.onnx filter=lfs diff=lfs merge=lfs -text\n", True),
        (".gitattributes", "*.onnx text\n", False),
        ("resnet/model.onnx.dvc", "", True),
        ("download_models.sh", "", True),
        ("resnet/labels.txt", "", False),
    ],
)
def test_explained(path: str, text: str, explained: bool, tmp_path: Path) -> None:
    """Ignored, in Git LFS or fetched by a script."""
    make(tmp_path, "resnet/config.pbtxt", ".git/HEAD")
    (tmp_path / path).write_text(text)
    repository = read(tmp_path)
    assert repository.source.explains(repository.by_name["resnet"], None, "model.onnx") is explained
