"""# TCH008 optional-backend

## What it finds
`optional: true` on an input of a TensorRT, PyTorch, OpenVINO or TensorFlow model.

## Why it matters
Triton refuses the model: only ONNX Runtime, Python and a few others take requests without one of the inputs.

## Bad
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] optional: true }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
«'optional' is set to true for input 'x' while the backend model doesn't support optional input»

## Evidence
backend `src/backend_model.cc` `BackendModel`, constructed with support for optional inputs by onnxruntime, python and
identity only; backends read in 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCH008",
    name="optional-backend",
    title="An optional input on a backend that has none",
    severity=Severity.ERROR,
    reads=("input", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("tensorrt_backend, pytorch_backend, openvino_backend src: BackendModel without optional, 22.12-26.06",),
    only_with=("input",),
)

REFUSE = frozenset(("tensorrt", "pytorch", "openvino", "tensorflow"))


def check(model: Model) -> Iterator[Finding]:
    """Every optional input."""
    if model.backend.name not in REFUSE:
        return
    for index, tensor in enumerate(model.config.input):
        if getattr(tensor, "optional", False):
            edits = model.deletion("input", index, "optional")
            yield RULE.finding(
                model.at("input", index, "optional"),
                f"the {model.backend.name} backend takes no optional inputs: it refuses the model for `{tensor.name}`",
                help="delete `optional`, and have clients send a default",
                fix=Fix("delete `optional`", edits, safe=True) if edits else None,
            )
