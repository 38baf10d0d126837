"""# TCH020 onnx-unusable-tensor

## What it finds
An ONNX file with an input or output that Triton has no type for: a sequence or a map, or a tensor of complex, 8-bit
float or 4-bit numbers; bfloat16 before 26.03.

## Why it matters
The backend looks at every input and output of the file, also at those that no configuration names, and refuses the
model at the first that is no tensor. Classifiers converted from scikit-learn have one: their probabilities are a
sequence of maps.

## Bad
```
# iris/1/model.onnx
(onnx: x FP32[n,4] -> label INT64[n], output_probability SEQUENCE)
# iris/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# iris/1/model.onnx
(onnx: x FP32[n,4] -> label INT64[n], probabilities FP32[n,3])
# iris/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Unsupported ONNX Type 'ONNX_TYPE_SEQUENCE' for I/O 'output_probability', expected 'ONNX_TYPE_TENSOR'.»

## Evidence
onnxruntime_backend `onnxruntime_utils.cc` `InputOutputInfos` and `ConvertFromOnnxDataType`, 20.08 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, OnnxModel, OnnxTensor, OpenedFile, Rule, Severity

RULE = Rule(
    code="TCH020",
    name="onnx-unusable-tensor",
    title="An ONNX file has an input or output that Triton has no type for",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime_utils.cc InputOutputInfos, 20.08-26.06",),
    backends=("onnxruntime",),
)

# Number of the element type -> its name (onnx `onnx.proto`, TensorProto.DataType).
_NAMES = {14: "complex64", 15: "complex128", 16: "bfloat16", 21: "uint4", 22: "int4", 23: "float4e2m1"}
_BF16 = 16


def check(model: Model) -> Iterator[Finding]:
    """Look at all that goes in and out of the file of each version that loads."""
    early = model.launch.release is not None and model.launch.release < (26, 3)
    for file in model.opened.onnx:
        onnx = file.content
        for field, tensors in (("input", onnx.inputs), ("output", onnx.outputs)):
            for tensor in tensors:
                if tensor.kind and tensor.kind != "tensor":
                    yield _no_tensor(file, field, tensor)
                elif tensor.element and (not tensor.data_type or (tensor.element == _BF16 and early)):
                    yield _no_type(model, file, field, tensor)


def _no_tensor(file: OpenedFile[OnnxModel], field: str, tensor: OnnxTensor) -> Finding:
    return RULE.finding(
        file.span(),
        f"{field} `{tensor.name}` of `{file.name}` is a {tensor.kind}, no tensor: Triton refuses the model",
        help="convert the model so that it has tensors only (of scikit-learn: `zipmap=False`), or cut that output off",
    )


def _no_type(model: Model, file: OpenedFile[OnnxModel], field: str, tensor: OnnxTensor) -> Finding:
    name = _NAMES.get(tensor.element, "an 8-bit float" if 17 <= tensor.element <= 20 else f"type {tensor.element}")
    named = any(one.name == tensor.name for one in (*model.config.input, *model.config.output))
    since = ", which the onnxruntime backend has from 26.03 on" if tensor.element == _BF16 else ""
    return RULE.finding(
        file.span(),
        f"{field} `{tensor.name}` of `{file.name}` is {name}{since or ', which no type of Triton is'}: the model cannot"
        " be served",
        help="cast it inside the model to a type that Triton has",
        confidence=Confidence.HIGH if named or field == "input" else Confidence.MEDIUM,
    )
