"""# TCH018 incomplete-tensor

## What it finds
An input or output without a name, a data type or dims, where nothing fills them in.

## Why it matters
Triton refuses the model. Some backends complete a configuration from the model file, but PyTorch and ensembles never,
ONNX Runtime not as soon as one input and one output are written, and none with `--disable-auto-complete-config`.

## Bad
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
«model input must specify 'dims' for net», «model output must specify 'data_type' for net», «model input must specify
'name' for net»

## Evidence
core `model_config_utils.cc` `ValidateModelInput`, `ValidateModelOutput`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCH018",
    name="incomplete-tensor",
    title="An input or output without name, data type or dims",
    severity=Severity.ERROR,
    reads=("input", "output", "backend", "platform", "default_model_filename", "ensemble_scheduling"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelInput, 20.01-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Every tensor that lacks something and will not get it."""
    if not model.is_final:
        return
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            lacks = [name for name in ("name", "data_type", "dims") if not getattr(tensor, name)]
            if lacks:
                what = f"{kind} `{tensor.name}`" if tensor.name else f"an {kind}"
                yield RULE.finding(
                    model.at(kind, index),
                    f"{what} has no {listing(lacks)}, and nothing fills that in: Triton refuses the model",
                    help=f"write {listing(lacks)}" + (", `dims: [ 1 ]` for a scalar" if "dims" in lacks else ""),
                )
