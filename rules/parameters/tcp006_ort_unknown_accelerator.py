"""# TCP006 ort-unknown-accelerator

## What it finds
An execution accelerator of an ONNX model with a name that the backend does not know.

## Why it matters
The backend refuses the model. On a GPU it knows `tensorrt`, and `cuda` since 24.06; on a CPU `openvino`.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
optimization { execution_accelerators { gpu_execution_accelerator { name: "TensorRT" } } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
optimization { execution_accelerators { gpu_execution_accelerator { name: "tensorrt" } } }
```

## What Triton says
«unknown Execution Accelerator 'TensorRT' is requested»

## Evidence
onnxruntime_backend `onnxruntime.cc` `LoadModel`, 22.12 to 26.06; `cuda` from 24.06 on.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity, release_tag

RULE = Rule(
    code="TCP006",
    name="ort-unknown-accelerator",
    title="An execution accelerator that ONNX Runtime's backend does not know",
    severity=Severity.ERROR,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename", "instance_group"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime.cc LoadModel, 22.12-26.06",),
    only_with=("optimization",),
)

CUDA_SINCE = (24, 6)
KINDS = {"gpu_execution_accelerator": ("tensorrt", "cuda"), "cpu_execution_accelerator": ("openvino",)}
_PLACE = ("optimization", "execution_accelerators")


def check(model: Model) -> Iterator[Finding]:
    """Every accelerator by its name; those of a GPU only where an instance may run on one."""
    if model.backend.name != "onnxruntime":
        return
    groups, release = model.config.instance_group, model.launch.release
    kinds = {group.kind for group in groups}
    for field, known in KINDS.items():
        if field.startswith("gpu") and groups and kinds <= {2}:
            continue  # never read
        if release is not None and release < CUDA_SINCE:
            known = tuple(name for name in known if name != "cuda")
        for index, one in enumerate(getattr(model.config.optimization.execution_accelerators, field)):
            if one.name in known:
                continue
            place = model.value_at(*_PLACE, field, index, "name")
            near = one.name.lower() if one.name.lower() in known else ""
            sure = field.startswith("cpu") or 1 in kinds
            when = f" of {release_tag(release)}" if one.name == "cuda" and release else ""
            yield RULE.finding(
                place,
                f"the onnxruntime backend{when} knows no accelerator `{one.name}`: it refuses the model"
                + ("" if sure else " on a machine with a GPU"),
                help=f"write {' or '.join(f'`{name}`' for name in known)}",
                confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
                fix=Fix(f"write `{near}`", (Edit(place.path, place.start, place.end, f'"{near}"'),)) if near else None,
            )
