"""# TCH004 no-batch-dim

## What it finds
A model without batching (`max_batch_size: 0`) whose inputs and outputs all begin with a dimension of 1.

## Why it matters
A first dimension of 1 everywhere is usually the batch dimension of the exported model, written into `dims`. Triton
then sends requests one by one and never joins them. If the model was exported with a variable batch dimension, it can
serve several requests at once. If it was exported for one image only, all is well.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 0
input { name: "x" data_type: TYPE_FP32 dims: [ 1, 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1, 1000 ] }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` and `docs/user_guide/model_configuration.md`, 20.01 to 26.06: with `max_batch_size` 0 the
dims are all that the model has, and no batcher joins requests.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH004",
    name="no-batch-dim",
    title="Every tensor begins with a dimension of 1, and batching is off",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=("input", "output", "max_batch_size", "backend", "platform"),
    evidence=("docs user_guide/model_configuration.md, 20.01-26.06",),
    only_with=("input",),
)

BATCHING = frozenset(("onnxruntime", "tensorrt", "pytorch", "openvino", "tensorflow"))


def check(model: Model) -> Iterator[Finding]:
    """One finding, at the first tensor."""
    config = model.config
    tensors = [*config.input, *config.output]
    if config.max_batch_size or not config.input or not config.output or model.backend.name not in BATCHING:
        return
    if config.WhichOneof("scheduling_choice") == "dynamic_batching":
        return  # That it has no effect is what TCB002 says.
    if all(len(one.dims) > 1 and one.dims[0] == 1 for one in tensors):
        yield RULE.finding(
            model.at("input", 0, "dims", 0),
            "every input and output begins with a dimension of 1 and `max_batch_size` is 0: if that is the batch"
            " dimension of the model, Triton never joins requests",
            help="if the model takes several at once, leave the 1 out of all `dims` and set `max_batch_size`",
        )
