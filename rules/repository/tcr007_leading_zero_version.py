"""# TCR007 leading-zero-version

## What it finds
A version folder whose number begins with a zero, such as `01`.

## Why it matters
Triton ignores it, with a line in the log that is easily missed. Where it is the only version, the model is refused.

## Bad
```
# resnet/01/model.onnx
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
«ignore version directory '01' which contains leading zeros in its directory name»

## Evidence
core `model_lifecycle.cc` `VersionsToLoad`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10; server issue 1366.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR007",
    name="leading-zero-version",
    title="A version folder with a leading zero is ignored",
    severity=Severity.WARNING,
    needs=("files",),
    on_broken=True,
    evidence=("core src/model_lifecycle.cc VersionsToLoad, 20.01-26.06", "measured on 22.11-24.10"),
)

_ZERO = re.compile(r"0+(\d+)")


def check(model: Model) -> Iterator[Finding]:
    """Look for numbers with leading zeros among the folders."""
    if model.variant:
        return
    for folder in model.folder.folders:
        found = _ZERO.fullmatch(folder.name)
        if not found:
            continue
        alone = not model.versions
        effect = "ignores it, finds no other version and refuses the model" if alone else "ignores that version"
        free = model.entry(found[1]) is None
        yield RULE.finding(
            model.file_span(folder.name),
            f"`{folder.name}` begins with a zero: Triton {effect}",
            help=f"rename it to `{found[1]}`" if free else f"delete it, or merge it into `{found[1]}`",
            severity=Severity.ERROR if alone else Severity.WARNING,
            refused=alone,
        )
