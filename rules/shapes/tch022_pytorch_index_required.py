"""# TCH022 pytorch-index-required

## What it finds
A TorchScript model with an input or output that is not named `<name>__<index>`, where the release is known and is 22.04
or older.

## Why it matters
Newer releases also take the names of the arguments of `forward`, or the order in the file. In public reports these do
not: the model does not load. The index is the place of the tensor among
the inputs or outputs of `forward`; the name in front is free.

## Bad
```
# --triton 22.03
# classifier/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# --triton 22.03
# classifier/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«does not follow naming convention i.e. <name>__<index>»

## Evidence
Reports server#4671 and server#3307, where maintainers say so of images before 22.05. In which release the names of
arguments were first taken was not measured, so this is a warning.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, has_hole

RULE = Rule(
    code="TCH022",
    name="pytorch-index-required",
    title="This release wants TorchScript tensors named `<name>__<index>`",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch"),
    until=(22, 4),
    evidence=("server#4671, server#3307: names before 22.05",),
    only_with=("input", "output"),
    backends=("pytorch",),
)

_INDEXED = re.compile(r".*__\d+")


def check(model: Model) -> Iterator[Finding]:
    """Each tensor with another name."""
    if model.launch.release is None:
        return
    for field, tensors in (("input", model.config.input), ("output", model.config.output)):
        for index, tensor in enumerate(tensors):
            if tensor.name and not _INDEXED.fullmatch(tensor.name) and not has_hole(tensor.name):
                yield RULE.finding(
                    model.value_at(field, index, "name"),
                    f"up to 22.04 an {field} of a TorchScript model must be named `<name>__<index>`, and"
                    f" `{tensor.name}` is not: the model is reported not to load",
                    help=f"write `{field.upper()}__{index}`, if it is number {index} among the {field}s of `forward`",
                )
