"""# TCH013 pytorch-string

## What it finds
A PyTorch tensor of `TYPE_STRING` with another number of `dims` than one.

## Why it matters
A TorchScript model gets strings as a list of `str`, so the backend takes one dimension only and refuses the model.

## Bad
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "text__0" data_type: TYPE_STRING dims: [ 2, 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "text__0" data_type: TYPE_STRING dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
«Triton only supports 1 dimensional List of String as input for 'text__0' for model 'net'»

## Evidence
pytorch_backend `libtorch.cc` `ValidateInputs`, `ValidateOutputs`, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH013",
    name="pytorch-string",
    title="A PyTorch string tensor that is not one-dimensional",
    severity=Severity.ERROR,
    reads=("input", "output", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("pytorch_backend src/libtorch.cc ValidateInputs, 22.12-26.06",),
    backends=("pytorch",),
)

STRING = 13


def check(model: Model) -> Iterator[Finding]:
    """Every string tensor of another rank."""
    if model.backend.name != "pytorch" or model.backend.platform == "torch_aoti":
        return
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            if tensor.data_type == STRING and len(tensor.dims) > 1:
                yield RULE.finding(
                    model.at(kind, index, "dims"),
                    f"{kind} `{tensor.name}` holds strings in {len(tensor.dims)} dimensions, and the pytorch backend"
                    " takes one: it refuses the model",
                    help="write one dimension, such as `dims: [ -1 ]`",
                )
