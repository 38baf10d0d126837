"""# TCB007 auto-dynamic

## What it finds
A TensorRT or ONNX model with `max_batch_size` above 1, no scheduler, and a backend that completes the configuration.

## Why it matters
At load the backend adds `dynamic_batching { }` by itself: requests of different clients are put into one batch, and a
TensorRT model with CUDA graphs captures other batch sizes than it would without. That is mostly what one wants, but it
is better written down: with `--disable-auto-complete-config`, or on a release before 22.06, there is no batching.

## Bad
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## Good
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
dynamic_batching { }
```

## What Triton says
Nothing; `/v2/models/resnet/config` shows `dynamic_batching` with `preferred_batch_size: [ 8 ]`.

## Evidence
tensorrt_backend `model_state.cc` `AutoCompleteConfig` and onnxruntime_backend `onnxruntime.cc` `AutoCompleteMaxBatch`,
22.06 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCB007",
    name="auto-dynamic",
    title="The backend adds dynamic batching by itself",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch"),
    reads=("max_batch_size", "dynamic_batching", "sequence_batching", "backend", "platform", "input", "output"),
    since=(22, 6),
    only_with=("max_batch_size",),
    evidence=("tensorrt_backend src/model_state.cc, onnxruntime_backend src/onnxruntime.cc, 22.06-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """No scheduler, and a backend that adds one."""
    config = model.config
    if config.max_batch_size < 2 or config.WhichOneof("scheduling_choice") or model.is_final:
        return
    if model.backend.name not in ("tensorrt", "onnxruntime"):
        return
    place = model.at("max_batch_size")
    yield RULE.finding(
        place,
        "no scheduler is written, so the backend adds `dynamic_batching` when it completes the configuration",
        help="write `dynamic_batching { }`, so that it does not depend on auto-complete",
        fix=Fix("write `dynamic_batching { }`", (Edit(place.path, place.end, place.end, "\ndynamic_batching { }"),)),
    )
