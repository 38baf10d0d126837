"""# TCB016 warmup-file

## What it finds
An `input_data_file` of a `model_warmup` sample that does not lie in the model's `warmup` folder, is a folder, or is
shorter than the tensor; one with another number of strings than the tensor has; or one that is a picture, a NumPy array
or an archive.

## Why it matters
Triton reads the raw bytes of the tensor from there while the model loads, as many as one row of the batch has,
whatever the `batch_size`. A missing or short file makes the model UNAVAILABLE, a folder **crashes the whole
server**. An image or a `.npy` file is not decoded: its bytes are taken for the tensor.

## Bad
```
# --deployed
# resnet/1/model.onnx
(the weights)
# resnet/warmup/zeros
AAAA
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] input_data_file: "zeros" } }
}
```

## Good
```
# --deployed
# resnet/1/model.onnx
(the weights)
# resnet/warmup/zeros
AAAAAAAAAAAA
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] input_data_file: "zeros" } }
}
```

## What Triton says
«failed to open text file for read …/resnet/warmup/zeros: No such file or directory», «warmup setting expects 12 bytes,
but the data provided from zeros only has 5 bytes», «expected 3 string elements for inference input 'x' for model
'resnet', got 2», «incomplete string length indicator»; a folder: «what():  basic_string::_M_replace_aux», signal 6

## Evidence
core `backend_model_instance.cc` `GenerateWarmupData`, 20.01 to 26.06; server#1796; loaded on real servers 22.11 to
24.10, of which only the last counts strings.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB016",
    name="warmup-file",
    title="A data file of a warmup sample that is missing, a folder, or too short",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("model_warmup", "instance_group", "backend", "platform"),
    only_with=("model_warmup",),
    refused=True,
    evidence=("core src/backend_model_instance.cc GenerateWarmupData, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Files of samples that are run."""
    groups = model.config.instance_group
    if model.is_ensemble or (groups and all(getattr(group, "passive", False) for group in groups)):
        return
    for index, sample in enumerate(model.config.model_warmup):
        if not sample.batch_size:
            continue
        for name in sorted(sample.inputs):
            entry = sample.inputs[name]
            if entry.WhichOneof("input_data_type") == "input_data_file":
                yield from _file(model, ("model_warmup", index, "inputs", name, "value"), entry)


def _file(model: Model, path: tuple[str | int, ...], entry: Any) -> Iterator[Finding]:
    found = model.data_file("warmup", entry.input_data_file)
    wanted = model.byte_size(entry.data_type, entry.dims)
    span = model.value_at(*path, "input_data_file")
    shown = f"`warmup/{entry.input_data_file}`"
    if found.state == "folder":
        yield RULE.finding(
            span,
            f"{shown} is a folder, and reading it crashes the whole server, with every other model",
            help="name a file with the raw bytes of the tensor",
            refused=False,
        )
    elif found.state == "missing":
        yield RULE.finding(
            span,
            f"{shown} is not there: the load fails" + ("" if model.deployed else ", unless the deployment adds it"),
            help="put a file with the raw bytes of the tensor there, or write `zero_data: true`",
            severity=Severity.ERROR if model.deployed else Severity.WARNING,
            confidence=Confidence.HIGH if model.deployed else Confidence.LOW,
            refused=model.deployed,
        )
    elif found.state != "file" or (found.is_placeholder and not model.deployed):
        return
    elif wanted is not None and found.size < wanted:
        yield RULE.finding(
            span,
            f"{shown} has {found.size} bytes, and the tensor has {wanted}: the load fails",
            help=f"write the {wanted} raw bytes of one row of the batch into the file",
        )
    elif model.type_name(entry.data_type) == "TYPE_STRING":
        yield from _strings(model, path, entry)
    elif found.kind in ("a picture", "a NumPy array", "a zip archive", "a gzip archive"):
        yield RULE.finding(
            span,
            f"{shown} is {found.kind}, and Triton takes its bytes as they are for the tensor",
            help="write the raw bytes of the tensor into the file, as `numpy.ndarray.tofile` does",
            severity=Severity.WARNING,
            refused=False,
        )


def _strings(model: Model, path: tuple[str | int, ...], entry: Any) -> Iterator[Finding]:
    """A tensor of strings: seen to be counted on 24.10, and not on 24.03."""
    wanted = 1
    for dim in entry.dims:
        wanted *= max(dim, 0)
    count = model.data_strings("warmup", entry.input_data_file, wanted)
    if count is None or count == wanted:
        return
    release = model.launch.release
    counted = release is None or release >= (24, 10)
    has = {-1: "is not a row of strings with their lengths", 0: "has no string"}.get(
        count, f"has {'more' if count > wanted else count} string{'' if count == 1 else 's'}"
    )
    yield RULE.finding(
        model.value_at(*path, "input_data_file"),
        f"`warmup/{entry.input_data_file}` {has}, and the tensor has {wanted}"
        + (": the load fails" if counted else ", which this release does not see"),
        help="write each string with its length before it, in four bytes, the lowest first",
        severity=Severity.ERROR if counted else Severity.WARNING,
        refused=counted,
    )
