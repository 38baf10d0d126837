"""# TCB015 negative-max-batch

## What it finds
A `max_batch_size` below 0.

## Why it matters
Triton refuses the model. -1 does not mean "any size": 0 means that the model does not batch, and with 1 or more the
batch dimension is left out of `dims`.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: -1
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«'max_batch_size' must be non-negative value for resnet»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.01 to 26.06; server#264; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCB015",
    name="negative-max-batch",
    title="A `max_batch_size` below 0",
    severity=Severity.ERROR,
    reads=("max_batch_size",),
    only_with=("max_batch_size",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """One number."""
    if model.config.max_batch_size >= 0:
        return
    place = model.value_at("max_batch_size")
    yield RULE.finding(
        model.at("max_batch_size"),
        f"`max_batch_size` is {model.config.max_batch_size}: Triton refuses the model",
        help="write the largest batch that the model can take; 0 if it does not batch",
        fix=Fix("max_batch_size: 0", (Edit(place.path, place.start, place.end, "0"),)),
    )
