"""# TCS002 unknown-field

## What it finds
A name that is no field where it stands, in any release of Triton: a typing error, a name from another tool,
or a field in the wrong block. A field that exists, but only in newer releases, is TCS003.

## Why it matters
Triton does not skip what it does not know: one unknown name makes it refuse the whole file, so the model does
not load. Fields are never taken away either, so a newer server does not help.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batchsize: 8
dynamic_batch { }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 2:14: Message type "inference.ModelConfig" has no field
named "max_batchsize".» on stderr, with the place of what follows the name, then «failed to read text proto
from …/config.pbtxt». Only the first unknown name is printed.

## Evidence
core `filesystem/api.cc`, `ReadTextProto`, and protobuf `text_format.cc`, the same in 22.11 to 24.10 (six
servers measured); fields of all releases 20.03 to 26.10 from the published `model_config.proto`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS002",
    name="unknown-field",
    title="A field that no release of Triton has at this place",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
        "protobuf text_format.cc ConsumeField, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each name."""
    for fault in model.problems_of("unknown-field"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
