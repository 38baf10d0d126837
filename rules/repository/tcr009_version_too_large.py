"""# TCR009 version-too-large

## What it finds
A version folder whose number does not fit into 64 bits: it is above 9223372036854775807. Time stamps without
separators and with fractions of a second get that long.

## Why it matters
The whole server crashes, with every other model in it: at the start, and also when the model is loaded later. Good
versions beside that folder do not help.

## Bad
```
# resnet/20240131120000000000/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/20240131120000/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«terminate called after throwing an instance of 'std::out_of_range'», «what(): stoll»

## Evidence
core `model_lifecycle.cc` `VersionsToLoad`; crashed on all real servers tried, 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR009",
    name="version-too-large",
    title="A version number above 2^63-1 crashes the server",
    severity=Severity.ERROR,
    needs=("files",),
    on_broken=True,
    evidence=("core src/model_lifecycle.cc VersionsToLoad", "measured on 22.11-24.10"),
)

_LIMIT = 2**63


def check(model: Model) -> Iterator[Finding]:
    """Compare the numbers with the limit."""
    if model.variant:
        return
    for folder in model.folder.folders:
        if folder.number is not None and not -_LIMIT <= folder.number < _LIMIT:
            yield RULE.finding(
                model.file_span(folder.name),
                f"the version number `{folder.name}` does not fit into 64 bits: the whole server crashes when it "
                "loads this model",
                help=f"use a number of at most {_LIMIT - 1} (19 digits), such as a time stamp to the second",
            )
