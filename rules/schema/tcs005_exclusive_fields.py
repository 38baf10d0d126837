"""# TCS005 exclusive-fields

## What it finds
Two fields of which only one may be given: two of the schedulers `dynamic_batching`, `sequence_batching` and
`ensemble_scheduling`; two of `latest`, `all` and `specific` in `version_policy`; `direct` and `oldest` in
`sequence_batching`; two kinds of data for one warm-up input or one initial state.

## Why it matters
Triton refuses the file, even where the second block is empty. Most often `dynamic_batching` is added to an
ensemble, whose parts would each need their own, or to a model that batches sequences.

## Bad
```
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 8
ensemble_scheduling { }
dynamic_batching { }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 4:18: Field "dynamic_batching" is specified along with field
"ensemble_scheduling", another member of oneof "scheduling_choice".», with the place of what follows the name.

## Evidence
common `model_config.proto`, the `oneof` groups, 20.01 to 26.10; protobuf `text_format.cc`, measured on six
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS005",
    name="exclusive-fields",
    title="Two fields that exclude each other, such as two schedulers",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "common protobuf/model_config.proto oneof scheduling_choice, 20.01-26.10",
        "protobuf text_format.cc ConsumeField, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each second field, which points to the first one."""
    for fault in model.problems_of("second-oneof"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
