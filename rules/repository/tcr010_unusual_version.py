"""# TCR010 unusual-version

## What it finds
A version folder `0`, or one with a negative number.

## Why it matters
Both load, but the numbers mean something else at other places. A step of an ensemble that gives no `model_version`
asks for version 0, and `-1` means the latest one. Python models with a negative version hang while they load, and
up to 23.07 the server contradicts itself about whether such a version is ready.

## Bad
```
# resnet/0/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing at the start.

## Evidence
core `model_lifecycle.cc` `VersionsToLoad` and `model_repository_manager.cc` `CheckNode`, 20.01 to 26.06; measured on
22.11 to 24.10; server issue 7052.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR010",
    name="unusual-version",
    title="A version folder with the number 0 or a negative one",
    severity=Severity.WARNING,
    needs=("files",),
    on_broken=True,
    evidence=("core src/model_repository_manager/model_repository_manager.cc CheckNode, 20.01-26.06",),
)

_LEAST = -(2**63)


def check(model: Model) -> Iterator[Finding]:
    """Look for numbers below 1."""
    if model.variant:
        return
    for folder in model.versions:
        number = folder.number
        if number is None or number > 0 or number < _LEAST or not folder.plain:
            continue
        if number == 0:
            message = (
                "version 0 loads, but 0 is also what an ensemble step without `model_version` asks for and what an "
                "unset number means elsewhere"
            )
        else:
            message = (
                f"version {number} is negative: clients cannot ask for it, `-1` means the latest version, and a "
                "Python model hangs while it loads"
            )
        yield RULE.finding(model.file_span(folder.name), message, help=f"rename `{folder.name}` to a number from 1 on")
