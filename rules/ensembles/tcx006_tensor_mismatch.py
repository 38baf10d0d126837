"""# TCX006 tensor-mismatch

## What it finds
A tensor of an ensemble that two of those who use it describe differently: by `data_type`, or by `dims` that cannot be
of one tensor. The ensemble's own inputs and outputs count with their `reshape`, those of its parts without.

## Why it matters
Triton refuses the ensemble. It compares every use with the first one only: the ensemble's own input or output, else
the first step that reads or writes the tensor. -1 fits any size. If only one of the two has a batch dimension (its
`max_batch_size` is above 0), the other may write it out.

## Bad
```
# scale/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_UINT8 dims: [ -1, -1, 3 ] }
output { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
# classify/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 256, 256 ] }
output { name: "scores__0" data_type: TYPE_FP32 dims: [ 1000 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "photo" data_type: TYPE_UINT8 dims: [ -1, -1, 3 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
ensemble_scheduling {
  step {
    model_name: "scale"
    model_version: -1
    input_map { key: "image__0" value: "photo" }
    output_map { key: "image__0" value: "scaled" }
  }
  step {
    model_name: "classify"
    model_version: -1
    input_map { key: "image__0" value: "scaled" }
    output_map { key: "scores__0" value: "scores" }
  }
}
```

## Good
```
# scale/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_UINT8 dims: [ -1, -1, 3 ] }
output { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
# classify/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scores__0" data_type: TYPE_FP32 dims: [ 1000 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "photo" data_type: TYPE_UINT8 dims: [ -1, -1, 3 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
ensemble_scheduling {
  step {
    model_name: "scale"
    model_version: -1
    input_map { key: "image__0" value: "photo" }
    output_map { key: "image__0" value: "scaled" }
  }
  step {
    model_name: "classify"
    model_version: -1
    input_map { key: "image__0" value: "scaled" }
    output_map { key: "scores__0" value: "scores" }
  }
}
```

## What Triton says
«in ensemble pipeline, ensemble tensor scaled: inconsistent shape: [-1,3,224,224] is inferred from model scale while
[-1,3,256,256] is inferred from model classify»; «inconsistent data type: TYPE_UINT8 is inferred from model …»

## Evidence
core `ensemble_utils.cc` `ValidateTensorConsistency`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10, with and
without batching and reshapes, and in both orders of the steps; server#5943, server#7355.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCX006",
    name="tensor-mismatch",
    title="Data type or shape of a tensor differs between the models of an ensemble",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling", "input", "output", "max_batch_size"),
    refused=True,
    evidence=(
        "core src/ensemble_scheduler/ensemble_utils.cc ValidateTensorConsistency, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Each use of a tensor that contradicts the first one."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for one in ensemble.edges.mismatches:
        first, second = one.first, one.second
        sure = (first.model is model or first.model.part.kept) and second.model.part.kept
        yield RULE.finding(
            ensemble.map_at(second.step, second.side, one.key),
            f"`{one.tensor}` is {_shown(first, one.what)} in `{first.model.name}` but {_shown(second, one.what)} in"
            f" `{second.model.name}`: Triton refuses the ensemble"
            + ("" if sure else ", unless the backend changes one of them"),
            help=_help(one.what, first, second),
            related=[
                Related(f"{side.side} `{_tensor(side).name}` of `{side.model.name}`", _place(side, one.what))
                for side in (first, second)
            ],
            severity=Severity.ERROR if sure else Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            refused=sure,
        )


def _tensor(mention: Any) -> Any:
    return getattr(mention.model.config, mention.side)[mention.number]


def _place(mention: Any, what: str) -> Any:
    path = (mention.side, mention.number)
    return mention.model.at(*path, *(("reshape", "shape") if what == "dims" and mention.reshaped else (what,)))


def _shown(mention: Any, what: str) -> str:
    if what == "data_type":
        tensor = _tensor(mention)
        values = tensor.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number
        return values[tensor.data_type].name if tensor.data_type in values else str(tensor.data_type)
    sizes = ["batch", *map(str, mention.dims)] if mention.batching else list(map(str, mention.dims))
    return f"[ {', '.join(sizes)} ]" if sizes else "[ ]"


def _help(what: str, first: Any, second: Any) -> str:
    if what == "data_type":
        return "give both the same `data_type`, or put a step between them that converts"
    part = next((one for one in (first, second) if one.step >= 0 and _tensor(one).HasField("reshape")), None)
    if part is not None:
        return f"an ensemble sees the `dims` of `{part.model.name}`, not its `reshape`: give the others the same `dims`"
    if None not in (first.batching, second.batching) and first.batching != second.batching:
        lone = second if first.batching else first
        return f"`{lone.model.name}` has no batch dimension (its `max_batch_size` is 0): set it, or write the dimension"
    return "give both the same `dims`, with -1 where the size varies"
