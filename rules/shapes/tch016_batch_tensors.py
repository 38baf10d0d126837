"""# TCH016 batch-tensors

## What it finds
A `batch_input` or `batch_output` that Triton does not take: without exactly one `source_input`; with a source that is
no input of the model; a `batch_input` of another type than TYPE_INT32 and TYPE_FP32; a `batch_output` with a target
that is no output, or with the same target twice; a `kind` that there is not.

## Why it matters
Triton refuses the model. `source_input` and `target_name` of a `batch_output` name tensors of the same configuration;
the `target_name` of a `batch_input` names a tensor that only the backend knows, and is not looked at.

## Bad
```
# detector/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
input { name: "boxes" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1 ] }
batch_input { kind: BATCH_ELEMENT_COUNT target_name: "count" data_type: TYPE_INT64 source_input: "boxes" }
```

## Good
```
# detector/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
input { name: "boxes" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1 ] }
batch_input { kind: BATCH_ELEMENT_COUNT target_name: "count" data_type: TYPE_INT32 source_input: "boxes" }
```

## What Triton says
«batch input kind 'BATCH_ELEMENT_COUNT' expects 1 source input, got 0 for detector», «batch input data type must be
TYPE_INT32 or TYPE_FP32 for detector», «unknown source input name 'x' for detector», «unknown target output name 'x'
for detector», «target output name 'scores' can only be specified once for detector», «unknown batch input kind '' for
detector»

## Evidence
core `model_config_utils.cc` `ValidateBatchIO`, 20.09 to 26.06; loaded on real servers 22.11 to 24.10, where the same
target in two `batch_output` entries, and a `batch_input` without target, load.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH016",
    name="batch-tensors",
    title="A `batch_input` or `batch_output` that Triton does not take",
    severity=Severity.ERROR,
    reads=("batch_input", "batch_output", "input", "output"),
    only_with=("batch_input", "batch_output"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateBatchIO, 20.09-26.06", "measured on 22.11-24.10"),
)

# TYPE_INT32 and TYPE_FP32 of `model_config.proto`.
_TYPES = (8, 11)


def check(model: Model) -> Iterator[Finding]:
    """Every entry by itself; in one of several faults the first, as the server says it."""
    for index, entry in enumerate(getattr(model.config, "batch_input", ())):
        path = ("batch_input", index)
        fault = next(_kind(model, path, entry), None) or next(_sources(model, path, entry), None)
        if fault is None and entry.data_type not in _TYPES:
            given = model.type_name(entry.data_type) if entry.data_type else "no `data_type`"
            fault = RULE.finding(
                model.at(*path, "data_type"),
                f"a `batch_input` with {given}: it must be TYPE_INT32 or TYPE_FP32, and Triton refuses the model",
                help="write the type that the model's tensor has: TYPE_INT32 or TYPE_FP32",
            )
        yield from [fault] if fault else ()
    for index, entry in enumerate(getattr(model.config, "batch_output", ())):
        path = ("batch_output", index)
        fault = next(_kind(model, path, entry), None) or next(_sources(model, path, entry), None)
        fault = fault or next(_targets(model, path, entry), None)
        yield from [fault] if fault else ()


def _kind(model: Model, path: tuple[str | int, ...], entry: Any) -> Iterator[Finding]:
    kinds = type(entry).DESCRIPTOR.enum_types_by_name["Kind"].values_by_number
    if entry.kind not in kinds:
        yield RULE.finding(
            model.at(*path, "kind"),
            f"there is no `kind` {entry.kind} of `{path[0]}`: Triton refuses the model",
            help=f"write one of {', '.join(one.name for one in kinds.values())}",
        )


def _sources(model: Model, path: tuple[str | int, ...], entry: Any) -> Iterator[Finding]:
    """Exactly one source, which is an input of the model."""
    count = len(entry.source_input)
    if count != 1:
        yield RULE.finding(
            model.at(*path, "source_input"),
            f"a `{path[0]}` with {count or 'no'} `source_input`: Triton wants exactly one and refuses the model",
            help="write one `source_input`, the name of an input of this model",
        )
        return
    inputs = [one.name for one in model.config.input]
    if entry.source_input[0] not in inputs:
        yield from _unknown(model, (*path, "source_input", 0), entry.source_input[0], "input", inputs)


def _targets(model: Model, path: tuple[str | int, ...], entry: Any) -> Iterator[Finding]:
    """Targets are outputs of the model, each once."""
    outputs = [one.name for one in model.config.output]
    for place, name in enumerate(entry.target_name):
        if name in entry.target_name[:place]:
            yield RULE.finding(
                model.at(*path, "target_name", place),
                f"output `{name}` is twice a target of the same `batch_output`: Triton refuses the model",
                help="name each output once",
            )
        elif name not in outputs:
            yield from _unknown(model, (*path, "target_name", place), name, "output", outputs)


def _unknown(model: Model, path: tuple[str | int, ...], name: str, kind: str, known: list[str]) -> Iterator[Finding]:
    """A tensor that is not written; where none is written and the backend completes them, it may come from there."""
    sure = model.part.closed(kind)
    if not sure and not known:
        return
    shown = f"the {kind}s are {', '.join(f'`{one}`' for one in known)}" if known else f"the model has no {kind}"
    yield RULE.finding(
        model.at(*path),
        f"`{name}` of this `{path[0]}` is no {kind} of the model: Triton refuses it"
        + ("" if sure else f", unless the backend completes an {kind} of that name"),
        help=f"correct the name: {shown}",
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=sure,
    )
