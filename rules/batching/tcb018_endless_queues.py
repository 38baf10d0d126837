"""# TCB018 endless-queues

## What it finds
More than a million slots for sequences, or priority levels: `max_candidate_sequences`, or `max_batch_size` of a model
with the `direct` strategy, or, up to 22.11, `priority_levels`.

## Why it matters
Triton makes all slots of each instance while the model loads, and up to 22.11 a queue for each priority level too: a
million levels take 23 seconds and 3.6 GB. Hundred million slots take minutes, and where the memory does not suffice the
**whole server crashes**, with every other model.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 2147483647
sequence_batching { max_sequence_idle_microseconds: 5000000 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 64
sequence_batching { max_sequence_idle_microseconds: 5000000 }
```

## What Triton says
Nothing, or «what():  std::bad_alloc», signal 6

## Evidence
core `sequence_batch_scheduler.cc`, `scheduler_utils.cc`; measured on real servers: 2^31-1 slots crash all of 22.11 to
24.10, 10^8 candidates do not load within 12 s; a million priority levels load at once from 23.04 on.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB018",
    name="endless-queues",
    title="Millions of slots or priority levels, which are all made at load",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch"),
    reads=("sequence_batching", "dynamic_batching", "max_batch_size"),
    only_with=("sequence_batching", "dynamic_batching"),
    evidence=("measured on 22.11-24.10",),
)

_MANY = 1_000_000
# The last release that was seen to make a queue for each priority level; 23.04 does not.
_ALL_LEVELS = (22, 11)
_TOO_MANY = 100_000_000


def check(model: Model) -> Iterator[Finding]:
    """Whatever is made once for each number."""
    config = model.config
    counts: list[tuple[int, tuple[str, ...], str]] = []
    if config.WhichOneof("scheduling_choice") == "sequence_batching":
        if config.sequence_batching.WhichOneof("strategy_choice") == "oldest":
            path: tuple[str, ...] = ("sequence_batching", "oldest", "max_candidate_sequences")
            counts.append((config.sequence_batching.oldest.max_candidate_sequences, path, "slots for sequences"))
        else:
            counts.append((config.max_batch_size, ("max_batch_size",), "slots for sequences"))
    if model.launch.release is not None and model.launch.release[:2] <= _ALL_LEVELS:
        levels = getattr(config.dynamic_batching, "priority_levels", 0)
        counts.append((levels, ("dynamic_batching", "priority_levels"), "queues"))
    for count, path, what in counts:
        if count <= _MANY:
            continue
        fatal = count >= _TOO_MANY or what == "queues"
        yield RULE.finding(
            model.at(*path),
            f"{count} {what} are made while the model loads: "
            + (
                "that takes minutes, or crashes the whole server for want of memory"
                if fatal
                else "that takes gigabytes"
            ),
            help="write a number that clients can reach",
            severity=Severity.ERROR if fatal else Severity.WARNING,
        )
