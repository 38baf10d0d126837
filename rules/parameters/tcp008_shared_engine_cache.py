"""# TCP008 shared-engine-cache

## What it finds
An engine cache of the `tensorrt` accelerator without a path, or several models that share one relative path.

## Why it matters
Without `trt_engine_cache_path` the cache lies in the folder that the server was started in, which a container loses
when it ends: the engines are built anew at each start, for minutes. Models that share a folder can take each other's
engines where their graphs have the same name and hash.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "trt_engine_cache_enable" value: "true" }
} } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "trt_engine_cache_enable" value: "true" }
  parameters { key: "trt_engine_cache_path" value: "/cache/net" }
} } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `onnxruntime.cc` hands the keys to ONNX Runtime's TensorRT provider, 23.06 to 26.06; its
documentation: the default path is the working directory.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP008",
    name="shared-engine-cache",
    title="An engine cache without a path of its own",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename"),
    evidence=("onnxruntime_backend src/onnxruntime.cc, 23.06-26.06",),
    only_with=("optimization",),
)

_PLACE = ("optimization", "execution_accelerators", "gpu_execution_accelerator")


def check(model: Model) -> Iterator[Finding]:
    """Every cache that is on and has no path, or a relative one."""
    if model.backend.name != "onnxruntime":
        return
    for index, one in enumerate(model.config.optimization.execution_accelerators.gpu_execution_accelerator):
        if one.name != "tensorrt" or one.parameters.get("trt_engine_cache_enable", "").lower() not in ("1", "true"):
            continue
        path = one.parameters.get("trt_engine_cache_path", "")
        if path.startswith("/") or "${" in path:
            continue
        key = "trt_engine_cache_path" if path else "trt_engine_cache_enable"
        where = f"in `{path}` below the folder" if path else "in the folder"
        yield RULE.finding(
            model.value_at(*_PLACE, index, "parameters", key, "value"),
            f"the engine cache lies {where} that the server is started in: a new container builds all engines anew",
            help="write `trt_engine_cache_path` with an absolute path on a volume, one for each model",
        )
