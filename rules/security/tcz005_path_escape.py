"""# TCZ005 path-escape

## What it finds
A path with `..` in a configuration that leads out of the model's folder: `label_filename`, `default_model_filename`,
`cc_model_filenames`, `runtime`, the files of a warmup or of an initial state.

## Why it matters
Old releases follow such a path to any file of the machine; new ones refuse more and more of them: `runtime` from 24.01
on, `label_filename` from 26.02 on. Who copies the model's folder leaves the file behind.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
default_model_filename: "../../shared/model.onnx"
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing while the path is followed; that it «is outside model directory» for a `label_filename` from 26.02 on.

## Evidence
core `model.cc` `Model::Init` and `backend_model.cc` `GetBackendLibraryProperties`, 20.08 to 26.06; that labels are
followed was measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ005",
    name="path-escape",
    title="A path leads out of the model's folder",
    severity=Severity.WARNING,
    reads=("output", "default_model_filename", "cc_model_filenames", "runtime", "model_warmup", "sequence_batching"),
    evidence=("core src/model.cc Model::Init, src/backend_model.cc GetBackendLibraryProperties, 20.08-26.06",),
)

_Path = tuple[str | int, ...]


def check(model: Model) -> Iterator[Finding]:
    """Look at every path in the configuration; the text is looked at first, for few have one."""
    if ".." not in model.text:
        return
    for path, name, depth in _paths(model):
        if not _leaves(name, depth):
            continue
        release = model.launch.release
        if path[0] == "output" and release is not None and release >= (26, 2):
            continue  # refused: told by the rule about label files
        yield RULE.finding(
            model.value_at(*path),
            f"`{name}` leads out of the folder of `{model.name}`",
            help="put the file into the model's folder"
            + (": from 26.02 on Triton refuses the model" if path[0] == "output" else "")
            + (": from 24.01 on Triton refuses the model" if path[0] == "runtime" else ""),
            confidence=Confidence.HIGH,
        )


def _paths(model: Model) -> Iterator[tuple[_Path, str, int]]:
    """Every path, with how many folders below the model's it begins."""
    config = model.config
    for index, output in enumerate(config.output):
        yield ("output", index, "label_filename"), output.label_filename, 0
    yield ("default_model_filename",), config.default_model_filename, 1
    for key, name in config.cc_model_filenames.items():
        yield ("cc_model_filenames", key, "value"), name, 1
    yield ("runtime",), getattr(config, "runtime", ""), 0
    for index, sample in enumerate(config.model_warmup):
        for key, tensor in sample.inputs.items():
            yield ("model_warmup", index, "inputs", key, "value", "input_data_file"), tensor.input_data_file, 1
    for index, state in enumerate(getattr(config.sequence_batching, "state", ())):
        for at, initial in enumerate(getattr(state, "initial_state", ())):
            yield ("sequence_batching", "state", index, "initial_state", at, "data_file"), initial.data_file, 1


def _leaves(name: str, depth: int) -> bool:
    for part in name.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False
