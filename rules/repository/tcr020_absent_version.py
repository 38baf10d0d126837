"""# TCR020 absent-version

## What it finds
A `version_policy` that names a version which has no folder.

## Why it matters
Triton writes an error into the log and loads the other versions; requests for the missing one fail. If none of the
named versions is there, the model is refused.

## Bad
```
# --deployed
# resnet/2/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
version_policy { specific { versions: [ 1, 2 ] } }
```

## Good
```
# --deployed
# resnet/2/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
version_policy { specific { versions: [ 2 ] } }
```

## What Triton says
«version 1 is specified for model 'resnet', but the version directory is not present», and if none is left «at least
one version must be available under the version policy of model 'resnet'».

## Evidence
core `model_lifecycle.cc` `VersionsToLoad` and `AsyncLoad`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCR020",
    name="absent-version",
    title="`version_policy` names a version that has no folder",
    severity=Severity.WARNING,
    needs=("config", "files"),
    reads=("version_policy",),
    evidence=("core src/model_lifecycle.cc VersionsToLoad, AsyncLoad, 20.01-26.06",),
    only_with=("version_policy",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare the versions that are named with those that have a folder."""
    policy = model.config.version_policy
    if policy.WhichOneof("policy_choice") != "specific" or not model.versions or model.variant:
        return
    there = {folder.number for folder in model.versions}
    span = model.at("version_policy", "specific")
    if not policy.specific.versions:
        yield RULE.finding(
            span,
            "`specific` names no version, so none is loaded: Triton refuses the model",
            help=f"write `versions: [ {model.versions[-1].number} ]`, or `latest {{ num_versions: 1 }}`",
            severity=Severity.ERROR,
            refused=True,
        )
        return
    absent = [version for version in policy.specific.versions if version not in there]
    if not absent:
        return
    none = len(absent) == len(policy.specific.versions)
    sure = model.deployed or model.repository.source.is_evident
    outcome = "no version is left, and Triton refuses the model" if none else "requests for what is missing fail"
    yield RULE.finding(
        model.at("version_policy", "specific", "versions"),
        f"no folder for version {listing(map(str, absent))}: {outcome}",
        help=f"the versions that are there: {listing(sorted(str(one) for one in there if one is not None))}",
        severity=Severity.ERROR if none and sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=none and sure,
    )
