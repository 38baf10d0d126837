"""# TCX012 gpu-budget

## What it finds
Models whose files are larger, all together, than the memory of the GPU that they are loaded on, which `--host` tells. A
TensorRT plan counts once, an ONNX or TorchScript file once for each instance. What the models need for their work comes
on top and is not counted.

## Why it matters
Weights are copied to the GPU as they are. When its memory is full the next model that asks fails, and which one that is
hangs on the order of the loads: it can be another one at each start.

## Bad
```
# --machine geforce-laptop
# encoder/1/model.plan
(plan 10.3.0.26, 5 GiB)
# encoder/config.pbtxt
platform: "tensorrt_plan"
# decoder/1/model.plan
(plan 10.3.0.26, 6 GiB)
# decoder/config.pbtxt
platform: "tensorrt_plan"
```

## Good
```
# --machine geforce-laptop
# encoder/1/model.plan
(plan 10.3.0.26, 2 GiB)
# encoder/config.pbtxt
platform: "tensorrt_plan"
# decoder/1/model.plan
(plan 10.3.0.26, 3 GiB)
# decoder/config.pbtxt
platform: "tensorrt_plan"
```

## What Triton says
«CUDA out of memory», «out of memory», or the words of the backend that came last.

## Evidence
Arithmetic on sizes of files. That each instance holds its own copy: server#6928 (2024), where a maintainer says so. Not
measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCX012",
    name="gpu-budget",
    title="Model files are larger than the memory of their GPU",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "files", "launch", "host"),
    reads=("instance_group",),
    evidence=("server#6928: each instance has its own copy; not measured",),
)

RELATED = 5


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the first GPU that is too small."""
    if not repository.launch.host_known:
        return
    gpus = repository.fit.host.gpus
    if not gpus or not all(gpu.memory for gpu in gpus) or repository.gpu_count != len(gpus):
        return
    if repository.launch.one_by_one:
        return
    for number, gpu in enumerate(gpus):
        taken = {}
        for model in repository.served.values():
            size = 0 if model.broken else _size(model, number)
            if size:
                taken[model.name] = size
        total = sum(taken.values())
        if total <= gpu.memory:
            continue
        models = [repository.served[name] for name in sorted(taken, key=lambda name: -taken[name])]
        several = len(taken) > 1
        yield RULE.finding(
            models[0].at("instance_group"),
            f"the files of {listing((one.name for one in models), len(models))} take {_shown(total)}"
            f"{' together' if several else ''}, and the GPU {gpu.name} has {_shown(gpu.memory)}",
            help="make fewer instances, spread the models over GPUs with `gpus`, or serve fewer of them from one GPU",
            model=models[0].name,
            related=[Related(_shown(taken[one.name]), one.at("instance_group")) for one in models[1:RELATED]],
        )
        return


def _size(model: Model, gpu: int) -> int:
    """The bytes of a model on one GPU, as far as its files tell."""
    backend, config = model.backend.name, model.config
    if backend not in ("tensorrt", "onnxruntime", "pytorch"):
        return 0
    if config.optimization.execution_accelerators.gpu_execution_accelerator:
        return 0  # another engine is built, of another size
    found = (version.entry(model.default_file) for version in model.loaded)
    size = sum(entry.size for entry in found if entry is not None and entry.kind == "file")
    return size * _copies(model, gpu)


def _copies(model: Model, gpu: int) -> int:
    config = model.config
    if not config.instance_group:
        return 1
    groups = [
        group
        for group in config.instance_group
        if group.kind in (group.KIND_AUTO, group.KIND_GPU) and (not group.gpus or gpu in group.gpus)
    ]
    count: int = sum(max(1, group.count) for group in groups)
    shared = model.backend.name == "tensorrt" or "ENABLE_WEIGHT_SHARING" in config.parameters
    return min(1, count) if shared else count


def _shown(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
