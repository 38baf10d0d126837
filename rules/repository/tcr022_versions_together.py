"""# TCR022 versions-together

## What it finds
A `version_policy` that loads two or more versions of a model at once.

## Why it matters
The versions load and fail together: one bad version takes the model down, the good ones with it. Each takes its own
memory, and on a GPU with CUDA graphs the versions of a model race with each other like different models.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/2/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
version_policy { all { } }
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/2/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
For the good version of such a model: «UNAVAILABLE: unloaded».

## Evidence
core `model_lifecycle.cc` `OnLoadFinal`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR022",
    name="versions-together",
    title="Several versions of a model load at once, and fail together",
    severity=Severity.INFO,
    needs=("config", "files"),
    reads=("version_policy",),
    evidence=("core src/model_lifecycle.cc OnLoadFinal, 20.01-26.06",),
    only_with=("version_policy",),
)


def check(model: Model) -> Iterator[Finding]:
    """Count the versions that load."""
    if len(model.loaded) < 2 or model.variant or model.is_ensemble:
        return
    yield RULE.finding(
        model.at("version_policy"),
        f"{len(model.loaded)} versions load together: if one of them fails, all of this model's versions are gone",
        help="keep it if clients ask for these versions; if not, leave `version_policy` out, and the newest is served",
    )
