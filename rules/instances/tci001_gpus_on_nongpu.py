"""# TCI001 gpus-on-nongpu

## What it finds
An instance group of kind KIND_CPU or KIND_MODEL that lists `gpus`.

## Why it matters
Triton refuses the model. Where instances of KIND_MODEL go is decided by the model itself, not by `gpus`.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 2 gpus: [ 0 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU count: 2 gpus: [ 0 ] }
```

## What Triton says
«instance group resnet_0 of model resnet has kind KIND_CPU but specifies one or more GPUs»

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCI001",
    name="gpus-on-nongpu",
    title="An instance group that is not on GPUs lists some",
    severity=Severity.ERROR,
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Every group; a group of an ensemble is another fault."""
    if model.is_ensemble:
        return
    for index, group in enumerate(model.config.instance_group):
        kind = {group.KIND_CPU: "KIND_CPU", group.KIND_MODEL: "KIND_MODEL"}.get(group.kind)
        if kind is None or not group.gpus:
            continue
        cut = model.deletion("instance_group", index, "gpus")
        yield RULE.finding(
            model.at("instance_group", index, "gpus"),
            f"an instance group of {kind} lists `gpus`: Triton refuses the model",
            help="delete `gpus`, or write `kind: KIND_GPU`",
            related=[Related("its kind", model.at("instance_group", index, "kind"))],
            fix=Fix("delete `gpus`", cut, safe=True) if cut else None,
        )
