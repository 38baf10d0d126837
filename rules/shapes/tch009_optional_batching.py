"""# TCH009 optional-batching

## What it finds
An optional input of an ONNX model with batching, or one that is also ragged.

## Why it matters
ONNX Runtime's backend takes optional inputs only where nothing is batched: it refuses the model.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input [
  { name: "x" data_type: TYPE_FP32 dims: [ 16 ] },
  { name: "mask" data_type: TYPE_FP32 dims: [ 16 ] optional: true }
]
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 0
input [
  { name: "x" data_type: TYPE_FP32 dims: [ -1, 16 ] },
  { name: "mask" data_type: TYPE_FP32 dims: [ -1, 16 ] optional: true }
]
output { name: "y" data_type: TYPE_FP32 dims: [ -1, 4 ] }
```

## What Triton says
«optional input is not supported for models that support batching»

## Evidence
onnxruntime_backend `onnxruntime.cc` `ValidateInputs`, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH009",
    name="optional-batching",
    title="An optional input of an ONNX model with batching",
    severity=Severity.ERROR,
    reads=("input", "max_batch_size", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime.cc ValidateInputs, 22.12-26.06",),
    only_with=("input",),
)


def check(model: Model) -> Iterator[Finding]:
    """Every optional input that is batched or ragged."""
    if model.backend.name != "onnxruntime":
        return
    for index, tensor in enumerate(model.config.input):
        ragged = tensor.allow_ragged_batch
        if getattr(tensor, "optional", False) and (ragged or model.config.max_batch_size > 0):
            reason = "ragged" if ragged else "batched"
            yield RULE.finding(
                model.at("input", index, "optional"),
                f"input `{tensor.name}` is optional and {reason}: the onnxruntime backend refuses the model",
                help="set `max_batch_size: 0` with the batch dimension in all `dims`, or make the input required",
            )
