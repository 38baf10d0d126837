"""# TCH005 format-rank

## What it finds
An input with `format: FORMAT_NHWC` or `FORMAT_NCHW` whose `dims` are not exactly three; and a tensor of a TensorRT
model with `is_non_linear_format_io` and another number of `dims`.

## Why it matters
Triton refuses the model. The format speaks of height, width and channels; the N is the batch dimension, which `dims`
leaves out. A model without batching that has the N in its `dims` cannot use these formats.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 1, 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«model input NHWC/NCHW require 3 dims for net», «Non-linear IO format input requires 3 dims for net»

## Evidence
core `model_config_utils.cc` `ValidateModelInput`, `ValidateModelOutput`, 20.01 to 26.06; loaded on real servers 22.11
to 24.10, where only `dims` counts, not `reshape`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH005",
    name="format-rank",
    title="NHWC, NCHW or a non-linear format with another number of dimensions than three",
    severity=Severity.ERROR,
    reads=("input", "output"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelInput, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("input", "output"),
)

NAMES = {1: "FORMAT_NHWC", 2: "FORMAT_NCHW"}


def check(model: Model) -> Iterator[Finding]:
    """Every input with a format and dims that do not fit it."""
    for index, tensor in enumerate(model.config.input):
        if tensor.format in NAMES and tensor.dims and len(tensor.dims) != 3:
            yield RULE.finding(
                model.at("input", index, "format"),
                f"`{NAMES[tensor.format]}` needs three `dims`, and input `{tensor.name}` has {len(tensor.dims)}: Triton"
                " refuses the model",
                help="delete `format`: most backends do not read it"
                if len(tensor.dims) != 4 or not model.config.max_batch_size
                else "leave the batch dimension out of `dims`, or delete `format`",
            )
    if model.backend.name == "tensorrt" or model.config.platform == "tensorrt_plan":
        yield from _non_linear(model)


def _non_linear(model: Model) -> Iterator[Finding]:
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            if getattr(tensor, "is_non_linear_format_io", False) and tensor.dims and len(tensor.dims) != 3:
                yield RULE.finding(
                    model.at(kind, index, "is_non_linear_format_io"),
                    f"`is_non_linear_format_io` needs three `dims`, and {kind} `{tensor.name}` has {len(tensor.dims)}:"
                    " Triton refuses the model",
                    help="write the three dimensions of the engine's tensor, without that of the batch",
                )
