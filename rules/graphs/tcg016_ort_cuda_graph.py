"""# TCG016 ort-cuda-graph

## What it finds
`enable_cuda_graph` in the `cuda` accelerator of an ONNX Runtime model.

## Why it matters
ONNX Runtime replays its graph on the very addresses that it was captured with, so it wants inputs and outputs that
never move or change their shape, and one thread. Triton gives each request buffers of its own. The capture happens in
the first requests or in `model_warmup`, in a mode in which other threads of the server must not allocate GPU memory or
synchronise: another model that does so just then fails with CUDA error 900.

## Bad
```
# classifier/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "cuda"
  parameters { key: "enable_cuda_graph" value: "1" }
} } }
```

## Good
```
# classifier/config.pbtxt
platform: "onnxruntime_onnx"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "cuda"
  parameters { key: "cudnn_conv_use_max_workspace" value: "1" }
} } }
```

## What Triton says
«CUDA failure 900: operation not permitted when stream is capturing», of this model or of another one.

## Evidence
onnxruntime_backend `onnxruntime.cc`, 24.06 to 26.08, which hands the key to ONNX Runtime; server#6670,
onnxruntime#15002. That input addresses are not fixed is read from the source.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCG016",
    name="ort-cuda-graph",
    title="`enable_cuda_graph` of ONNX Runtime does not fit the way Triton runs it",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("backend", "platform", "default_model_filename", "optimization.execution_accelerators"),
    since=(24, 6),
    evidence=("onnxruntime_backend src/onnxruntime.cc, 24.06-26.08", "server#6670, onnxruntime#15002"),
    only_with=("optimization",),
)
ON = frozenset(("1", "true", "on"))


def check(model: Model) -> Iterator[Finding]:
    """Every `cuda` accelerator that turns it on."""
    if not model.config.HasField("optimization"):
        return
    accelerators = model.config.optimization.execution_accelerators.gpu_execution_accelerator
    for number, one in enumerate(accelerators):
        if one.name != "cuda" or one.parameters.get("enable_cuda_graph", "").lower() not in ON:
            continue
        if model.backend.name != "onnxruntime":
            return
        yield RULE.finding(
            model.at(
                *("optimization", "execution_accelerators", "gpu_execution_accelerator", number),
                *("parameters", "enable_cuda_graph", "value"),
            ),
            "ONNX Runtime will capture a CUDA graph in the first requests or in the warmup; it needs inputs at fixed"
            " addresses, which Triton does not give it, and GPU calls of other models during the capture can fail with"
            " CUDA error 900",
            help="delete this parameter",
        )
