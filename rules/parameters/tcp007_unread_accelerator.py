"""# TCP007 unread-accelerator

## What it finds
Execution accelerators that nobody reads: those of a GPU in a model whose instances are all on the CPU, and any in a
model of a backend that has none.

## Why it matters
Triton ignores them without a word, and whoever wrote them believes that the model is accelerated.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU }
optimization { execution_accelerators { gpu_execution_accelerator { name: "tensorrt" } } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
optimization { execution_accelerators { gpu_execution_accelerator { name: "tensorrt" } } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `onnxruntime.cc` and tensorflow_backend `tensorflow.cc`, the only readers of the block, and they
read the GPU part for GPU instances only, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCP007",
    name="unread-accelerator",
    title="Execution accelerators that nobody reads",
    severity=Severity.WARNING,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename", "instance_group"),
    evidence=("onnxruntime_backend src/onnxruntime.cc, tensorflow_backend src/tensorflow.cc, 22.12-26.06",),
    only_with=("optimization",),
)

NONE = frozenset(("tensorrt", "pytorch", "python", "openvino", "ensemble", "vllm", "dali", "fil"))
_PLACE = ("optimization", "execution_accelerators")


def check(model: Model) -> Iterator[Finding]:
    """The block, or its part for GPUs."""
    if not model.config.optimization.HasField("execution_accelerators"):
        return
    block = model.config.optimization.execution_accelerators
    backend, groups = model.backend.name, model.config.instance_group
    if backend in NONE and (block.gpu_execution_accelerator or block.cpu_execution_accelerator):
        edits = model.deletion(*_PLACE)
        yield RULE.finding(
            model.at(*_PLACE),
            f"the {backend} backend reads no `execution_accelerators`: they are silently ignored",
            help="delete the block",
            fix=Fix("delete `execution_accelerators`", edits, safe=True) if edits else None,
        )
        return
    on_cpu = groups and all(group.kind == 2 for group in groups)
    if backend == "onnxruntime" and on_cpu and block.gpu_execution_accelerator:
        yield RULE.finding(
            model.at(*_PLACE, "gpu_execution_accelerator"),
            "all instances of this model are on the CPU (`KIND_CPU`), so its GPU accelerator is silently ignored",
            help="delete the accelerator, or use `KIND_GPU`",
        )
