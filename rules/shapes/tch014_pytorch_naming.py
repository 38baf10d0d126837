"""# TCH014 pytorch-naming

## What it finds
TorchScript inputs (or outputs) of which some are named `<name>__<index>` and some are not, or whose indexes repeat or
leave one out.

## Why it matters
The backend knows three ways to match names: those of the arguments of `forward`, `<name>__<index>`, and the order in
the file. One name that does not fit moves all of them to the next way, in most cases without a word: the tensors are
then bound by position, and a model whose inputs have one shape and type gives wrong results instead of an error.

## Bad
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input [
  { name: "mask__1" data_type: TYPE_FP32 dims: [ 16 ] },
  { name: "image" data_type: TYPE_FP32 dims: [ 16 ] }
]
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input [
  { name: "image__0" data_type: TYPE_FP32 dims: [ 16 ] },
  { name: "mask__1" data_type: TYPE_FP32 dims: [ 16 ] }
]
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
Nothing, or a warning that it falls back to strict ordering.

## Evidence
pytorch_backend `libtorch.cc` `GetNamingConvention`, 22.12 to 26.06.
"""

import re
from collections.abc import Iterator, Sequence

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCH014",
    name="pytorch-naming",
    title="TorchScript tensors that are named in two ways",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("input", "output", "backend", "platform", "default_model_filename"),
    evidence=("pytorch_backend src/libtorch.cc GetNamingConvention, 22.12-26.06",),
    backends=("pytorch",),
)

_INDEXED = re.compile(r".*__(\d+)", re.DOTALL)


def check(model: Model) -> Iterator[Finding]:
    """Inputs and outputs, each for themselves."""
    if model.backend.name != "pytorch" or model.backend.platform == "torch_aoti":
        return
    for kind, tensors in (("input", model.config.input), ("output", model.config.output)):
        names = [tensor.name for tensor in tensors]
        indexes = [int(found[1]) for name in names if (found := _INDEXED.fullmatch(name))]
        fault = _fault(kind, names, indexes)
        if fault:
            yield RULE.finding(
                model.at(kind, _first_odd(names), "name"),
                f"{fault}: the backend then binds the {kind}s by their order in this file",
                help="name all of them `<name>__<index>` with the indexes 0, 1, … of `forward`",
            )


def _fault(kind: str, names: Sequence[str], indexes: Sequence[int]) -> str:
    if not indexes:
        return ""
    if len(indexes) < len(names):
        plain = [name for name in names if not _INDEXED.fullmatch(name)]
        return f"some {kind}s are named `<name>__<index>`, but not {listing(plain)}"
    if len(set(indexes)) < len(indexes):
        return f"two {kind}s have the same index {next(one for one in indexes if indexes.count(one) > 1)}"
    return ""


def _first_odd(names: Sequence[str]) -> int:
    odd = (place for place, name in enumerate(names) if not _INDEXED.fullmatch(name))
    return next(odd, 0)
