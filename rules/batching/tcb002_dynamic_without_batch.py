"""# TCB002 dynamic-without-batch

## What it finds
`dynamic_batching` in a model whose `max_batch_size` is 0, where nothing else in the block is of use to it: no
priorities, no queue policy, no `preserve_ordering`.

## Why it matters
The model loads and never batches: every request runs alone, and `max_queue_delay_microseconds` is without effect.
Often the batch dimension was written into `dims` instead. Some backends raise `max_batch_size` at load if they find
that the model can batch; where that may happen this is said with less confidence, or not at all.

## Bad
```
# resnet/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 0
input { name: "x__0" data_type: TYPE_FP32 dims: [ 1, 3, 224, 224 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 1, 1000 ] }
dynamic_batching { }
```

## Good
```
# resnet/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 1000 ] }
dynamic_batching { }
```

## What Triton says
Nothing.

## Evidence
core `dynamic_batch_scheduler.cc` and `model_config_utils.cc`, 20.01 to 26.06; server#5721; loads without a word on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB002",
    name="dynamic-without-batch",
    title="`dynamic_batching` in a model that does not batch",
    severity=Severity.WARNING,
    needs=("config", "files"),
    reads=("dynamic_batching", "max_batch_size", "backend", "platform", "input", "output"),
    only_with=("dynamic_batching",),
    evidence=("core src/dynamic_batch_scheduler.cc, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """The block must be there, and nothing in it that works without batches."""
    config = model.config
    if config.WhichOneof("scheduling_choice") != "dynamic_batching" or config.max_batch_size != 0:
        return
    block = config.dynamic_batching
    if block.preferred_batch_size:
        return  # Triton refuses that
    if block.preserve_ordering or block.priority_levels or block.priority_queue_policy:
        return
    if block.HasField("default_queue_policy"):
        return
    written, exact = model.written("max_batch_size"), model.part.exact
    if not exact and not written:
        return
    related = [Related("no batches", model.at("max_batch_size"))] if written else []
    cut = model.deletion("dynamic_batching")
    yield RULE.finding(
        model.at("dynamic_batching"),
        f"`dynamic_batching` has no effect: `max_batch_size` is {'' if written else 'not set, hence '}0, so that every "
        "request runs alone" + ("" if exact else ", unless the backend raises it at load"),
        help="set `max_batch_size` to 1 or more and leave the batch dimension out of `dims`; or delete the block",
        related=related,
        confidence=Confidence.HIGH if exact else Confidence.MEDIUM,
        fix=Fix("delete `dynamic_batching`", cut, safe=exact) if cut else None,
    )
