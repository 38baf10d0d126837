"""# TCB013 warmup-invalid

## What it finds
A `model_warmup` sample that cannot be run: a dimension that varies, no data, an input of the model that is left out, or
a type or a shape that is not that of the model's input. Also an input that the model does not have: that one is
ignored. Samples that Triton skips, for want of a `batch_size`, are left alone.

## Why it matters
The sample is run while the model loads, and its failure is the model's: it is UNAVAILABLE. (Before 22.06 a failing
warmup was only logged.) The shapes of a sample are written as `dims` of the input are: without the batch dimension
where `max_batch_size` is above 0, and without `reshape`.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 1, 3, 224, 224 ] zero_data: true } }
}
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3, 224, 224 ] zero_data: true } }
}
```

## What Triton says
«warmup setting expects all variable-size dimensions are specified for input 'x'», «warmup setting expects input 'x' to
have input_data_type set», «expected 1 inputs but got 0 inputs for model 'resnet'», «data-type is 'INT32', but model
'resnet' expects 'FP32'», «unexpected shape for input 'x' for model 'resnet'. Expected [-1,3], got [1,4]»

## Evidence
core `backend_model_instance.cc` `GenerateWarmupData` and `infer_request.cc` `Normalize`, 22.06 to 26.06; loaded on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB013",
    name="warmup-invalid",
    title="A warmup sample that cannot be run",
    severity=Severity.ERROR,
    reads=("model_warmup", "input", "max_batch_size", "backend", "platform", "instance_group", "sequence_batching"),
    only_with=("model_warmup",),
    refused=True,
    evidence=("core src/backend_model_instance.cc GenerateWarmupData, 22.06-26.06", "measured on 22.11-24.10"),
)

_Path = tuple[str | int, ...]


def check(model: Model) -> Iterator[Finding]:
    """Samples that are run: with a batch size, on an instance that is not passive."""
    groups = model.config.instance_group
    if model.is_ensemble or (groups and all(getattr(group, "passive", False) for group in groups)):
        return
    for index, sample in enumerate(model.config.model_warmup):
        if not sample.batch_size:
            continue
        path: _Path = ("model_warmup", index)
        faults = list(_data(model, path, sample))
        yield from faults
        # The data of all samples are made first; what is wrong with the request shows only then.
        yield from _request(model, path, sample) if not faults else ()


def _data(model: Model, path: _Path, sample: Any) -> Iterator[Finding]:
    """Every input that is given, known or not, needs fixed dimensions and data."""
    for name in sorted(sample.inputs):
        entry = sample.inputs[name]
        place: _Path = (*path, "inputs", name, "value")
        if -1 in entry.dims:
            yield RULE.finding(
                model.at(*place, "dims", list(entry.dims).index(-1)),
                f"warmup input `{name}` has a dimension of -1: Triton refuses the model",
                help="write the size to warm up with",
            )
        elif not entry.WhichOneof("input_data_type"):
            yield RULE.finding(
                model.at(*place) if model.written(*place) else model.at(*path, "inputs", name),
                f"warmup input `{name}` has no data: Triton refuses the model",
                help="write `zero_data: true`, `random_data: true` or `input_data_file`",
            )


def _request(model: Model, path: _Path, sample: Any) -> Iterator[Finding]:
    """What the server checks in any request, this one too."""
    known = {tensor.name: number for number, tensor in enumerate(model.config.input)}
    if not known:
        return  # auto-completed
    if len(known) != len(model.config.input):
        yield from _twice(model, path)
        return
    unknown: list[str] = []
    for name in sorted(sample.inputs):
        entry = sample.inputs[name]
        place: _Path = (*path, "inputs", name, "value")
        if name not in known:
            if name not in _controls(model):
                unknown.append(name)
            continue
        number = known[name]
        tensor = model.config.input[number]
        if tensor.data_type and entry.data_type != tensor.data_type:
            given = model.type_name(entry.data_type) if entry.data_type else "no type"
            yield _refused(
                model,
                (*place, "data_type"),
                f"warmup input `{name}` has {given}, but the model's is {model.type_name(tensor.data_type)}",
                f"write `data_type: {model.type_name(tensor.data_type)}`",
                Related("the model's input", model.at("input", number, "data_type")),
            )
        elif tensor.is_shape_tensor:
            yield from _shape_tensor(model, place, name, number)
        elif tensor.dims and not _fits(list(entry.dims), list(tensor.dims)):
            batch = " (neither has the batch dimension)" if model.config.max_batch_size > 0 else ""
            yield _refused(
                model,
                (*place, "dims"),
                f"warmup input `{name}` has the shape {_text(entry.dims)}, the model's has {_text(tensor.dims)}{batch}",
                f"write dimensions that fit {_text(tensor.dims)}",
                Related("the model's input", model.at("input", number, "dims")),
            )
    yield from _left_out(model, path, sample, known, unknown)


def _shape_tensor(model: Model, place: _Path, name: str, number: int) -> Iterator[Finding]:
    """It has no batch dimension, but the warmup gives it one: seen up to 24.10, later releases nobody tried."""
    if model.config.max_batch_size < 1:
        return
    release = model.launch.release
    known = release is not None and release[:2] <= (24, 10)
    yield RULE.finding(
        model.at(*place, "dims"),
        f"warmup input `{name}` is a shape tensor, and the warmup of a model that batches gives it a batch dimension "
        "that it must not have: the load fails" + ("" if known else " up to 24.10"),
        help="warm the model up with a request after the start",
        related=[Related("the model's input", model.at("input", number, "is_shape_tensor"))],
        severity=Severity.ERROR if known else Severity.WARNING,
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
        refused=known,
    )


def _twice(model: Model, path: _Path) -> Iterator[Finding]:
    """A name that is listed twice is expected twice, and cannot be given twice."""
    names = ["" if getattr(tensor, "optional", False) else tensor.name for tensor in model.config.input]
    number = next((place for place, name in enumerate(names) if name and name in names[:place]), None)
    if number is None:
        return
    yield _refused(
        model,
        (*path, "inputs"),
        f"input `{names[number]}` is listed twice, so that the server expects it twice, in the warmup sample too",
        "list each input once",
        Related("the second time", model.at("input", number, "name")),
    )


def _left_out(model: Model, path: _Path, sample: Any, known: dict[str, int], unknown: list[str]) -> Iterator[Finding]:
    """Names that the model lacks, and required inputs that are not given. One of each is one mistake.

    The server only counts inputs: an optional one that is given makes up for one that is not.
    """
    inputs = model.config.input
    required = [name for name, number in known.items() if not getattr(inputs[number], "optional", False)]
    missing = [name for name in required if name not in sample.inputs]
    counted = sum(name in known for name in sample.inputs) >= len(required)
    if len(missing) == len(unknown) == 1 and not counted:
        yield _refused(
            model,
            (*path, "inputs", unknown[0]),
            f"the model has no input `{unknown[0]}`, and the warmup sample leaves out `{missing[0]}`",
            f'write `key: "{missing[0]}"`',
            Related("the model's input", model.at("input", known[missing[0]], "name")),
        )
        return
    for name in unknown:
        yield _unknown(model, path, name)
    for name in missing:
        related = Related("the model's input", model.at("input", known[name], "name"))
        cure = f'write `inputs {{ key: "{name}" value {{ … }} }}`'
        if counted:
            yield RULE.finding(
                model.at(*path, "inputs"),
                f"the warmup sample leaves out input `{name}`, which Triton lets pass, since it gives enough others",
                help=cure,
                related=[related],
                severity=Severity.WARNING,
                refused=False,
            )
        else:
            yield _refused(model, (*path, "inputs"), f"the warmup sample leaves out input `{name}`", cure, related)


def _refused(model: Model, path: _Path, what: str, cure: str, related: Related) -> Finding:
    """A fault of the request: fatal since 22.06."""
    release = model.launch.release
    fatal = release is None or release >= (22, 6)
    return RULE.finding(
        model.at(*path),
        what + (": the load fails" if fatal else ": the warmup fails, which this release only logs"),
        help=cure,
        related=[related],
        severity=Severity.ERROR if fatal else Severity.WARNING,
        refused=fatal,
    )


def _unknown(model: Model, path: _Path, name: str) -> Finding:
    return RULE.finding(
        model.at(*path, "inputs", name),
        f"`{name}` of the warmup sample is ignored: the model has no such input",
        help="correct the name, or delete the entry",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH if model.part.closed("input") else Confidence.MEDIUM,
        refused=False,
    )


def _controls(model: Model) -> set[str]:
    block = model.config.sequence_batching
    return {entry.name for entry in block.control_input} | {entry.input_name for entry in getattr(block, "state", ())}


def _fits(given: list[int], wanted: list[int]) -> bool:
    return len(given) == len(wanted) and all(want in (-1, have) for have, want in zip(given, wanted, strict=True))


def _text(dims: Any) -> str:
    return f"[ {', '.join(map(str, dims))} ]" if dims else "[ ]"
