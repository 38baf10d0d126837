"""# TCR023 automatic-batch-strategy

## What it finds
A `batchstrategy.so` in a model's or a version's folder that no configuration asks for.

## Why it matters
From 23.01 on Triton loads a library of this name by itself and lets it decide how requests are batched, also where no
`TRITON_BATCH_STRATEGY_PATH` is written. If it cannot be loaded, the model is refused.

## Bad
```
# resnet/batchstrategy.so
(a library)
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
```

## Good
```
# resnet/batchstrategy.so
(a library)
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
parameters {
  key: "TRITON_BATCH_STRATEGY_PATH"
  value: { string_value: "/models/resnet/batchstrategy.so" }
}
```

## What Triton says
Nothing if it loads; «unable to load shared library: …/batchstrategy.so» if it does not.

## Evidence
core `backend_model.cc` `TritonModel::Create`, 23.01 to 26.06; measured on real servers: 22.11 does not look for it,
23.04 to 24.10 do, also without `dynamic_batching`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR023",
    name="automatic-batch-strategy",
    title="A `batchstrategy.so` is loaded without being asked for",
    severity=Severity.WARNING,
    needs=("config", "files", "modelfile"),
    reads=("parameters",),
    since=(23, 1),
    evidence=("core src/backend_model.cc TritonModel::Create, 23.01-26.06", "measured on 22.11-24.10"),
)

_NAME = "batchstrategy.so"


def check(model: Model) -> Iterator[Finding]:
    """Look into the model's folder and the versions that load."""
    if model.variant or model.is_ensemble or "TRITON_BATCH_STRATEGY_PATH" in model.config.parameters:
        return
    places: list[tuple[str, ...]] = [
        (version.name, _NAME) for version in model.loaded if version.entry(_NAME) is not None
    ]
    if model.entry(_NAME) is not None:
        places.append((_NAME,))
    for place in places:
        span = model.file_span(*place)
        broken = model.deployed and model.contents.kind(span.path) != "a program or library"
        yield RULE.finding(
            span,
            "Triton loads this file by itself as a library, and it is none: Triton refuses the model"
            if broken
            else "Triton loads this library by itself and lets it decide how requests are batched",
            help="write its path into the parameter `TRITON_BATCH_STRATEGY_PATH` if that is meant, or take it away",
            severity=Severity.ERROR if broken else Severity.WARNING,
            refused=broken,
        )
