"""# TCR024 batch-strategy-path

## What it finds
A `TRITON_BATCH_STRATEGY_PATH` that Triton refuses: beside `sequence_batching`, or with a path at which there is no
library in the model's folder.

## Why it matters
The library decides how requests are batched dynamically; a sequence batcher has no use for it. A relative path is
looked for from where the server was started, not from the model's folder.

## Bad
```
# --triton 24.10
# counter/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# counter/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { }
parameters {
  key: "TRITON_BATCH_STRATEGY_PATH"
  value: { string_value: "/models/counter/strategy.so" }
}
```

## Good
```
# --triton 24.10
# counter/strategy.so
(a library)
# counter/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# counter/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
parameters {
  key: "TRITON_BATCH_STRATEGY_PATH"
  value: { string_value: "/models/counter/strategy.so" }
}
```

## What Triton says
«TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy», or «Batching
library path not found: strategy.so»

## Evidence
core `backend_model.cc` `TritonModel::Create`, 23.01 to 26.06; measured on real servers 23.04 to 24.10; 22.11 ignores
the parameter.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCR024",
    name="batch-strategy-path",
    title="`TRITON_BATCH_STRATEGY_PATH` cannot be used",
    severity=Severity.ERROR,
    reads=("parameters", "sequence_batching"),
    refused=True,
    since=(23, 1),
    evidence=("core src/backend_model.cc TritonModel::Create, 23.01-26.06", "measured on 22.11-24.10"),
    only_with=("parameters",),
)

_KEY = "TRITON_BATCH_STRATEGY_PATH"


def check(model: Model) -> Iterator[Finding]:
    """Look at the parameter."""
    if _KEY not in model.config.parameters or model.is_ensemble:
        return
    span = model.at("parameters", _KEY)
    path = model.config.parameters[_KEY].string_value
    if model.config.WhichOneof("scheduling_choice") == "sequence_batching":
        yield RULE.finding(
            span,
            f"`{_KEY}` cannot be used with `sequence_batching`: Triton refuses the model",
            help="delete the parameter, or use `dynamic_batching`",
            related=[Related("the sequence batcher", model.at("sequence_batching"))],
        )
    elif not path.startswith("/"):
        yield RULE.finding(
            span,
            f"`{path}` is looked for in the folder in which the server was started, not in the model's",
            help="write the whole path, as the server sees it",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
            refused=False,
        )
