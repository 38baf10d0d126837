"""# TCZ003 library-path

## What it finds
A library that a configuration makes the server load, by a relative path or from a folder into which everybody can
write: `op_library_filename`, `trt_extra_plugin_lib_paths`, `CPU_EXTENSION_PATH`.

## Why it matters
The library runs inside the server. A relative path depends on where the server is started, and a library in `/tmp` can
be replaced by any process of the machine.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_operations { op_library_filename: "custom_ops.so" }
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_operations { op_library_filename: "/opt/ops/custom_ops.so" }
```

## What Triton says
Nothing if it is found.

## Evidence
onnxruntime_backend `onnxruntime.cc` `ModelState::Create`, openvino_backend `openvino.cc` `ParseParameters`, 20.08 to
26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ003",
    name="library-path",
    title="A library is loaded by a relative path or from a public folder",
    severity=Severity.WARNING,
    reads=("model_operations", "optimization.execution_accelerators", "parameters"),
    evidence=("onnxruntime_backend src/onnxruntime.cc ModelState::Create, 20.08-26.06",),
    only_with=("model_operations", "optimization", "parameters"),
)

_PUBLIC = ("/tmp/", "/var/tmp/", "/dev/shm/")
_Path = tuple[str | int, ...]


def check(model: Model) -> Iterator[Finding]:
    """Look at every library that is named."""
    for path, name in _libraries(model):
        if not name or (name.startswith("/") and not name.startswith(_PUBLIC)):
            continue
        where = "a folder into which everybody can write" if name.startswith("/") else "wherever the server is started"
        yield RULE.finding(
            model.value_at(*path),
            f"the library `{name}` is loaded into the server from {where}",
            help="write a whole path to a place that only the administrator can change",
        )


def _libraries(model: Model) -> Iterator[tuple[_Path, str]]:
    config = model.config
    for index, name in enumerate(config.model_operations.op_library_filename if _has_operations(model) else ()):
        yield ("model_operations", "op_library_filename", index), name
    accelerators = config.optimization.execution_accelerators
    for index, one in enumerate(accelerators.gpu_execution_accelerator):
        key = "trt_extra_plugin_lib_paths"
        if key in one.parameters:
            base = ("optimization", "execution_accelerators", "gpu_execution_accelerator", index)
            for name in one.parameters[key].split(";"):
                yield (*base, "parameters", key, "value"), name
    if model.backend.name == "openvino" and "CPU_EXTENSION_PATH" in config.parameters:
        yield (
            ("parameters", "CPU_EXTENSION_PATH", "value", "string_value"),
            config.parameters["CPU_EXTENSION_PATH"].string_value,
        )


def _has_operations(model: Model) -> bool:
    return hasattr(model.config, "model_operations")
