"""# TCH015 pytorch-state-naming

## What it finds
A TorchScript model with implicit state (`sequence_batching { state { … } }`) of which an input, output or state tensor
is not named `<name>__<index>`.

## Why it matters
The backend binds states by these indexes only, and refuses the model.

## Bad
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
sequence_batching {
  state { input_name: "h__1" output_name: "h__1" data_type: TYPE_FP32 dims: [ 8 ] }
}
```

## Good
```
# net/config.pbtxt
platform: "pytorch_libtorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 dims: [ 16 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
sequence_batching {
  state { input_name: "h__1" output_name: "h__1" data_type: TYPE_FP32 dims: [ 8 ] }
}
```

## What Triton says
«PyTorch model 'net' is using implicit state but not all inputs and outputs follow the <name>__<index> naming
convention»

## Evidence
pytorch_backend `libtorch.cc` `ValidateInputs`, 22.12 to 26.06.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH015",
    name="pytorch-state-naming",
    title="Implicit state in TorchScript with tensors that have no index",
    severity=Severity.ERROR,
    reads=("input", "output", "sequence_batching", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("pytorch_backend src/libtorch.cc ValidateInputs, 22.12-26.06",),
    only_with=("sequence_batching",),
)

_INDEXED = re.compile(r".+__\d+", re.DOTALL)


def check(model: Model) -> Iterator[Finding]:
    """Every tensor without an index."""
    config = model.config
    if model.backend.name != "pytorch" or not len(getattr(config.sequence_batching, "state", ())):
        return
    for kind, tensors in (("input", config.input), ("output", config.output)):
        for index, tensor in enumerate(tensors):
            if tensor.name and not _INDEXED.fullmatch(tensor.name):
                yield RULE.finding(
                    model.at(kind, index, "name"),
                    f"{kind} `{tensor.name}` is not named `<name>__<index>`, which a PyTorch model with implicit state"
                    " needs: the backend refuses it",
                    help=f"write `{tensor.name}__0`, with its index in `forward`",
                )
