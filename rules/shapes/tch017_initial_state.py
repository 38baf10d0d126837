"""# TCH017 initial-state

## What it finds
An `initial_state` of a sequence `state` that does not fit it: two of them; another `data_type`; no `name`; another
number of `dims`, a -1 in them or a size that differs; neither `zero_data` nor `data_file`; a file in the model's
`initial_state` folder that is missing, too short or a folder; and a state that begins with data and has the
`input_name` of an earlier one.

## Why it matters
Triton refuses the model, and **in a large part of the loads the whole server crashes** with it (signal 11), every other
model too: of two loads of each case, about one. A dimension below -1 on both sides crashes it every time.

## Bad
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  state {
    input_name: "in" output_name: "out" data_type: TYPE_FP32 dims: [ 4 ]
    initial_state { name: "zeros" data_type: TYPE_FP32 dims: [ 8 ] zero_data: true }
  }
}
```

## Good
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  state {
    input_name: "in" output_name: "out" data_type: TYPE_FP32 dims: [ 4 ]
    initial_state { name: "zeros" data_type: TYPE_FP32 dims: [ 4 ] zero_data: true }
  }
}
```

## What Triton says
«initial_state field for state input 'in' must contain exactly one or zero element», «The data type used for
'initial_state' field of state 'in' does not match the state data type.», «Field 'name' must be set when using
initial_state», «Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions», «contains
variable dimensions», «doesn't match 'state' dim description. 8 != 4», «to have state_data set», «initial_state setting
expects 16 bytes», «State input name 'in' specified more than once.»; or «Signal (11) received.»

## Evidence
core `sequence_batch_scheduler.cc` `GenerateInitialStateData`, 22.01 to 26.06; measured on real servers 22.11 to 24.10,
where a longer file, `zero_data: false` and a state that begins without data load.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCH017",
    name="initial-state",
    title="An `initial_state` that does not fit its `state`, which may crash the server",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("sequence_batching",),
    only_with=("sequence_batching",),
    refused=True,
    evidence=("core src/sequence_batch_scheduler.cc GenerateInitialStateData, 22.01-26.06", "measured on 22.11-24.10"),
)

_CRASH = "Triton refuses the model, and often the whole server crashes"
_Path = tuple[str | int, ...]


def check(model: Model) -> Iterator[Finding]:
    """Every state that begins with data; of several faults the first, as the server says it."""
    begun: dict[str, int] = {}
    for index, state in enumerate(getattr(model.config.sequence_batching, "state", ())):
        path: _Path = ("sequence_batching", "state", index)
        initial = getattr(state, "initial_state", ())
        if not initial:
            continue
        fault = next(_faults(model, path, state), None)
        if fault is None and state.input_name in begun:
            first = model.at("sequence_batching", "state", begun[state.input_name], "input_name")
            fault = RULE.finding(
                model.at(*path, "input_name"),
                f"a second state with initial data for input `{state.input_name}`: {_CRASH}",
                help="give each state an input of its own",
                related=[Related("the first", first)],
            )
        begun.setdefault(state.input_name, index)
        yield from [fault] if fault else ()


def _faults(model: Model, path: _Path, state: Any) -> Iterator[Finding]:
    initial = state.initial_state[0]
    inner: _Path = (*path, "initial_state", 0)
    if len(state.initial_state) > 1:
        yield RULE.finding(
            model.at(*path, "initial_state", 1),
            f"a second `initial_state` for `{state.input_name}`: {_CRASH}",
            help="keep one of them",
        )
    if initial.data_type != state.data_type:
        theirs = model.type_name(state.data_type) if state.data_type else "none"
        own = model.type_name(initial.data_type) if initial.data_type else "no `data_type`"
        yield RULE.finding(
            model.at(*inner, "data_type"),
            f"the initial state of `{state.input_name}` has {own}, and the state's is {theirs}: {_CRASH}",
            help="write the state's `data_type`",
            related=[Related("the state's type", model.at(*path, "data_type"))],
        )
    if not initial.name:
        yield RULE.finding(
            model.at(*inner),
            f"the initial state of `{state.input_name}` has no `name`: {_CRASH}",
            help="write any `name`",
        )
    yield from _dims(model, path, state, initial)
    if initial.WhichOneof("state_data") is None:
        yield RULE.finding(
            model.at(*inner),
            f"the initial state of `{state.input_name}` has no data: {_CRASH}",
            help="write `zero_data: true` or `data_file`",
        )
    elif initial.WhichOneof("state_data") == "data_file":
        yield from _file(model, inner, initial)


def _dims(model: Model, path: _Path, state: Any, initial: Any) -> Iterator[Finding]:
    own, theirs = list(initial.dims), list(state.dims)
    shape = model.at(*path, "initial_state", 0, "dims")
    related = [Related("the state's dimensions", model.at(*path, "dims"))]
    if len(own) != len(theirs):
        yield RULE.finding(
            shape,
            f"the initial state of `{state.input_name}` has {len(own)} `dims` and the state {len(theirs)}: {_CRASH}",
            help="write as many dimensions as the state has",
            related=related,
        )
        return
    for place, (size, wanted) in enumerate(zip(own, theirs, strict=True)):
        if size == wanted < -1:
            yield RULE.finding(
                model.at(*path, "initial_state", 0, "dims", place),
                f"dimension {size} of the initial state of `{state.input_name}`: the whole server crashes, with every "
                "other model",
                help="write the size to begin with",
                related=related,
                refused=False,
            )
        elif size == -1 or (wanted != -1 and size != wanted):
            yield RULE.finding(
                model.at(*path, "initial_state", 0, "dims", place),
                f"dimension {size} of the initial state of `{state.input_name}`, {wanted} of the state's: {_CRASH}",
                help="write the size to begin with" if wanted == -1 else f"write {wanted}",
                related=related,
            )


def _file(model: Model, inner: _Path, initial: Any) -> Iterator[Finding]:
    found = model.data_file("initial_state", initial.data_file)
    wanted = model.byte_size(initial.data_type, initial.dims)
    span = model.value_at(*inner, "data_file")
    shown = f"`initial_state/{initial.data_file}`"
    if found.state == "folder":
        yield RULE.finding(
            span,
            f"{shown} is a folder, and reading it crashes the whole server, with every other model",
            help="name a file with the raw bytes of the state",
            refused=False,
        )
    elif found.state == "missing":
        yield RULE.finding(
            span,
            f"{shown} is not there: {_CRASH}" + ("" if model.deployed else ", unless the deployment adds it"),
            help="put a file with the raw bytes of the state there, or write `zero_data: true`",
            severity=Severity.ERROR if model.deployed else Severity.WARNING,
            confidence=Confidence.HIGH if model.deployed else Confidence.LOW,
            refused=model.deployed,
        )
    elif found.state == "file" and wanted is not None and found.size < wanted:
        if found.is_placeholder and not model.deployed:
            return
        yield RULE.finding(
            span,
            f"{shown} has {found.size} bytes, and the state has {wanted}: {_CRASH}",
            help=f"write the {wanted} raw bytes of the state into the file",
        )
