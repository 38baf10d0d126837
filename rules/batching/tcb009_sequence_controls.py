"""# TCB009 sequence-controls

## What it finds
A `control_input` of `sequence_batching` that Triton does not take: without name; with the name of another one; the same
kind of control twice; START, END or READY without exactly one list of a false and a true value, or with a list that has
not two entries; CORRID with such a list, or with a `data_type` that is no integer of 32 or 64 bits and no string.

## Why it matters
Triton refuses the model. A `kind` that is left out is `CONTROL_SEQUENCE_START`.

## Bad
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  control_input [
    { name: "START" control [ { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 1 ] } ] },
    { name: "CORRID" control [ { kind: CONTROL_SEQUENCE_CORRID } ] }
  ]
}
```

## Good
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  control_input [
    { name: "START" control [ { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } ] },
    { name: "READY" control [ { kind: CONTROL_SEQUENCE_READY fp32_false_true: [ 0, 1 ] } ] },
    { name: "CORRID" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] }
  ]
}
```

## What Triton says
«sequence batching control tensor must have a name for tracker», «sequence batching control tensor 'START' is specified
for multiple control kinds for tracker», «sequence batching specifies multiple CONTROL_SEQUENCE_START tensors for
tracker», «sequence batching must specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for
CONTROL_SEQUENCE_START for tracker», «sequence batching specifies more than one from …», «sequence batching control
'fp32_false_true' must have exactly 2 entries for CONTROL_SEQUENCE_START for tracker», «sequence batching must not
specify either …», «unexpected data type for control CONTROL_SEQUENCE_CORRID for tracker»

## Evidence
core `model_config_utils.cc` `GetBooleanSequenceControlProperties`, `GetTypedSequenceControlProperties`, 20.01 to 26.06;
loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB009",
    name="sequence-controls",
    title="A control input of a sequence model that Triton does not take",
    severity=Severity.ERROR,
    reads=("sequence_batching",),
    only_with=("sequence_batching",),
    refused=True,
    evidence=("core src/model_config_utils.cc, 20.01-26.06", "measured on 22.11-24.10"),
)

_LISTS = ("int32_false_true", "fp32_false_true", "bool_false_true")
_BOOLEAN = ("CONTROL_SEQUENCE_START", "CONTROL_SEQUENCE_READY", "CONTROL_SEQUENCE_END")
_CORRID = "CONTROL_SEQUENCE_CORRID"
# TYPE_UINT32, TYPE_UINT64, TYPE_INT32, TYPE_INT64, TYPE_STRING of `model_config.proto`.
_CORRID_TYPES = frozenset((4, 5, 8, 9, 13))


class _Place(NamedTuple):
    """A control: its path, its kind and its tensor."""

    path: tuple[str | int, ...]
    kind: str
    tensor: str


def check(model: Model) -> Iterator[Finding]:
    """Every control on its own, then those that are there twice."""
    controls: list[_Place] = []
    named: dict[str, int] = {}
    for index, entry in enumerate(model.config.sequence_batching.control_input):
        path: tuple[str | int, ...] = ("sequence_batching", "control_input", index)
        if not entry.name:
            yield RULE.finding(
                model.at(*path, "name"),
                "a control input without `name`: Triton refuses the model",
                help="write the `name` of the input of the model that gets the value",
            )
        elif entry.name in named:
            yield RULE.finding(
                model.at(*path, "name"),
                f"control input `{entry.name}` is given twice: Triton refuses the model",
                help="put all controls of a tensor into one `control_input`, or correct the name",
                related=[Related("given here already", model.at(*path[:2], named[entry.name], "name"))],
            )
        named.setdefault(entry.name, index)
        for inner, control in enumerate(entry.control):
            place = _Place((*path, "control", inner), _kind(control), entry.name)
            controls.append(place)
            if place.kind in _BOOLEAN:
                yield from _boolean(model, place, control)
            elif place.kind == _CORRID:
                yield from _corrid(model, place, control)
    yield from _twice(model, controls)


def _kind(control: Any) -> str:
    values = type(control).DESCRIPTOR.enum_types_by_name["Kind"].values_by_number
    return str(values[control.kind].name) if control.kind in values else ""


def _lists(control: Any) -> list[str]:
    return [name for name in _LISTS if len(getattr(control, name, ()))]


def _boolean(model: Model, place: _Place, control: Any) -> Iterator[Finding]:
    """START, END, READY: exactly one list, of two values."""
    given = _lists(control)
    if len(given) > 1:
        first, second = sorted(model.at(*place.path, name) for name in given)[:2]
        yield RULE.finding(
            second,
            f"{place.kind} of `{place.tensor}` has more than one list of values: Triton refuses the model",
            help="keep the list whose type is that of the model's input",
            related=[Related("the other list", first)],
        )
    elif not given:
        unset = "" if model.written(*place.path, "kind") else " (`kind` is not written, which means START)"
        yield RULE.finding(
            model.at(*place.path, "kind"),
            f"{place.kind} of `{place.tensor}`{unset} says neither what is false nor what is true: Triton refuses the "
            "model",
            help="write `int32_false_true: [ 0, 1 ]`, or `fp32_false_true` or `bool_false_true`, by the input's type",
        )
    elif len(getattr(control, given[0])) != 2:
        count = len(getattr(control, given[0]))
        yield RULE.finding(
            model.at(*place.path, given[0]),
            f"`{given[0]}` of {place.kind} has {count} {'entry' if count == 1 else 'entries'}: Triton wants two and "
            "refuses the model",
            help="write the value for false and the value for true, such as `[ 0, 1 ]`",
        )


def _corrid(model: Model, place: _Place, control: Any) -> Iterator[Finding]:
    """CORRID: a data type, and no list."""
    given = _lists(control)
    if given:
        cut = model.deletion(*place.path, given[0])
        yield RULE.finding(
            model.at(*place.path, given[0]),
            f"`{given[0]}` for {_CORRID} of `{place.tensor}`, which is no switch: Triton refuses the model",
            help="delete the list and write `data_type`, such as TYPE_UINT64",
            fix=Fix(f"delete `{given[0]}`", cut) if cut and len(given) == 1 else None,
        )
    if control.data_type in _CORRID_TYPES:
        return
    written = model.written(*place.path, "data_type")
    span = model.value_at(*place.path, "data_type" if written else "kind")
    edit = Edit(span.path, span.start, span.end, "TYPE_UINT64")
    if not written:
        edit = Edit(span.path, span.end, span.end, " data_type: TYPE_UINT64")
    yield RULE.finding(
        model.at(*place.path, "data_type" if written else "kind"),
        f"{_CORRID} of `{place.tensor}` "
        + ("has a `data_type` that no correlation id has" if written else "has no `data_type`")
        + ": Triton refuses the model",
        help="write `data_type: TYPE_UINT64`, or TYPE_INT64, TYPE_UINT32, TYPE_INT32 or TYPE_STRING",
        fix=Fix("data_type: TYPE_UINT64", (edit,)),
    )


def _twice(model: Model, controls: list[_Place]) -> Iterator[Finding]:
    """A kind that is there a second time."""
    first: dict[str, _Place] = {}
    for place in controls:
        earlier = first.setdefault(place.kind, place)
        if earlier is not place and place.kind and place.kind in (*_BOOLEAN, _CORRID):
            unset = "" if model.written(*place.path, "kind") else " (`kind` is not written, which means START)"
            yield RULE.finding(
                model.at(*place.path, "kind"),
                f"{place.kind}{unset} is given twice, for `{earlier.tensor}` and for `{place.tensor}`: Triton refuses "
                "the model",
                help="each kind of control goes to one input: delete one of them, or correct its `kind`",
                related=[Related("the first", model.at(*earlier.path, "kind"))],
            )
