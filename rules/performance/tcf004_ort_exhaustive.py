"""# TCF004 ort-exhaustive

## What it finds
An ONNX model on a GPU with convolutions and an input whose height, width or length varies, where the parameter
`cudnn_conv_algo_search` is not set.

## Why it matters
By default ONNX Runtime has cuDNN try all algorithms for each convolution and each shape that is new to it. With inputs
of many sizes that is done again and again: the first request of each size takes much longer than those after it.

## Bad
```
# detector/1/model.onnx
(onnx: images FP32[n,3,h,w] -> boxes FP32[n,100]; operators Conv, Relu)
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "images" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "boxes" data_type: TYPE_FP32 dims: [ 100 ] }
instance_group { kind: KIND_GPU }
```

## Good
```
# detector/1/model.onnx
(onnx: images FP32[n,3,h,w] -> boxes FP32[n,100]; operators Conv, Relu)
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "images" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "boxes" data_type: TYPE_FP32 dims: [ 100 ] }
instance_group { kind: KIND_GPU }
parameters { key: "cudnn_conv_algo_search" value { string_value: "1" } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `src/onnxruntime.cc`, read in the branch of 26.03: `EXHAUSTIVE` where the parameter is absent; 0, 1
and 2 are taken. How long a search takes was not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, OnnxModel, OpenedFile, Related, Rule, Severity

RULE = Rule(
    code="TCF004",
    name="ort-exhaustive",
    title="Convolutions look for an algorithm for each new size of the input",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    needs=("config", "launch", "modelfile"),
    reads=("instance_group", "parameters", "optimization", "max_batch_size", "input"),
    evidence=("onnxruntime_backend src/onnxruntime.cc cudnn_conv_algo_search, 26.03",),
    backends=("onnxruntime",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for the model, at its first such input."""
    config = model.config
    if not model.opened.onnx:
        return
    if "cudnn_conv_algo_search" in config.parameters or not _on_gpu(model):
        return
    if config.optimization.execution_accelerators.gpu_execution_accelerator:
        return
    for file in model.opened.onnx:
        varying = _varying(model, file)
        if varying is None or not model.contents.convolves(file.path):
            continue
        name, index = varying
        yield RULE.finding(
            model.at() if index is None else model.at("input", index, "dims"),
            f"`{name}` varies in size, and the convolutions of `{file.name}` are searched anew for each size",
            help='write `parameters { key: "cudnn_conv_algo_search" value { string_value: "1" } }`, and measure',
            related=[Related("the model", file.span())],
        )
        return


def _on_gpu(model: Model) -> bool:
    """Whether an instance is known to be on a GPU: by its kind, or since the server is known to have one."""
    groups = model.config.instance_group
    if any(group.kind == group.KIND_GPU for group in groups):
        return True
    return bool(model.repository.gpu_count) and (not groups or any(group.kind == group.KIND_AUTO for group in groups))


def _varying(model: Model, file: OpenedFile[OnnxModel]) -> tuple[str, int | None] | None:
    """The first input with a spatial dimension that varies, in the file and in the configuration."""
    written = {tensor.name: (index, tensor) for index, tensor in enumerate(model.config.input)}
    for one in file.content.inputs:
        shape = one.shape or ()
        if len(shape) < 3 or -1 not in shape[2:]:
            continue
        if one.name not in written:
            return one.name, None
        index, tensor = written[one.name]
        dims = (tensor.reshape.shape or tensor.dims) if tensor.HasField("reshape") else tensor.dims
        if not dims or -1 in dims[1 if model.config.max_batch_size else 2 :]:
            return one.name, index
    return None
