"""# TCV044 mixed-gpus

## What it finds
GPUs of different compute capability in one server, which `--host` tells, and a TensorRT model that has an instance on
each of them from a single plan: without `gpus`, and without `cc_model_filenames`.

## Why it matters
A plan is built for the GPU that it was built on. On one of another compute capability it does not load, and the model
is refused, unless it was built to run on several.

## Bad
```
# --machine mixed
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## Good
```
# --machine mixed
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { kind: KIND_GPU gpus: [ 0 ] }
```

## What Triton says
«The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5»

## Evidence
TensorRT's words in the reports NVIDIA/TensorRT-LLM#3031 and NVIDIA/TensorRT#2176; backend
`src/backend_model_instance.cc`, read in the branch of 26.06: one file for all GPUs unless `cc_model_filenames` names
more. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCV044",
    name="mixed-gpus",
    title="One plan for GPUs of different compute capability",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch", "host"),
    reads=("instance_group", "cc_model_filenames"),
    evidence=("backend src/backend_model_instance.cc cc_model_filenames, 26.06", "NVIDIA/TensorRT-LLM#3031"),
    backends=("tensorrt",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for the model."""
    gpus = model.repository.fit.host.gpus
    seen = model.repository.gpu_count
    kinds = sorted({gpu.capability for gpu in gpus if gpu.capability})
    if len(kinds) < 2 or seen != len(gpus) or model.config.cc_model_filenames:
        return
    groups = model.config.instance_group
    if groups and not any(group.kind in (group.KIND_AUTO, group.KIND_GPU) and not group.gpus for group in groups):
        return
    shown = " and ".join(f"{major}.{minor}" for major, minor in kinds)
    yield RULE.finding(
        model.at("instance_group") if groups else model.at("platform" if model.config.platform else "backend"),
        f"`{model.name}` has instances on GPUs of compute capability {shown}, and one plan for all of them",
        help="name the GPUs that it was built for: `gpus: [ 0 ]`; or give a plan for each in `cc_model_filenames`",
    )
