"""# TCS023 pytorch-without-tensors

## What it finds
A PyTorch model without `input` or without `output`.

## Why it matters
The PyTorch backend completes nothing: a TorchScript file does not say enough. It refuses a model that lists no input
or no output.

## Bad
```
# resnet/config.pbtxt
backend: "pytorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "pytorch"
max_batch_size: 8
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
The load fails with a text of the backend about the model's inputs or outputs; the core has none for this.

## Evidence
pytorch_backend `libtorch.cc` `ModelInstanceState`, 20.08 to 26.05, which has no auto-complete. The core itself loads
such a model (real servers 22.11 to 24.10 with a stub in the backend's place).
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS023",
    name="pytorch-without-tensors",
    title="A PyTorch model lists no input or no output",
    severity=Severity.ERROR,
    reads=("platform", "backend", "input", "output", "default_model_filename"),
    refused=True,
    evidence=("pytorch_backend src/libtorch.cc ModelInstanceState, 20.08-26.05",),
    only_with=("platform", "backend", "default_model_filename"),
)


def check(model: Model) -> Iterator[Finding]:
    """A configuration that names PyTorch and lacks one of the two."""
    backend = model.backend
    if backend.name != "pytorch" or backend.source not in ("platform", "backend", "default_model_filename"):
        return
    if getattr(model.config, "runtime", ""):
        return
    lacking = [side for side in ("input", "output") if not getattr(model.config, side)]
    if lacking:
        yield RULE.finding(
            model.at(backend.source),
            f"the model lists no `{'` and no `'.join(lacking)}`: the PyTorch backend completes none and refuses it",
            help=f"list every {' and '.join(lacking)} with `name`, `data_type` and `dims`",
        )
