"""# TCF001 batching-unused

## What it finds
A `max_batch_size` above 1 without a scheduler, in a PyTorch model, or in a TensorRT or ONNX model of a server that
completes no configurations.

## Why it matters
Without `dynamic_batching` Triton joins no requests: each runs by itself, and `max_batch_size` only bounds what one
client may send. TensorRT and ONNX Runtime add a dynamic batcher by themselves unless auto-complete is off; PyTorch
never does.

## Bad
```
# net/config.pbtxt
# --launch "tritonserver --model-repository=/models --disable-auto-complete-config"
platform: "tensorrt_plan"
max_batch_size: 16
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
# --launch "tritonserver --model-repository=/models --disable-auto-complete-config"
platform: "tensorrt_plan"
max_batch_size: 16
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
dynamic_batching { }
```

## What Triton says
Nothing.

## Evidence
core `model.cc` `SetConfiguredScheduler`: without a scheduler one of batch size 0; tensorrt_backend and
onnxruntime_backend add `dynamic_batching` in auto-complete; pytorch_backend has none; 22.06 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCF001",
    name="batching-unused",
    title="A model that could batch and has no batcher",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch"),
    reads=("max_batch_size", "backend", "platform", "dynamic_batching", "sequence_batching"),
    evidence=("core src/model.cc SetConfiguredScheduler, 22.06-26.06",),
    only_with=("max_batch_size",),
)


def check(model: Model) -> Iterator[Finding]:
    """The batch size of a model that nobody will batch."""
    config, backend = model.config, model.backend.name
    if config.max_batch_size < 2 or config.WhichOneof("scheduling_choice") is not None:
        return
    off = model.launch.autocomplete is False
    if backend == "pytorch" or (off and backend in ("tensorrt", "onnxruntime")):
        yield RULE.finding(
            model.at("max_batch_size"),
            f"`max_batch_size` is {config.max_batch_size} and there is no scheduler: Triton joins no requests for this"
            " model",
            help="write `dynamic_batching { }` if requests may share a batch",
            severity=Severity.WARNING if off else Severity.INFO,
        )
