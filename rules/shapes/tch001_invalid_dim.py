"""# TCH001 invalid-dim

## What it finds
A dimension of an input or output that is 0 or below -1.

## Why it matters
Triton refuses the model. A dimension that varies is written -1; the batch dimension is not written at all where
`max_batch_size` is above 0.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 0, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«model input dimension must be integer >= 1, or -1 to indicate a variable-size dimension for resnet»

## Evidence
core `model_config_utils.cc` `ValidateIOShape`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH001",
    name="invalid-dim",
    title="A dimension that is 0 or below -1",
    severity=Severity.ERROR,
    needs=("config", "files", "modelfile"),
    reads=("input", "output"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateIOShape, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at every dimension of every input and output."""
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            for place, dim in enumerate(tensor.dims):
                if dim < -1 or dim == 0:
                    yield RULE.finding(
                        model.at(kind, index, "dims", place),
                        f"dimension {dim} of {kind} `{tensor.name}`: only numbers from 1 on, or -1 for a size that "
                        "varies, are allowed, and Triton refuses the model",
                        help=_there(model, kind, tensor.name, len(tensor.dims), place)
                        or "write -1 if the size varies from request to request, else the size",
                    )


def _there(model: Model, kind: str, name: str, rank: int, place: int) -> str:
    """What to write, where the ONNX file says it: `dims` go without the batch dimension where the model batches."""
    for file in model.opened.onnx:
        for tensor in getattr(file.content, f"{kind}s"):
            shape = (tensor.shape or ())[1 if model.config.max_batch_size > 0 else 0 :]
            if tensor.name == name and len(shape) == rank:
                return f"write {shape[place]}, as in `{file.name}`"
    return ""
