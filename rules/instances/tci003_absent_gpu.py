"""# TCI003 absent-gpu

## What it finds
A number in `gpus` that is negative, or that is no GPU of those that the server sees.

## Why it matters
Triton refuses the model. A group without `kind` goes to the CPU if one of its GPUs is missing, and is then refused for
listing GPUs, which is a misleading reason. GPUs count from 0, in the container.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU gpus: [ -1 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU gpus: [ 0 ] }
```

## What Triton says
«instance group resnet_0 of model resnet specifies invalid or unsupported gpu id -1. GPUs with at least the minimum
required CUDA compute compatibility of 6.000000 are: 0», or «has kind KIND_CPU but specifies one or more GPUs»

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10 without GPU.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI003",
    name="absent-gpu",
    title="`gpus` names a GPU that is not there",
    severity=Severity.ERROR,
    needs=("config", "host"),
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Groups on GPUs, or wherever there are some. That there are none at all is for another rule."""
    if model.is_ensemble:
        return
    for index, group in enumerate(model.config.instance_group):
        if group.kind not in (group.KIND_AUTO, group.KIND_GPU) or not group.gpus:
            continue
        count = model.repository.gpu_count or 0
        for place, number in enumerate(group.gpus):
            if number >= 0 and (not count or number < count):
                continue
            seen = "GPUs count from 0"
            if number >= 0:
                seen = f"the server sees {count} GPUs, 0 to {count - 1}" if count != 1 else "the server sees one GPU, 0"
            auto = group.kind == group.KIND_AUTO
            yield RULE.finding(
                model.at("instance_group", index, "gpus", place),
                f"GPU {number} is not there ({seen}): Triton refuses the model"
                + (", and says that it is one of KIND_CPU with GPUs" if auto else ""),
                help="write numbers of GPUs that the server sees, or leave `gpus` out: that means all of them",
            )
            break
