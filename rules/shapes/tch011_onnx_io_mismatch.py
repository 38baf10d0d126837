"""# TCH011 onnx-io-mismatch

## What it finds
Inputs and outputs in a configuration that are not those of the ONNX file: a name that the model does not have, an
input of the model that is left out, another data type, another shape; `max_batch_size` above 0 for a model whose first
dimension is fixed; a ragged input (`allow_ragged_batch`) that is not [-1] in the model.

## Why it matters
The backend compares them when the model loads. For an input a dimension that is fixed in the model must be that very
number, and one that is not fixed may be anything. For an output each must be the same, so -1 for one that is not
fixed. With `max_batch_size` above 0 the first dimension of every tensor must not be fixed, and `dims` go without it.
Shapes of outputs that ONNX Runtime may work out more exactly than they are written in the file are left alone.

## Bad
```
# resnet/1/model.onnx
(onnx: images FP32[n,3,224,224] -> scores FP32[n,1000])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# resnet/1/model.onnx
(onnx: images FP32[n,3,224,224] -> scores FP32[n,1000])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«unexpected inference input 'image', allowed inputs are: images»; «configuration expects 2 inputs, model provides 1»;
«configuration expects datatype TYPE_FP32 for input 'images', model provides TYPE_INT64»; «the model expects 4
dimensions (shape [-1,3,224,224]) but the model configuration specifies 4 dimensions»; «for the model to support
batching the shape should have at least 1 dimension and the first dimension must be -1».

## Evidence
onnxruntime_backend `onnxruntime.cc` `ValidateInputs`, `ValidateOutputs` and `onnxruntime_utils.cc`
`CompareDimsSupported`, 20.08 to 26.06; that shapes of outputs change was measured with ONNX Runtime 1.32.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import (
    Edit,
    Finding,
    Fix,
    Model,
    OnnxModel,
    OnnxTensor,
    OpenedFile,
    Related,
    Rule,
    Severity,
    has_hole,
)

RULE = Rule(
    code="TCH011",
    name="onnx-io-mismatch",
    title="Inputs or outputs are not those of the ONNX file",
    severity=Severity.ERROR,
    needs=("config", "files", "modelfile"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime.cc ValidateInputs, ValidateOutputs, 20.08-26.06",),
    only_with=("input", "output"),
    backends=("onnxruntime",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare with the file of each version that loads."""
    if any(has_hole(tensor.name) for tensor in (*model.config.input, *model.config.output)):
        return
    for file in model.opened.onnx:
        if not file.content.fault:
            yield from _inputs(model, file)
            yield from _outputs(model, file)


def _inputs(model: Model, file: OpenedFile[OnnxModel]) -> Iterator[Finding]:
    config, onnx = model.config, file.content
    if not config.input:
        return
    given = {tensor.name: index for index, tensor in enumerate(config.input)}
    there = {tensor.name: tensor for tensor in onnx.inputs}
    lacking = [name for name in there if name not in given]
    lacking = [name for name in lacking if name not in _others(config)] if lacking else []
    unknown = [name for name in given if name and name not in there and name not in onnx.optional]
    for name in unknown:
        meant = lacking.pop() if len(lacking) == 1 and len(unknown) == 1 else ""
        yield _unknown(model, file, "input", given[name], there, meant)
    for name in lacking:
        yield RULE.finding(
            model.at("input"),
            f"input `{name}` of `{file.name}` is left out: Triton refuses the model, which needs {_count(there)}",
            help=f'add `{{ name: "{name}" data_type: {there[name].data_type} dims: {_dims(model, there[name])} }}`',
            related=[_here(file)],
        )
    for name, index in given.items():
        if name in there:
            yield from _compare(model, file, "input", index, there[name])


def _outputs(model: Model, file: OpenedFile[OnnxModel]) -> Iterator[Finding]:
    given = {tensor.name: index for index, tensor in enumerate(model.config.output)}
    there = {tensor.name: tensor for tensor in file.content.outputs}
    unknown = [name for name in given if name and name not in there]
    unused = [name for name in there if name not in given]
    for name, index in given.items():
        if name in there:
            yield from _compare(model, file, "output", index, there[name])
        elif name:
            meant = unused[0] if len(unused) == 1 and len(unknown) == 1 else ""
            yield _unknown(model, file, "output", index, there, meant)


def _unknown(
    model: Model, file: OpenedFile[OnnxModel], field: str, index: int, there: dict[str, OnnxTensor], meant: str
) -> Finding:
    place = model.value_at(field, index, "name")
    name = getattr(model.config, field)[index].name
    shown = ", ".join(f"`{one}`" for one in list(there)[:6]) + (", …" if len(there) > 6 else "")
    return RULE.finding(
        place,
        f"`{file.name}` has no {field} `{name}`: Triton refuses the model",
        help=f"write `{meant}`"
        if meant
        else f"the {field}s of the model are {shown}"
        if there
        else f"it has no {field}s",
        related=[_here(file)],
        fix=Fix(f'name: "{meant}"', (Edit(place.path, place.start, place.end, f'"{meant}"'),)) if meant else None,
    )


