"""# TCI012 unknown-kind

## What it finds
A `kind` of an instance group given as a number that stands for no kind.

## Why it matters
Any number parses, but Triton knows 0 to 3 (KIND_AUTO, KIND_GPU, KIND_CPU, KIND_MODEL) and refuses the model for others.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: 9 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
```

## What Triton says
«instance group resnet_0 of model resnet has unexpected kind KIND_AUTO»

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI012",
    name="unknown-kind",
    title="A number for `kind` that stands for no kind",
    severity=Severity.ERROR,
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Every group."""
    if model.is_ensemble:
        return
    for index, group in enumerate(model.config.instance_group):
        if not 0 <= group.kind <= 3:
            yield RULE.finding(
                model.at("instance_group", index, "kind"),
                f"kind {group.kind} is none: Triton refuses the model",
                help="write `KIND_GPU`, `KIND_CPU`, `KIND_MODEL` or `KIND_AUTO`",
            )
