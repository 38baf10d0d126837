"""# TCB019 sequence-without-ready

## What it finds
A model of a tensor backend with the `direct` strategy of `sequence_batching`, which is also the default, and
`max_batch_size` above 1, that has no control input for CONTROL_SEQUENCE_READY; or any such model that can see neither
START nor the correlation id and has no `state`.

## Why it matters
With `direct` each sequence has its own row of the batch. When a batch runs, the rows between whose clients sent nothing
hold garbage, and READY is all that tells the model which. Without START, CORRID or `state` the model cannot know where
a sequence begins, so that it needs no sequence batching, or mixes sequences.

## Bad
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  max_sequence_idle_microseconds: 5000000
  direct { }
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } }
}
```

## Good
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching {
  max_sequence_idle_microseconds: 5000000
  direct { }
  control_input [
    { name: "START" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } },
    { name: "READY" control { kind: CONTROL_SEQUENCE_READY fp32_false_true: [ 0, 1 ] } }
  ]
}
```

## What Triton says
Nothing.

## Evidence
core `sequence_batch_scheduler.cc` `DirectSequenceBatch`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB019",
    name="sequence-without-ready",
    title="A sequence model that cannot tell its sequences apart",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("sequence_batching", "max_batch_size", "backend", "platform"),
    only_with=("sequence_batching",),
    evidence=("core src/sequence_batch_scheduler.cc DirectSequenceBatch, 20.01-26.06",),
)

# Backends whose models see tensors only; others can ask each request for its flags.
_TENSORS_ONLY = frozenset(("tensorrt", "onnxruntime", "pytorch", "tensorflow", "openvino"))
_START, _READY, _CORRID = 0, 1, 3


def check(model: Model) -> Iterator[Finding]:
    """The kinds of control that the model gets."""
    block = model.config.sequence_batching
    if model.config.WhichOneof("scheduling_choice") != "sequence_batching":
        return
    if model.backend.name not in _TENSORS_ONLY:
        return
    kinds = {control.kind for entry in block.control_input for control in entry.control}
    place = model.at("sequence_batching", "control_input")
    if _START not in kinds and _CORRID not in kinds and not getattr(block, "state", ()):
        yield RULE.finding(
            place,
            "the model gets neither START nor the correlation id and has no `state`: it cannot know where a sequence "
            "begins",
            help="add a `control_input` for CONTROL_SEQUENCE_START, or a `state`; or use `dynamic_batching`",
        )
    elif _READY not in kinds and model.config.max_batch_size > 1 and block.WhichOneof("strategy_choice") != "oldest":
        direct = block.WhichOneof("strategy_choice") == "direct"
        related = [Related("every sequence has a row of the batch", model.at("sequence_batching", "direct"))]
        yield RULE.finding(
            place,
            "no control input for CONTROL_SEQUENCE_READY, without which the model cannot tell which rows of the batch "
            "are real",
            help="add a `control_input` for CONTROL_SEQUENCE_READY, or use the `oldest` strategy",
            related=related if direct else [],
        )