def _compare(model: Model, file: OpenedFile[OnnxModel], field: str, index: int, there: OnnxTensor) -> Iterator[Finding]:
    """Type and shape of a tensor that is on both sides."""
    tensor = getattr(model.config, field)[index]
    written = _type_name(tensor)
    if there.data_type and tensor.data_type and written and written != there.data_type:
        place = model.value_at(field, index, "data_type")
        yield RULE.finding(
            place,
            f"{field} `{there.name}` is {written} here and {there.data_type} in `{file.name}`: Triton refuses the"
            " model",
            help=f"write `data_type: {there.data_type}`",
            related=[_here(file)],
            fix=Fix(f"data_type: {there.data_type}", (Edit(place.path, place.start, place.end, there.data_type),)),
        )
    ragged = getattr(tensor, "allow_ragged_batch", False)
    if ragged and model.config.max_batch_size and there.shape is not None and there.shape != (-1,):
        yield RULE.finding(
            model.at(field, index, "allow_ragged_batch"),
            f"a ragged {field} must be [-1] in the model, as its requests are put one behind the other, but"
            f" `{there.name}` is {_written(there)} in `{file.name}`: Triton refuses the model",
            help="take `allow_ragged_batch` out, or export a model that is made for ragged input",
            related=[_here(file)],
        )
    if not there.shape or not tensor.dims or ragged or any(dim < -1 or dim == 0 for dim in tensor.dims):
        return  # of a dimension that is none, the rule for those tells what the file has
    if not model.is_final and not model.config.max_batch_size:
        return  # auto-complete may put a batch dimension before it
    batching = model.config.max_batch_size > 0
    if batching and there.shape[0] != -1:
        yield _no_batches(model, file, field, there)
        return
    reshaped = tensor.HasField("reshape")
    dims = tuple(tensor.reshape.shape if reshaped else tensor.dims)
    whole = (-1, *dims) if batching else dims
    if _fits(whole, there.shape):
        return
    batch = ", with the batch dimension that `max_batch_size` stands for" if batching else ""
    yield RULE.finding(
        model.at(field, index, "reshape" if reshaped else "dims"),
        f"{field} `{there.name}` is {list(whole)} here{batch}, and {_written(there)} in `{file.name}`: Triton refuses"
        " the model",
        help=f"write `{'shape' if reshaped else 'dims'}: {_dims(model, there)}`",
        related=[_here(file)],
    )


def _fits(whole: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether the shapes agree as the backend compares them; what only ONNX Runtime can know counts as agreed."""
    if len(whole) != len(shape):
        return False
    return all(one in (-1, have) for one, have in zip(shape, whole, strict=True))


def _no_batches(model: Model, file: OpenedFile[OnnxModel], field: str, there: OnnxTensor) -> Finding:
    return RULE.finding(
        model.at("max_batch_size"),
        f"`max_batch_size` is {model.config.max_batch_size}, but the first dimension of {field} `{there.name}` is fixed"
        f" in `{file.name}`, {_written(there)}: Triton refuses the model",
        help="write `max_batch_size: 0` and all dimensions into `dims`, or export the model with a dynamic first"
        " dimension",
        related=[_here(file)],
    )


_TYPES: dict[int, str] = {}


def _type_name(tensor: Any) -> str:
    """`TYPE_FP32`; "" for a number that is no type."""
    if not _TYPES:
        _TYPES.update(
            (value.number, value.name) for value in tensor.DESCRIPTOR.fields_by_name["data_type"].enum_type.values
        )
    return _TYPES.get(tensor.data_type, "")


def _others(config: Any) -> set[str]:
    """Names of inputs that are no `input`: controls, states, and what Triton makes of others."""
    names = {name for one in getattr(config, "batch_input", ()) for name in one.target_name}
    sequence = config.sequence_batching
    names |= {one.name for one in sequence.control_input}
    return names | {one.input_name for one in getattr(sequence, "state", ())}


def _count(there: dict[str, OnnxTensor]) -> str:
    return "one input" if len(there) == 1 else f"{len(there)} inputs"


def _dims(model: Model, there: OnnxTensor) -> str:
    dims = list(there.shape or ())[1 if model.config.max_batch_size else 0 :]
    return str(dims or [1]).replace("[", "[ ").replace("]", " ]")


def _written(there: OnnxTensor) -> str:
    return "[" + ", ".join(str(one) if one != "" else "?" for one in there.dims or ()) + "]"


def _here(file: OpenedFile[OnnxModel]) -> Related:
    return Related("the model", file.span())
