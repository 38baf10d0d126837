"""# TCI002 kind-of-backend

## What it finds
Instances of a kind that the backend does not take: a TensorRT model on KIND_CPU or KIND_MODEL, an OpenVINO model on
KIND_GPU or KIND_MODEL, or on KIND_AUTO, which is what a group without `kind` has.

## Why it matters
The backend refuses the model. An OpenVINO model without any `instance_group` goes to the CPU; a group without `kind`
becomes one of KIND_GPU on a host with a GPU, before the backend sees it. TensorRT takes KIND_MODEL since 26.06 with the
parameter `enable_multi_device`.

## Bad
```
# resnet/config.pbtxt
backend: "openvino"
instance_group { count: 2 kind: KIND_GPU }
```

## Good
```
# resnet/config.pbtxt
backend: "openvino"
instance_group { count: 2 kind: KIND_CPU }
```

## What Triton says
OpenVINO: «supports only Kind CPU and AUTO»; TensorRT: «TensorRT backend supports only GPU device»

## Evidence
tensorrt_backend `instance_state.cc` and openvino_backend `openvino.cc`, 20.08 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCI002",
    name="kind-of-backend",
    title="Instances of a kind that the backend does not take",
    severity=Severity.ERROR,
    needs=("config", "launch", "host"),
    reads=("instance_group", "backend", "platform", "default_model_filename", "parameters"),
    only_with=("instance_group",),
    evidence=("tensorrt_backend src/instance_state.cc, openvino_backend src/openvino.cc, 20.08-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Only the two backends that take one kind of device."""
    backend = model.backend.name
    if backend not in ("tensorrt", "openvino"):
        return
    for index, group in enumerate(model.config.instance_group):
        path = ("instance_group", index, "kind")
        kind = {0: "KIND_AUTO", 1: "KIND_GPU", 2: "KIND_CPU", 3: "KIND_MODEL"}.get(group.kind, "")
        if backend == "tensorrt" and kind in ("KIND_CPU", "KIND_MODEL"):
            if kind == "KIND_MODEL" and _several_devices(model):
                continue
            wanted, why = "KIND_GPU", "the TensorRT backend runs on GPUs only"
        elif backend == "openvino" and kind in ("KIND_GPU", "KIND_MODEL"):
            wanted, why = "KIND_CPU", "the OpenVINO backend runs on the CPU only"
        elif backend == "openvino" and kind == "KIND_AUTO" and model.repository.gpu_count != 0:
            yield _auto(model, index)
            continue
        else:
            continue
        place = model.value_at(*path)
        yield RULE.finding(
            model.at(*path),
            f"{kind}: {why}, and it refuses the model",
            help=f"write `kind: {wanted}`",
            fix=Fix(f"kind: {wanted}", (Edit(place.path, place.start, place.end, wanted),)),
        )


def _several_devices(model: Model) -> bool:
    """Whether one model may be spread over several GPUs."""
    release = model.launch.release
    return (release is None or release >= (26, 6)) and "enable_multi_device" in model.config.parameters


def _auto(model: Model, index: int) -> Finding:
    written = model.written("instance_group", index, "kind")
    sure = bool(model.repository.gpu_count)
    return RULE.finding(
        model.at("instance_group", index, "kind"),
        ("KIND_AUTO" if written else "a group without `kind`")
        + " becomes KIND_GPU on a host with a GPU, and the OpenVINO backend refuses that",
        help="write `kind: KIND_CPU`",
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )
