"""# TCP001 unknown-parameter

## What it finds
A key in `parameters` that the backend does not know, but which differs from one that it knows by a letter or two or in
its case only.

## Why it matters
Backends ignore keys that they do not know, without a word: the setting is simply not made. Keys that are nowhere near
a known one are left alone, for a custom build or a client may read them.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
parameters { key: "intra_op_thread_counts" value { string_value: "4" } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
parameters { key: "intra_op_thread_count" value { string_value: "4" } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `onnxruntime.cc`, pytorch_backend `libtorch.cc`, openvino_backend `openvino.cc`, tensorrt_backend
`tensorrt_model.cc`: the keys that each asks for, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity, alike

RULE = Rule(
    code="TCP001",
    name="unknown-parameter",
    title="A parameter that is nearly one that the backend knows",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("parameters", "backend", "platform", "default_model_filename"),
    evidence=("onnxruntime, pytorch, openvino, tensorrt backends src: keys of `parameters`, 22.12-26.06",),
    only_with=("parameters",),
)

_ORT = (
    *("execution_mode", "intra_op_thread_count", "inter_op_thread_count", "enable_mem_arena", "enable_mem_pattern"),
    *("session.use_device_allocator_for_initializers", "memory.enable_memory_arena_shrinkage", "gpu_mem_limit"),
    *("cudnn_conv_algo_search", "arena_extend_strategy", "do_copy_in_default_stream"),
)
_PYTORCH = (
    *("DISABLE_OPTIMIZED_EXECUTION", "ENABLE_CACHE_CLEANING", "INFERENCE_MODE", "DISABLE_CUDNN"),
    *("ENABLE_TENSOR_FUSER", "ENABLE_WEIGHT_SHARING", "ENABLE_JIT_PROFILING", "ENABLE_JIT_EXECUTOR"),
    *("INTRA_OP_THREAD_COUNT", "INTER_OP_THREAD_COUNT"),
)
_OPENVINO = (
    *("INFERENCE_NUM_THREADS", "COMPILATION_NUM_THREADS", "HINT_BF16", "NUM_STREAMS", "PERFORMANCE_HINT"),
    *("CPU_EXTENSION_PATH", "SKIP_OV_DYNAMIC_BATCHSIZE", "ENABLE_BATCH_PADDING", "RESHAPE_IO_LAYERS"),
    *("TARGET_DEVICE",),
)
KNOWN = {
    "onnxruntime": _ORT,
    "pytorch": _PYTORCH,
    "openvino": _OPENVINO,
    "tensorrt": ("execution_context_allocation_strategy",),
}


def check(model: Model) -> Iterator[Finding]:
    """Every key that is near a known one, unless that one is set too."""
    known = KNOWN.get(model.backend.name, ())
    present = set(model.config.parameters)
    for key in sorted(present.difference(known)):
        near = next((one for one in known if alike(key, one)), "")
        if not near or near in present:
            continue
        place = model.value_at("parameters", key, "key")
        yield RULE.finding(
            place,
            f"the {model.backend.name} backend ignores the parameter `{key}` without a word; it knows `{near}`",
            help=f"write `{near}`",
            fix=Fix(f"write `{near}`", (Edit(place.path, place.start, place.end, f'"{near}"'),))
            if model.text[place.start : place.end].strip("\"'") == key
            else None,
        )
