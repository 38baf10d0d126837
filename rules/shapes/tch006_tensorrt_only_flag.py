"""# TCH006 tensorrt-only-flag

## What it finds
`is_shape_tensor: true` or `is_non_linear_format_io: true` in a model that is not TensorRT's.

## Why it matters
Triton refuses the model. Both speak of bindings of a TensorRT engine; other backends have nothing like it.

## Bad
```
# net/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
input { name: "x" data_type: TYPE_INT32 dims: [ 2 ] is_shape_tensor: true }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# net/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
input { name: "x" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«shape tensors are only supported for TensorRT platform for net», «Non-linear IO format is only supported for the
TensorRT platform»

## Evidence
core `model_config_utils.cc` `ValidateModelInput`, `ValidateModelOutput`, 20.01 to 26.06 (`is_non_linear_format_io`
from 24.08 on); loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCH006",
    name="tensorrt-only-flag",
    title="A flag of TensorRT bindings in a model of another backend",
    severity=Severity.ERROR,
    reads=("input", "output", "backend", "platform"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelInput, 20.01-26.06", "measured on 22.11-24.10"),
)

FLAGS = ("is_shape_tensor", "is_non_linear_format_io")


def check(model: Model) -> Iterator[Finding]:
    """Every tensor with one of the flags, where the backend is known to be another."""
    # From 23.07 on, `openvino` and `python` may stand with the platform of TensorRT, which is what is looked at.
    if model.backend.name in ("", "tensorrt") or model.config.platform == "tensorrt_plan":
        return
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            for flag in FLAGS:
                if getattr(tensor, flag, False):
                    edits = model.deletion(kind, index, flag)
                    yield RULE.finding(
                        model.at(kind, index, flag),
                        f"`{flag}` is for TensorRT only, and this model is served by `{model.backend.name}`: Triton"
                        " refuses it",
                        help=f"delete `{flag}`",
                        fix=Fix(f"delete `{flag}`", edits, safe=True) if edits else None,
                    )
