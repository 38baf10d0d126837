"""# TCS003 field-too-new

## What it finds
A field, or a value such as `TYPE_BF16`, that the release you deploy to does not have yet. It needs `--triton`
or `--image`; without them the newest release is assumed, which has them all.

## Why it matters
An older server takes a newer field for a typing error and refuses the whole file, so a configuration that
works on one machine does not load on another with an older image.

## Bad
```
# resnet/config.pbtxt
# --triton 23.12
backend: "onnxruntime"
runtime: "libtriton_onnxruntime.so"
```

## Good
```
# resnet/config.pbtxt
# --triton 24.01
backend: "onnxruntime"
runtime: "libtriton_onnxruntime.so"
```

## What Triton says
«Message type "inference.ModelConfig" has no field named "runtime".», just as for a misspelt name; for a
value: «Unknown enumeration value of "TYPE_BF16" for field "data_type".»

## Evidence
The published `model_config.proto` of every release 20.03 to 26.10, common repository (before 21.05: server);
the refusal itself was measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS003",
    name="field-too-new",
    title="A field or value that the target release does not know yet",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "common protobuf/model_config.proto, every release 20.03-26.10",
        "protobuf text_format.cc ConsumeField, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each field or value."""
    for fault in model.problems_of("too-new"):
        message = fault.message
        if "refuse" not in message:
            message += " and refuses the whole model"
        yield RULE.finding(fault.span, message, help=fault.help, related=fault.related)
