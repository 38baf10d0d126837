"""# TCR021 latest-zero

## What it finds
A `version_policy { latest { } }` without `num_versions`, or with 0.

## Why it matters
The number is not 1 if it is left out, it is 0: no version is loaded and the model is refused. One version is what a
model without any `version_policy` gets.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
version_policy { latest { } }
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
version_policy { latest { num_versions: 1 } }
```

## What Triton says
«at least one version must be available under the version policy of model 'resnet'»

## Evidence
core `model_lifecycle.cc` `VersionsToLoad` and `AsyncLoad`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCR021",
    name="latest-zero",
    title="`latest` without a number of versions loads none",
    severity=Severity.ERROR,
    reads=("version_policy",),
    refused=True,
    evidence=("core src/model_lifecycle.cc VersionsToLoad, AsyncLoad, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("version_policy",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the number of the latest versions."""
    policy = model.config.version_policy
    if policy.WhichOneof("policy_choice") != "latest" or policy.latest.num_versions:
        return
    path = ("version_policy", "latest", "num_versions")
    written = model.written(*path)
    place = model.value_at(*path)
    edits = model.insertion(path[:-1], "num_versions: 1")
    if written:
        edits = (Edit(place.path, place.start, place.end, "1"),)
    yield RULE.finding(
        model.at(*path),
        "`latest` with " + ("0 versions" if written else "no `num_versions`, which is 0,") + " loads no version: Triton"
        " refuses the model",
        help="write `latest { num_versions: 1 }`, or leave `version_policy` out, which means the same",
        fix=Fix("num_versions: 1", edits, safe=True) if edits else None,
    )
