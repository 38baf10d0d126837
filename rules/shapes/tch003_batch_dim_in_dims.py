"""# TCH003 batch-dim-in-dims

## What it finds
A model with `max_batch_size` above 0 whose `dims` all begin with -1 and look like a whole batch of images:
`[ -1, 3, 224, 224 ]`.

## Why it matters
Where `max_batch_size` is above 0, Triton puts the batch dimension before the `dims`. A batch dimension that is
written out as well is there twice; the backend compares the ranks with those of the model and refuses it. A model
whose tensors really have such a shape besides the batch, videos for instance, is right.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ -1, 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ -1, 1000 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
ONNX Runtime: «unexpected shape for input 'x', model configuration shape is [-1,-1,3,224,224]»; TensorRT: «the model
expects 4 dimensions … but the model configuration specifies 5 dimensions».

## Evidence
core `model_config_utils.cc` and the checks of the onnxruntime, tensorrt, openvino and tensorflow backends, 20.01 to
26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCH003",
    name="batch-dim-in-dims",
    title="The batch dimension seems to be written out in `dims`",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("input", "output", "max_batch_size", "backend", "platform"),
    evidence=("onnxruntime_backend src/onnxruntime.cc, tensorrt_backend src/instance_state.cc, 20.01-26.06",),
    only_with=("input",),
    backends=("onnxruntime", "tensorrt", "openvino", "tensorflow"),
)

# Backends that compare the shapes of the configuration with those of the model.
_COMPARE = frozenset(("onnxruntime", "tensorrt", "openvino", "tensorflow"))
_CHANNELS = (1, 3, 4)


def check(model: Model) -> Iterator[Finding]:
    """Every tensor must begin with -1, and one must look like a batch of images."""
    config = model.config
    if config.max_batch_size < 1 or model.backend.name not in _COMPARE or not config.input or not config.output:
        return
    tensors = [*config.input, *config.output]
    if any(not tensor.dims or tensor.dims[0] != -1 or tensor.HasField("reshape") for tensor in tensors):
        return
    index = next((place for place, tensor in enumerate(config.input) if _is_image_batch(list(tensor.dims))), None)
    if index is None or any(tensor.allow_ragged_batch for tensor in config.input):
        return
    if any(not file.content.fault for file in model.opened.onnx):
        return  # the file is there, and another rule compares with it
    dims = list(config.input[index].dims)
    yield RULE.finding(
        model.at("input", index, "dims"),
        f"`dims` of input `{config.input[index].name}` looks like it has the batch dimension in it, and Triton puts "
        f"one before it: the model would take [ -1, {', '.join(map(str, dims))} ]",
        help=f"write `dims: [ {', '.join(map(str, dims[1:]))} ]` and leave the first -1 out of every other `dims` too; "
        "if the model really has five dimensions, this is right as it is",
        related=[Related("this adds the batch dimension", model.at("max_batch_size"))],
    )


def _is_image_batch(dims: list[int]) -> bool:
    if len(dims) != 4:
        return False
    first, last = dims[1] in _CHANNELS, dims[3] in _CHANNELS
    return (first and all(dim == -1 or dim > 4 for dim in dims[2:])) or (
        last and all(dim == -1 or dim > 4 for dim in dims[1:3])
    )
