"""# TCB006 max-batch-implicit

## What it finds
An ONNX, OpenVINO or TensorFlow model whose configuration leaves `max_batch_size`, inputs and outputs to auto-complete.

## Why it matters
If the first dimension of every tensor of the model varies, the backend sets `max_batch_size` to 4, whatever the model
could take, and adds `dynamic_batching`; with auto-complete off it is 0 and nothing is batched. Written down, it stays
what it is.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 32
dynamic_batching { }
```

## What Triton says
Nothing; `/v2/models/resnet/config` shows `max_batch_size: 4`.

## Evidence
onnxruntime_backend `onnxruntime.cc` `AutoCompleteMaxBatch`, openvino_backend, tensorflow_backend, 22.05 to 26.06;
server `command_line_parser.cc`, `--backend-config=default-max-batch-size`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, OnnxTensor, Rule, Severity

RULE = Rule(
    code="TCB006",
    name="max-batch-implicit",
    title="`max_batch_size` is left to auto-complete, which may set 4",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    needs=("config", "launch"),
    reads=("max_batch_size", "input", "output", "backend", "platform", "default_model_filename"),
    since=(22, 5),
    evidence=("onnxruntime_backend src/onnxruntime.cc AutoCompleteMaxBatch, 22.05-26.06",),
)

_BACKENDS = ("onnxruntime", "openvino", "tensorflow")


def check(model: Model) -> Iterator[Finding]:
    """A configuration that leaves all of it open, and a server that is not told another default."""
    config = model.config
    if config.max_batch_size or config.input or config.output or model.backend.name not in _BACKENDS:
        return
    if model.is_final or not model.config_path or model.written("max_batch_size"):
        return
    if any("default-max-batch-size" in value for value in model.launch.all("backend-config")):
        return
    files = [file.content for file in model.opened.onnx if not file.content.fault]
    if files and any(_fixed(tensor) for onnx in files for tensor in (*onnx.inputs, *onnx.outputs)):
        return  # the file says that there is no batching
    yield RULE.finding(
        model.at(),
        "`max_batch_size` is not set: 4 if the first dimension of every tensor of the model varies, else 0",
        help="write `max_batch_size`: the largest batch that the model can take, or 0",
    )


def _fixed(tensor: OnnxTensor) -> bool:
    """Whether the first dimension of a tensor is known not to vary."""
    return tensor.shape is not None and (not tensor.shape or tensor.shape[0] != -1)
