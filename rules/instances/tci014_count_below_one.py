"""# TCI014 count-below-one

## What it finds
A `count` of an instance group that is written as 0 or as a negative number.

## Why it matters
Triton takes it for not set and makes the default number of instances, which is one, or two on the CPU for ONNX and
TensorFlow models. It does not switch the group off.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0 ] }, { kind: KIND_GPU count: 0 gpus: [ 1 ] } ]
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0 ] } ]
```

## What Triton says
Nothing; `/v2/models/resnet/config` shows `count: 1`.

## Evidence
core `model_config_utils.cc` `NormalizeInstanceGroup`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI014",
    name="count-below-one",
    title="A `count` of 0 makes instances all the same",
    severity=Severity.WARNING,
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    evidence=("core src/model_config_utils.cc NormalizeInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Only where it is written."""
    if model.is_ensemble:
        return
    for index, group in enumerate(model.config.instance_group):
        path = ("instance_group", index, "count")
        if group.count < 1 and model.written(*path):
            yield RULE.finding(
                model.at(*path),
                f"`count: {group.count}` does not mean none: Triton makes the default number of instances",
                help="delete the group, or write a `count` of 1 or more",
            )
