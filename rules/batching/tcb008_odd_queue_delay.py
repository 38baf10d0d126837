"""# TCB008 odd-queue-delay

## What it finds
A `max_queue_delay_microseconds` of more than 100 ms, or of 2 to 9 µs: the number looks as if it were meant in
another unit.

## Why it matters
A request waits so long for others to share a batch with. With 500000, meant as 500 µs, each request may wait half a
second whenever a batch is not full; with 5, meant as 5 ms, hardly any two requests meet. (1 is left alone: it is
written for "do not wait".)

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { max_queue_delay_microseconds: 500000 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { max_queue_delay_microseconds: 500 }
```

## What Triton says
Nothing.

## Evidence
core `dynamic_batch_scheduler.cc`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB008",
    name="odd-queue-delay",
    title="A queue delay that looks as if it were meant in another unit",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("dynamic_batching", "sequence_batching", "max_batch_size"),
    only_with=("dynamic_batching", "sequence_batching"),
    evidence=("core src/dynamic_batch_scheduler.cc, 20.01-26.06",),
)

_LONG = 100_000
_SHORT = range(2, 10)
_BLOCKS = (("dynamic_batching",), ("sequence_batching", "direct"), ("sequence_batching", "oldest"))
_FIELD = "max_queue_delay_microseconds"


def check(model: Model) -> Iterator[Finding]:
    """The delay of whichever batcher there is."""
    if model.config.max_batch_size < 1 and model.is_final:
        return  # nothing is waited for
    for path in _BLOCKS:
        block = model.config
        for name in path:
            block = getattr(block, name)
        delay = getattr(block, _FIELD, 0)
        if delay > _LONG:
            yield RULE.finding(
                model.at(*path, _FIELD),
                f"each request may wait {_duration(delay)} for others to fill its batch",
                help="the unit is microseconds: 1 ms is 1000; if the wait is meant, this is right as it is",
            )
        elif delay in _SHORT:
            yield RULE.finding(
                model.at(*path, _FIELD),
                f"a wait of {delay} µs is too short for other requests to come",
                help="the unit is microseconds: 1 ms is 1000; without a delay, delete the line",
                severity=Severity.INFO,
            )


def _duration(delay: int) -> str:
    return f"{delay / 1e6:g} s" if delay >= 1_000_000 else f"{delay / 1e3:g} ms"
