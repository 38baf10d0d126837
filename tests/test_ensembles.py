"""Ensembles as a graph: circles, flows, streams and parts, where a table of fixtures would not show it."""

from __future__ import annotations

from pathlib import Path

from tests.cases import Case, run_case
from tritoncheck.deployment.launch import Launch
from tritoncheck.ensembles.circle import circles, way_back
from tritoncheck.ensembles.ensemble import Step
from tritoncheck.ensembles.flow import read_flow
from tritoncheck.lint import read_models
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.repository import read_repository

PART = (
    'backend: "pytorch"\ninput { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }\n'
    'output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }\n'
)


def _ensemble(*steps: tuple[str, str, str]) -> str:
    """An ensemble from `x` to `y`, by the model, the read and the written tensor of each step."""
    text = 'platform: "ensemble"\n' + PART.split("\n", 1)[1] + "ensemble_scheduling {\n"
    for name, read, written in steps:
        maps = f'input_map {{ key: "x" value: "{read}" }} output_map {{ key: "y" value: "{written}" }}'
        text += f'  step {{ model_name: "{name}" model_version: -1 {maps} }}\n'
    return text + "}\n"


def _models(folder: Path, texts: dict[str, str]) -> dict[str, Model]:
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "config.pbtxt").write_text(text)
    repository = Repository(read_repository(str(folder)), Launch())
    for one in repository.folder.models:
        repository.models += read_models(repository, one)
    return repository.by_name


def _step(number: int, inputs: str, outputs: str) -> Step:
    return Step(number, "m", -1, "", {key: key for key in inputs.split()}, {key: key for key in outputs.split()})


def test_circles() -> None:
    """Groups that reach each other; a chain of any length is none and does not exhaust the stack."""
    assert circles({1: [2], 2: [3], 3: [1], 4: [1], 5: [5], 6: []}) == [[3, 2, 1], [5]]
    assert circles({number: [number + 1] for number in range(50_000)}) == []
    assert way_back({1: [2, 3], 2: [4], 3: [1], 4: [1]}, 1, [1, 2, 3, 4]) == (1, 3, 1)
    assert way_back({1: [1]}, 1, [1]) == (1, 1)


def test_flow() -> None:
    """Each fault once, and not what follows from it."""
    flow = read_flow(["a"], ["c"], [_step(0, "b", "c"), _step(1, "a", "b")])
    assert flow.sound
    assert flow.order == (1, 0)
    flow = read_flow(["a"], ["d"], [_step(0, "a", "b"), _step(1, "lost", "c"), _step(2, "c b", "d")])
    assert [name for name, _ in flow.unwritten] == ["lost"]
    assert not flow.unused
    assert not flow.waiting
    flow = read_flow(["a"], ["d"], [_step(0, "a c", "b"), _step(1, "b", "c"), _step(2, "c", "d")])
    assert flow.waiting == (0, 1)
    assert not flow.unwritten


def test_long_chain_of_ensembles(tmp_path: Path) -> None:
    """Whether an ensemble is decoupled is asked of its parts, however deep these are nested."""
    texts = {f"e{number:04}": _ensemble((f"e{number + 1:04}", "x", "y")) for number in range(1500)}
    texts["e1500"] = PART + "model_transaction_policy { decoupled: true }\n"
    models = _models(tmp_path, texts)
    ensemble = models["e0000"].ensemble
    assert ensemble is not None
    assert ensemble.decoupled is True
    assert not ensemble.circular


def test_large_circle(tmp_path: Path) -> None:
    """A circle of many ensembles is found at each of them."""
    texts = {f"e{number}": _ensemble((f"e{(number + 1) % 300}", "x", "y")) for number in range(300)}
    report = run_case(Case("circle", files={f"{name}/config.pbtxt": text for name, text in texts.items()}), tmp_path)
    assert sum(one.rule.code == "TCX003" for one in report.findings) == 300


def test_a_lone_model_knows_nothing_of_its_neighbours(tmp_path: Path) -> None:
    """Where only one model is looked at, its parts are unknown and not missing."""
    models = _models(tmp_path, {"pipe": _ensemble(("a", "x", "y"))})
    models["pipe"].repository.folder.alone = True
    ensemble = models["pipe"].ensemble
    assert ensemble is not None
    assert [place.missing for place in ensemble.places] == [False]


def test_parts_that_complete_themselves(tmp_path: Path) -> None:
    """What a backend may fill in is unknown, not empty."""
    texts = {
        "trt": 'backend: "tensorrt"\n',
        "onnx": PART.replace("pytorch", "onnxruntime"),
        "half": PART.replace("pytorch", "onnxruntime").split("output")[0],
        "own": PART.replace("pytorch", "mine"),
        "python": PART.replace("pytorch", "python"),
    }
    parts = {name: model.part for name, model in _models(tmp_path, texts).items()}
    assert {name: part.exact for name, part in parts.items()} == {
        "trt": False,
        "onnx": True,
        "half": False,
        "own": False,
        "python": False,
    }
    assert {name: part.max_batch for name, part in parts.items()} == {
        "trt": None,
        "onnx": 0,
        "half": None,
        "own": None,
        "python": None,
    }
    assert not parts["half"].inputs
    assert set(parts["own"].inputs) == {"x"}
