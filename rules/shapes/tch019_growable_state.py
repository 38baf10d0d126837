"""# TCH019 growable-state

## What it finds
A `state` of `sequence_batching` with `use_growable_memory`, but without `use_same_buffer_for_input_output`, or in a
model with an instance group that is not on GPUs.

## Why it matters
Growable memory is virtual memory of a GPU, and one buffer for both directions. The core has a check for both and
refuses the model; a server without GPU was seen to load it all the same.

## Bad
```
# --triton 24.10
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  max_sequence_idle_microseconds: 5000000
  state {
    input_name: "h_in" output_name: "h_out" data_type: TYPE_FP32 dims: [ -1 ]
    use_growable_memory: true
  }
}
```

## Good
```
# --triton 24.10
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  max_sequence_idle_microseconds: 5000000
  state {
    input_name: "h_in" output_name: "h_out" data_type: TYPE_FP32 dims: [ -1 ]
    use_same_buffer_for_input_output: true
    use_growable_memory: true
  }
}
```

## What Triton says
«you must also enable 'use_single_buffer'», «can only work with KIND_GPU model instances»

## Evidence
core `sequence_state.cc`, 23.11 to 26.06; real servers 24.03 and 24.10 without a GPU load it.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCH019",
    name="growable-state",
    title="Growable memory of a state without what it needs",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("sequence_batching", "instance_group", "backend", "platform"),
    only_with=("sequence_batching",),
    since=(23, 11),
    evidence=("core src/sequence_state.cc, 23.11-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Every state; of two faults the first."""
    groups = model.config.instance_group
    off = next((place for place, group in enumerate(groups) if group.kind in (group.KIND_CPU, group.KIND_MODEL)), None)
    for index, state in enumerate(model.config.sequence_batching.state):
        path = ("sequence_batching", "state", index)
        if not getattr(state, "use_growable_memory", False):
            continue
        place = model.at(*path, "use_growable_memory")
        if not state.use_same_buffer_for_input_output:
            written = model.value_at(*path, "use_same_buffer_for_input_output")
            if model.written(*path, "use_same_buffer_for_input_output"):
                edit = Edit(written.path, written.start, written.end, "true")
            else:
                edit = Edit(place.path, place.end, place.end, " use_same_buffer_for_input_output: true")
            yield RULE.finding(
                place,
                "`use_growable_memory` without `use_same_buffer_for_input_output`: Triton refuses the model",
                help="write `use_same_buffer_for_input_output: true`",
                fix=Fix("use_same_buffer_for_input_output: true", (edit,)),
            )
        elif off is not None:
            yield RULE.finding(
                place,
                "`use_growable_memory` works on instances of KIND_GPU only: Triton refuses the model",
                help="delete `use_growable_memory`, or write `kind: KIND_GPU`",
                related=[Related("not on a GPU", model.at("instance_group", off, "kind"))],
            )
