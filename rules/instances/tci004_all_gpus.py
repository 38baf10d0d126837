"""# TCI004 all-gpus

## What it finds
A group of several instances on GPUs, without `gpus`, where the server is known to see more than one GPU.

## Why it matters
`count` is per GPU: `count: 2` on 4 GPUs makes 8 instances, each with its own memory, and the model lies on every GPU,
also beside models that were meant to have one for themselves.

## Bad
```
# --machine workstation-610
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU count: 2 }
```

## Good
```
# --machine workstation-610
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU count: 2 gpus: [ 0 ] }
```

## What Triton says
Nothing; with `--log-verbose=1` there is one «Creating instance resnet_0_0 on GPU 1» for each.

## Evidence
core `model_config_utils.cc` `NormalizeInstanceGroup` and `backend_model.cc`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI004",
    name="all-gpus",
    title="`count` instances on every GPU of several",
    severity=Severity.INFO,
    needs=("config", "host"),
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    evidence=("core src/model_config_utils.cc NormalizeInstanceGroup, 20.01-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Groups on GPUs, or wherever there are some, of backends that run on them."""
    if model.is_ensemble or model.backend.name == "openvino":
        return
    for index, group in enumerate(model.config.instance_group):
        if group.kind not in (group.KIND_AUTO, group.KIND_GPU) or group.gpus or group.count < 2:
            continue
        seen = model.repository.gpu_count
        if seen is None or seen < 2:
            continue
        yield RULE.finding(
            model.at("instance_group", index, "count"),
            f"{group.count * seen} instances: {group.count} on each of the {seen} GPUs that the server sees",
            help="write `gpus: [ 0 ]`, or which GPUs are meant; if it is all of them, this is right as it is",
        )
