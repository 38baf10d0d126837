"""# TCH002 incompatible-reshape

## What it finds
A `reshape` that does not hold as many elements as the `dims` it belongs to, that has another number of variable
dimensions, or that is empty in a model without batching.

## Why it matters
Triton refuses the model. `dims` is the shape that clients see, `reshape` the one that the model sees; both without
the batch dimension where `max_batch_size` is above 0. Between two variable dimensions the fixed ones must have the
same product on both sides: `[ 2, 4, -1, 6 ]` can be reshaped to `[ 8, -1, 6 ]`.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] reshape { shape: [ 1001, 1, 1 ] } }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] reshape { shape: [ 1000, 1, 1 ] } }
```

## What Triton says
«model output has different size for dims and reshape for resnet», «has different number of variable-size dimensions
for dims and reshape», «cannot have empty reshape for non-batching model as scalar tensors are not supported»,
«reshape dimensions must be integer >= 1, or -1»

## Evidence
core `model_config_utils.cc` `ValidateIOShape`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10, where products
that overflow 64 bits wrap around and are compared all the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH002",
    name="incompatible-reshape",
    title="`reshape` does not fit the `dims`",
    severity=Severity.ERROR,
    reads=("input", "output", "max_batch_size"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateIOShape, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare `reshape` and `dims` of every input and output as Triton does, one fault a tensor."""
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            if tensor.HasField("reshape"):
                yield from _tensor(model, kind, index, tensor)


def _tensor(model: Model, kind: str, index: int, tensor: Any) -> Iterator[Finding]:
    dims, shape = list(tensor.dims), list(tensor.reshape.shape)
    if not dims or any(dim < -1 or dim == 0 for dim in dims):
        return  # other faults, told of elsewhere
    name = f"{kind} `{tensor.name}`"
    span = model.at(kind, index, "reshape", "shape") if shape else model.at(kind, index, "reshape")
    wrong = next((place for place, dim in enumerate(shape) if dim < -1 or dim == 0), None)
    fault = _fault(dims, shape)
    if wrong is not None:
        yield RULE.finding(
            model.at(kind, index, "reshape", "shape", wrong),
            f"dimension {shape[wrong]} in the `reshape` of {name}: Triton refuses the model",
            help="write the size, or -1 where `dims` has -1",
        )
    elif fault:
        yield RULE.finding(span, f"{name}: {fault}, so Triton refuses the model", help=_help(dims, shape))
    elif not shape and not model.config.max_batch_size:
        sure = model.written("max_batch_size") or model.is_final
        yield RULE.finding(
            span,
            f"{name} has an empty `reshape` in a model without batching, so Triton refuses the model"
            + ("" if sure else ", unless the backend sets `max_batch_size`"),
            help="delete the `reshape`, or set `max_batch_size` to 1 or more if the model has a batch dimension",
            severity=Severity.ERROR if sure else Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            refused=sure,
        )


def _fault(dims: Sequence[int], shape: Sequence[int]) -> str:
    """What is wrong between two shapes without invalid dimensions, "" if nothing is."""
    count, reshaped = _count(dims), _count(shape)
    if count != reshaped and (reshaped != 0 or count != 1):
        if count == -1 or reshaped == -1:
            return f"`dims` {_text(dims)} and `reshape` {_text(shape)} do not both have a variable dimension"
        return f"`dims` {_text(dims)} has {count} elements and `reshape` {_text(shape)} has {reshaped}"
    if count != -1:
        return ""
    runs, others = _runs(dims), _runs(shape)
    if len(runs) != len(others):
        return f"`dims` has {len(runs) - 1} variable dimensions and `reshape` has {len(others) - 1}"
    if runs != others:
        return f"the fixed dimensions around each -1 of `dims` {_text(dims)} and `reshape` {_text(shape)} differ"
    return ""


def _count(dims: Sequence[int]) -> int:
    """The number of elements, -1 with a variable dimension, 0 of an empty shape; wraps as a 64-bit number does."""
    if -1 in dims:
        return -1
    return _product(dims) if dims else 0


def _runs(dims: Sequence[int]) -> list[int]:
    """The products of the fixed dimensions before, between and behind the variable ones."""
    runs, run = [], [1]
    for dim in dims:
        if dim == -1:
            runs.append(_product(run))
            run = [1]
        else:
            run.append(dim)
    return [*runs, _product(run)]


def _product(numbers: Sequence[int]) -> int:
    product = 1
    for number in numbers:
        product *= number
    return (product + 2**63) % 2**64 - 2**63


def _text(dims: Sequence[int]) -> str:
    return f"[ {', '.join(map(str, dims))} ]" if dims else "[ ]"


def _help(dims: Sequence[int], shape: Sequence[int]) -> str:
    if not shape:
        return "an empty `reshape` is for `dims: [ 1 ]` only: write that, or the shape that the model has"
    if dims.count(-1) != shape.count(-1):
        return "give both the same number of -1, in the same order; or leave `reshape` out"
    if -1 in dims:
        return "before, between and behind the -1, the fixed dimensions must have the same product on both sides"
    return "make both products equal: `dims` is what clients send or get, `reshape` what the model has"
