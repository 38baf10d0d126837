"""# TCP011 allocation-strategy

## What it finds
`execution_context_allocation_strategy` of a TensorRT model with another value than `STATIC` or `ON_PROFILE_CHANGE`.

## Why it matters
The TensorRT backend refuses the model.

## Bad
```
# net/config.pbtxt
backend: "tensorrt"
parameters { key: "execution_context_allocation_strategy" value { string_value: "DYNAMIC" } }
```

## Good
```
# net/config.pbtxt
backend: "tensorrt"
parameters { key: "execution_context_allocation_strategy" value { string_value: "ON_PROFILE_CHANGE" } }
```

## What Triton says
«Invalid value for 'execution_context_allocation_strategy'»

## Evidence
tensorrt_backend `tensorrt_model.cc` `ParseParameters`, 25.05 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP011",
    name="allocation-strategy",
    title="An allocation strategy that TensorRT's backend does not know",
    severity=Severity.ERROR,
    reads=("parameters", "backend", "platform", "default_model_filename"),
    refused=True,
    since=(25, 5),
    evidence=("tensorrt_backend src/tensorrt_model.cc ParseParameters, 25.05-26.06",),
    only_with=("parameters",),
)

KEY = "execution_context_allocation_strategy"
KNOWN = ("STATIC", "ON_PROFILE_CHANGE")


def check(model: Model) -> Iterator[Finding]:
    """The value."""
    if model.backend.name != "tensorrt" or KEY not in model.config.parameters:
        return
    value = model.config.parameters[KEY].string_value
    if value not in KNOWN and "${" not in value:
        yield RULE.finding(
            model.value_at("parameters", KEY, "value", "string_value"),
            f"`{value}` is no `{KEY}`: the tensorrt backend refuses the model",
            help="write `STATIC` or `ON_PROFILE_CHANGE`",
        )
