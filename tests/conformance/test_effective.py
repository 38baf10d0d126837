"""The effective configuration against what a real core answers for the same model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, text_format

from tests.binaries import content
from tests.conformance.core import Core
from tritoncheck.deployment.launch import Launch
from tritoncheck.effective import effective
from tritoncheck.lint import read_models
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.report.effective import render
from tritoncheck.repository import read_repository
from tritoncheck.schema.descriptors import model_config_class

IO = 'input { name: "a__0" data_type: TYPE_FP32 dims: [ 1 ] } output { name: "b__0" data_type: TYPE_FP32 dims: [ 1 ] }'
STEP = 'model_name: "identity" model_version: -1'
MAPS = 'input_map { key: "a__0" value: "a__0" } output_map { key: "b__0" value: "b__0" }'
CASES = {
    "identity": f'backend: "identity" {IO}',
    "plan": 'backend: "tensorrt"',
    "plan_platform": 'platform: "tensorrt_plan" max_batch_size: 8 dynamic_batching { }',
    "plan_named": 'backend: "tensorrt" default_model_filename: "x.plan"',
    "onnx": 'backend: "onnxruntime" max_batch_size: 4',
    "onnx_cpu": 'backend: "onnxruntime" instance_group [ { kind: KIND_CPU }, { kind: KIND_CPU count: 3 name: "n" } ]',
    "onnx_file": "max_batch_size: 2",
    "onnx_by_name": 'default_model_filename: "model.onnx"',
    "torch": f'backend: "pytorch" {IO}',
    "torch_platform": f'platform: "pytorch_libtorch" {IO}',
    "openvino": 'backend: "openvino"',
    "saved": 'platform: "tensorflow_savedmodel"',
    "oldest": 'backend: "onnxruntime" max_batch_size: 4 sequence_batching { oldest { max_candidate_sequences: 4 } }',
    "direct": 'backend: "onnxruntime" max_batch_size: 4 sequence_batching { direct { } }',
    "pinned": 'backend: "identity" optimization { input_pinned_memory { } priority: PRIORITY_MAX }',
    "policy": 'backend: "identity" version_policy { latest { num_versions: 2 } } metric_tags { key: "k" value: "v" }',
    "levels": 'backend: "identity" max_batch_size: 3 dynamic_batching { priority_levels: 2 default_priority_level: 1 }',
    "whole": f'platform: "ensemble" {IO} ensemble_scheduling {{ step {{ {STEP} {MAPS} }} }}',
    "parameters": 'backend: "identity" parameters { key: "k\\"\\t" value { string_value: "\\303\\244 \\n" } }',
}


def models(folder: Path, launch: Launch) -> dict[str, Model]:
    """The models of a repository."""
    repository = Repository(read_repository(str(folder), str(folder)), launch)
    return {one.name: model for one in repository.folder.models for model in read_models(repository, one)}


def make(folder: Path) -> None:
    """Write all cases."""
    for name, text in CASES.items():
        (folder / name / "1").mkdir(parents=True)
        (folder / name / "config.pbtxt").write_text(text + "\n")
    (folder / "onnx_file" / "1" / "model.onnx").touch()


def without_host(message: Any) -> Any:
    """What does not depend on the GPUs of the machine."""
    for group in message.instance_group:
        for name in ("kind", "gpus", "count"):
            group.ClearField(name)
    return message


def test_as_the_core_has_it(core: Core) -> None:
    kind = model_config_class((24, 10))
    make(core.repository)
    # The stub backends complete nothing, so the core answers what it fills in itself.
    flags = (("disable-auto-complete-config", ""),)
    ours = models(core.repository, Launch(release=(24, 10), flags_known=True, flags=flags))
    for name in CASES:
        theirs = core.configuration(name)
        text = render(effective(ours[name]), "x")
        assert without_host(text_format.Parse(text, kind())) == without_host(
            json_format.ParseDict(json.loads(theirs), kind())
        ), name


def test_everything_filled_in_is_marked(tmp_path: Path) -> None:
    make(tmp_path)
    for name, model in models(tmp_path, Launch()).items():
        found = effective(model)
        text = render(found, name)
        assert text.count("# filled in:") == len(found.completed), name
        read: Any = text_format.Parse(text, model_config_class()())
        assert read.name == name
        for path in found.completed:
            assert not model.written(*path), (name, path)


@pytest.mark.parametrize(("shape", "batch", "dims"), [("batch,3", 4, [3]), ("2,3", 0, [2, 3]), ("-1", 4, [1])])
def test_tensors_of_an_onnx_file(shape: str, batch: int, dims: list[int], tmp_path: Path) -> None:
    (tmp_path / "net" / "1").mkdir(parents=True)
    (tmp_path / "net" / "1" / "model.onnx").write_bytes(content(f"(onnx: x FP32[{shape}] -> y INT64[{shape}])"))
    (tmp_path / "net" / "config.pbtxt").write_text("")
    found = effective(models(tmp_path, Launch())["net"])
    assert found.message.max_batch_size == batch
    assert [(one.name, one.data_type, list(one.dims)) for one in found.message.input] == [("x", 11, dims)]
    assert found.message.output[0].HasField("reshape") == (shape == "-1")
    assert found.message.HasField("dynamic_batching") == bool(batch)
    assert not found.unknown
    (tmp_path / "net" / "config.pbtxt").write_text(IO)
    assert effective(models(tmp_path, Launch())["net"]).message.max_batch_size == 0


def test_command(tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = tritoncheck("lint", "fixtures/repositories/nv12/vlm_main", "--show-effective")
    assert done.returncode == 0
    assert done.stdout.startswith("# fixtures/repositories/nv12/vlm_main/config.pbtxt\n")
    assert 'platform: "onnxruntime_onnx"  # filled in: `backend`' in done.stdout
    assert "depth_main" not in done.stdout
