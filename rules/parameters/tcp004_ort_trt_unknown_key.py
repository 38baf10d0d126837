"""# TCP004 ort-trt-unknown-key

## What it finds
A parameter of the `tensorrt` accelerator of an ONNX model that the backend does not know, or a `precision_mode` that
is none.

## Why it matters
Here, other than among the `parameters` of a model, the backend refuses the model for a key that it does not know. The
names are not those of ONNX Runtime: most have the prefix `trt_`, four have not.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "trt_fp16_enable" value: "1" }
} } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "precision_mode" value: "FP16" }
} } }
```

## What Triton says
«unknown parameter 'trt_fp16_enable' is provided for TensorRT Execution Accelerator», «unsupported precision mode»

## Evidence
onnxruntime_backend `onnxruntime.cc` `LoadModel`, the keys of 26.06; older releases know fewer.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, alike

RULE = Rule(
    code="TCP004",
    name="ort-trt-unknown-key",
    title="A key that the `tensorrt` accelerator of ONNX Runtime does not know",
    severity=Severity.ERROR,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename", "instance_group"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime.cc LoadModel, 22.12-26.06",),
    only_with=("optimization",),
)

_PLAIN = (
    *("precision_mode", "max_workspace_size_bytes", "int8_calibration_table_name"),
    *("int8_use_native_calibration_table",),
)
_PREFIXED = (
    *("max_partition_iterations", "min_subgraph_size", "dla_enable", "dla_core", "engine_cache_enable"),
    *("engine_cache_path", "engine_cache_prefix", "dump_subgraphs", "force_sequential_engine_build"),
    *("context_memory_sharing_enable", "layer_norm_fp32_fallback", "timing_cache_enable", "timing_cache_path"),
    *("force_timing_cache", "detailed_build_log", "build_heuristics_enable", "sparsity_enable"),
    *("builder_optimization_level", "auxiliary_streams", "tactic_sources", "extra_plugin_lib_paths"),
    *("profile_min_shapes", "profile_max_shapes", "profile_opt_shapes", "cuda_graph_enable"),
    *("dump_ep_context_model", "ep_context_file_path", "ep_context_embed_mode"),
)
KNOWN = frozenset((*_PLAIN, *(f"trt_{key}" for key in _PREFIXED)))
PRECISIONS = ("FP32", "FP16", "BF16", "INT8")
_PLACE = ("optimization", "execution_accelerators", "gpu_execution_accelerator")


def check(model: Model) -> Iterator[Finding]:
    """Every key and precision that is none, unless no instance runs on a GPU: then nothing is read."""
    if model.backend.name != "onnxruntime" or _on_cpu(model):
        return
    for index, one in enumerate(model.config.optimization.execution_accelerators.gpu_execution_accelerator):
        if one.name != "tensorrt":
            continue
        for key in sorted(set(one.parameters) - KNOWN):
            near = next((one for one in sorted(KNOWN) if alike(f"trt_{key}", one) or alike(key, one)), "")
            hint = f"write `{near}`, or delete it" if near else "delete it"
            if "fp16" in key:
                hint = 'write `precision_mode` with the value "FP16"'
            yield RULE.finding(
                model.value_at(*_PLACE, index, "parameters", key, "key"),
                f"the `tensorrt` accelerator knows no `{key}`: the onnxruntime backend refuses the model",
                help=hint,
            )
        precision = one.parameters.get("precision_mode", "FP32")
        if precision not in PRECISIONS:
            yield RULE.finding(
                model.value_at(*_PLACE, index, "parameters", "precision_mode", "value"),
                f"`{precision}` is no precision mode: the onnxruntime backend refuses the model",
                help=f"write one of {', '.join(PRECISIONS)}",
            )


def _on_cpu(model: Model) -> bool:
    """Whether every instance is on the CPU."""
    groups = model.config.instance_group
    return bool(groups) and all(group.kind == 2 for group in groups)
