"""# TCI005 cpu-count-two

## What it finds
A group of KIND_CPU without `count` in an ONNX or TensorFlow model.

## Why it matters
Triton makes two instances there, where it makes one of any other group: twice the memory, and two pools of threads on
the same cores.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 1 }
```

## What Triton says
Nothing; `/v2/models/resnet/config` shows `count: 2`.

## Evidence
core `model_config_utils.cc` `SetDefaultInstanceCount`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI005",
    name="cpu-count-two",
    title="Two instances by default on the CPU",
    severity=Severity.INFO,
    reads=("instance_group", "backend", "platform", "default_model_filename"),
    only_with=("instance_group",),
    evidence=("core src/model_config_utils.cc SetDefaultInstanceCount, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Every group on the CPU whose number is left to Triton."""
    if model.backend.name not in ("onnxruntime", "tensorflow"):
        return
    for index, group in enumerate(model.config.instance_group):
        if group.kind == group.KIND_CPU and not group.count and not model.written("instance_group", index, "count"):
            yield RULE.finding(
                model.at("instance_group", index, "kind"),
                "two instances, because `count` is not set and the group is on the CPU",
                help="write `count: 1`, or `count: 2` if two are meant",
            )
