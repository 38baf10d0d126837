"""Trees as projects keep them, by way of the command line: what is no fault there must not be called one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

PART = (
    'backend: "pytorch"\nmax_batch_size: 4\n'
    'input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }\n'
    'output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }\n'
)
TENSORS = (
    'input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }\noutput { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }\n'
)
STEPS = (
    "ensemble_scheduling {\n"
    '  step { model_name: "detect" model_version: -1\n'
    '    input_map { key: "x__0" value: "x" } output_map { key: "y__0" value: "y" } }\n'
    "}\n"
)
ENSEMBLE = f'platform: "ensemble"\nmax_batch_size: 4\n{TENSORS}{STEPS}'
LAUNCH = ("--launch", "tritonserver --model-repository=/models")


def found(run: Command, tree: Path, files: dict[str, str], *options: str) -> dict[str, str]:
    """The severity of each code that lint finds in a tree of these files."""
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    output = run("lint", ".", "--format", "json", *options, cwd=tree).stdout
    return {one["code"]: one["severity"] for one in json.loads(output)["findings"]}


def test_an_ensemble_in_a_version_folder_is_not_read(tritoncheck: Command, tmp_path: Path) -> None:
    """What it lacks is not told, for nobody reads it; that it lies there is."""
    files = {"models/detect/config.pbtxt": PART, "models/pipe/1/config.pbtxt": STEPS}
    severities = found(tritoncheck, tmp_path, files, "--select", "TCX,TCR018")
    assert severities == {"TCR018": "warning"}


@pytest.mark.parametrize(
    ("options", "severity"),
    [((), "warning"), (LAUNCH, "warning"), ((*LAUNCH, "--deployed"), "error")],
)
def test_a_step_in_another_repository_of_the_tree(
    options: tuple[str, ...], severity: str, tritoncheck: Command, tmp_path: Path
) -> None:
    """The deployment may put both into the one folder that the server is told of."""
    files = {"base/detect/config.pbtxt": PART, "more/pipe/config.pbtxt": ENSEMBLE}
    assert found(tritoncheck, tmp_path, files, *options)["TCX001"] == severity


def test_a_step_that_the_tree_has_nowhere(tritoncheck: Command, tmp_path: Path) -> None:
    """With the one repository that the server reads, nothing is left to hope for."""
    files = {"base/other/config.pbtxt": PART, "more/pipe/config.pbtxt": ENSEMBLE}
    assert found(tritoncheck, tmp_path, files, *LAUNCH)["TCX001"] == "error"


@pytest.mark.parametrize(
    ("files", "options", "severity"),
    [
        ({"config.pbtxt": "", ".git/HEAD": ""}, (), None),
        ({"config.pbtxt": "", "README.md": ""}, (), None),
        ({"config.pbtxt": "", ".git/HEAD": "", "1/model.pt": "weights"}, ("--deployed",), "error"),
        ({"TensorRT/config.pbtxt": ""}, (), "info"),
        ({"model/config.pbtxt": "", "model/1/model.pt": "weights"}, (), "warning"),
    ],
)
def test_a_name_unlike_the_folder(
    files: dict[str, str], options: tuple[str, ...], severity: str | None, tritoncheck: Command, tmp_path: Path
) -> None:
    """The less a folder looks like one that is served, the less its name says."""
    texts = {
        name: text or f'name: "resnet"\n{PART}' if name.endswith(".pbtxt") else text for name, text in files.items()
    }
    assert found(tritoncheck, tmp_path, texts, *options).get("TCR004") == severity
