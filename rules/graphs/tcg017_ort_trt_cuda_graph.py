"""# TCG017 ort-trt-cuda-graph

## What it finds
`trt_cuda_graph_enable` in the `tensorrt` accelerator of an ONNX Runtime model.

## Why it matters
The TensorRT provider of ONNX Runtime captures its graph in the first requests or in `model_warmup`, in a mode in which
other threads of the server must not allocate GPU memory or synchronise: another model that does so just then fails
with CUDA error 900. The graph also wants inputs of one shape at fixed addresses, and Triton gives each request buffers
of its own.

## Bad
```
# classifier/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "precision_mode" value: "FP16" }
  parameters { key: "trt_cuda_graph_enable" value: "true" }
} } }
```

## Good
```
# classifier/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "precision_mode" value: "FP16" }
} } }
```

## What Triton says
«CUDA failure 900: operation not permitted when stream is capturing», of this model or of another one.

## Evidence
onnxruntime_backend `onnxruntime.cc`, which knows the key from 24.04 to 26.08; onnxruntime#17355, server#6670.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCG017",
    name="ort-trt-cuda-graph",
    title="`trt_cuda_graph_enable` captures while other models are at work",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("backend", "platform", "default_model_filename", "optimization.execution_accelerators"),
    since=(24, 4),
    evidence=("onnxruntime_backend src/onnxruntime.cc, 24.04-26.08", "onnxruntime#17355, server#6670"),
    only_with=("optimization",),
)
ON = frozenset(("1", "true", "on"))


def check(model: Model) -> Iterator[Finding]:
    """Every `tensorrt` accelerator that turns it on."""
    if not model.config.HasField("optimization"):
        return
    accelerators = model.config.optimization.execution_accelerators.gpu_execution_accelerator
    for number, one in enumerate(accelerators):
        if one.name != "tensorrt" or one.parameters.get("trt_cuda_graph_enable", "").lower() not in ON:
            continue
        if model.backend.name != "onnxruntime":
            return
        yield RULE.finding(
            model.at(
                *("optimization", "execution_accelerators", "gpu_execution_accelerator", number),
                *("parameters", "trt_cuda_graph_enable", "value"),
            ),
            "ONNX Runtime will capture a CUDA graph in the first requests or in the warmup, and GPU calls of other"
            " models during the capture can fail with CUDA error 900",
            help="delete this parameter",
        )
