"""# TCB010 slot-utilization

## What it finds
A `minimum_slot_utilization` of the `direct` strategy that is below 0 or above 1.

## Why it matters
Triton refuses the model. The number is a share of the slots of a batch, not a percentage.

## Bad
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { direct { minimum_slot_utilization: 50 } }
```

## Good
```
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { direct { minimum_slot_utilization: 0.5 } }
```

## What Triton says
«sequence batching minimum slot utilization must be in range»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.11 to 26.06; loaded on real servers 22.11 to 24.10, which take 0
although the text says otherwise.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCB010",
    name="slot-utilization",
    title="A slot utilization that is not between 0 and 1",
    severity=Severity.ERROR,
    reads=("sequence_batching",),
    only_with=("sequence_batching",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.11-26.06", "measured on 22.11-24.10"),
)

_PATH = ("sequence_batching", "direct", "minimum_slot_utilization")


def check(model: Model) -> Iterator[Finding]:
    """NaN is neither below nor above, to Triton as well."""
    share = getattr(model.config.sequence_batching.direct, "minimum_slot_utilization", 0.0)
    if not (share < 0 or share > 1):
        return
    place = model.value_at(*_PATH)
    fix = None
    if 1 < share <= 100:
        fix = Fix(
            f"minimum_slot_utilization: {share / 100:g}",
            (Edit(place.path, place.start, place.end, f"{share / 100:g}"),),
        )
    yield RULE.finding(
        model.at(*_PATH),
        f"`minimum_slot_utilization` is {share:g}, but it is a share between 0 and 1: Triton refuses the model",
        help=f"write {share / 100:g} if percent was meant" if fix else "write a number between 0 and 1",
        fix=fix,
    )
