"""# TCI011 engine-per-instance

## What it finds
A TensorRT model with several instances on a GPU and an input whose `dims` vary.

## Why it matters
Instances on one GPU share an engine with fixed shapes. Of an engine with dynamic shapes, each instance deserialises its
own: the weights lie in memory as often as there are instances, and the load takes as many times as long.

## Bad
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
instance_group { kind: KIND_GPU count: 4 }
```

## Good
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
instance_group { kind: KIND_GPU count: 1 }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `model_state.cc` `CreateEngine`, 20.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCI011",
    name="engine-per-instance",
    title="Each instance of an engine with dynamic shapes deserialises its own",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=("instance_group", "input", "backend", "platform", "default_model_filename"),
    only_with=("instance_group",),
    evidence=("tensorrt_backend src/model_state.cc CreateEngine, 20.12-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """A group of several, and one input that varies."""
    if model.backend.name != "tensorrt":
        return
    varying = next((place for place, tensor in enumerate(model.config.input) if -1 in tensor.dims), None)
    if varying is None:
        return
    for index, group in enumerate(model.config.instance_group):
        if group.count > 1 and group.kind in (group.KIND_AUTO, group.KIND_GPU):
            yield RULE.finding(
                model.at("instance_group", index, "count"),
                f"the engine is deserialised {group.count} times on each GPU, because its shapes vary",
                help="measure whether a second instance is worth its memory; several profiles need one each",
                related=[Related("a dynamic shape", model.at("input", varying, "dims"))],
            )
