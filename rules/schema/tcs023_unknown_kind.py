"""# TCS023 unknown-kind

## What it finds
An instance group whose `kind` is a number that stands for no kind.

## Why it matters
Triton refuses the model. Enums may be written as numbers, and one without a meaning is no error of syntax, for any
enum; but of an instance group Triton has to know where it runs.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
instance_group { kind: 9 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
instance_group { kind: KIND_CPU }
```

## What Triton says
«instance group resnet_0 of model resnet has unexpected kind KIND_AUTO»

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS023",
    name="unknown-kind",
    title="The `kind` of an instance group is a number without meaning",
    severity=Severity.ERROR,
    reads=("instance_group.kind",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("instance_group",),
)


def check(model: Model) -> Iterator[Finding]:
    """Numbers that the enum does not have."""
    for number, group in enumerate(model.config.instance_group):
        known = group.DESCRIPTOR.fields_by_name["kind"].enum_type.values_by_number
        if group.kind not in known:
            names = [value.name for _, value in sorted(known.items())]
            yield RULE.finding(
                model.at("instance_group", number, "kind"),
                f"{group.kind} stands for no kind of instance group: Triton refuses the model",
                help=f"write {', '.join(names[:-1])} or {names[-1]}",
            )
