"""# TCH007 backend-data-type

## What it finds
An input or output with a data type that the model's backend does not have.

## Why it matters
The backend refuses the model while it loads. TensorRT has no 64-bit floats and no strings, PyTorch no unsigned
integers wider than 8 bits and no BF16 in Triton, OpenVINO no FP64, BF16 or strings, ONNX Runtime no BF16 before 26.03.

## Bad
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP64 dims: [ 16 ] }
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
«unsupported datatype TYPE_FP64 for tensor 'x' for model 'net'» and the like, by each backend in its own words.

## Evidence
tensorrt_backend `tensorrt_utils.cc`, pytorch_backend `libtorch_utils.cc`, openvino_backend `openvino_utils.cc`,
onnxruntime_backend `onnxruntime_utils.cc`: the tables of data types, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, listing, release_tag

RULE = Rule(
    code="TCH007",
    name="backend-data-type",
    title="A data type that the backend does not have",
    severity=Severity.ERROR,
    reads=("input", "output", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=(
        "tensorrt_backend src/tensorrt_utils.cc, 22.12-26.06",
        "pytorch_backend src/libtorch_utils.cc, 22.12-26.06",
        "openvino_backend src/openvino_utils.cc, 22.12-26.06",
        "onnxruntime_backend src/onnxruntime_utils.cc, 22.12-26.06",
    ),
)

# What each lacks in every release that was read. Types that came or went (INT64, UINT8 of TensorRT) are left out.
LACKS = {
    "tensorrt": ("TYPE_UINT16", "TYPE_UINT32", "TYPE_UINT64", "TYPE_INT16", "TYPE_FP64", "TYPE_STRING"),
    "pytorch": ("TYPE_UINT16", "TYPE_UINT32", "TYPE_UINT64", "TYPE_BF16"),
    "openvino": ("TYPE_FP64", "TYPE_BF16", "TYPE_STRING"),
}
ORT_BF16 = (26, 3)


def check(model: Model) -> Iterator[Finding]:
    """Every tensor of a type that its backend lacks."""
    lacks = LACKS.get(model.backend.name, ())
    release = model.launch.release
    if model.backend.name == "onnxruntime" and release is not None and release < ORT_BF16:
        lacks = ("TYPE_BF16",)
    if not lacks:
        return
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            names = tensor.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number
            name = names[tensor.data_type].name if tensor.data_type in names else ""
            if name in lacks:
                when = f" of {release_tag(release)}" if name == "TYPE_BF16" and release else ""
                yield RULE.finding(
                    model.at(kind, index, "data_type"),
                    f"the {model.backend.name} backend{when} has no {name}: it refuses the model for {kind}"
                    f" `{tensor.name}`",
                    help=f"write the type that the model really has; this backend lacks {listing(lacks, most=6)}",
                )
