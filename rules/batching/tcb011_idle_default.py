"""# TCB011 idle-default

## What it finds
`sequence_batching` without `max_sequence_idle_microseconds`, or with 0.

## Why it matters
Triton takes one second. A client that pauses longer between two requests of a sequence loses its slot and its state;
its next request is refused, because it does not begin a sequence.

## Bad
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { }
```

## Good
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { max_sequence_idle_microseconds: 5000000 }
```

## What Triton says
At load nothing; at run time «must specify the START flag on the first request of the sequence»

## Evidence
core `model_config_utils.cc` `NormalizeModelConfig` and `sequence_batch_scheduler.cc`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB011",
    name="idle-default",
    title="Sequences are dropped after the default of one idle second",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=("sequence_batching",),
    only_with=("sequence_batching",),
    evidence=("core src/model_config_utils.cc NormalizeModelConfig, 20.01-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Unset and 0 are the same to Triton."""
    block = model.config.sequence_batching
    if model.config.WhichOneof("scheduling_choice") != "sequence_batching" or block.max_sequence_idle_microseconds:
        return
    if getattr(block, "iterative_sequence", False):
        return  # such a model goes on by itself, no client can be slow
    written = model.written("sequence_batching", "max_sequence_idle_microseconds")
    yield RULE.finding(
        model.at("sequence_batching", "max_sequence_idle_microseconds"),
        "a sequence is dropped when its client pauses for a second: "
        + ("0 means the default" if written else "`max_sequence_idle_microseconds` is not set"),
        help="write `max_sequence_idle_microseconds`, longer than any pause of a client",
    )
