"""# TCR016 missing-config

## What it finds
A model without `config.pbtxt` that cannot do without: its backend completes nothing (PyTorch), or the server is
started with auto-complete off. Before 22.07 it is off unless the server is told otherwise: where its flags are not
known, that is a warning.

## Why it matters
A configuration may be missing where the backend can read inputs and outputs from the model. TorchScript has no names
and shapes to be read, so that backend refuses the model.

## Bad
```
# --deployed
# resnet/1/model.pt
(the weights)
```

## Good
```
# --deployed
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
```

## What Triton says
«model configuration is not provided for model 'resnet'»; with auto-complete off «failed to open text file for read
…/resnet/config.pbtxt: No such file or directory».

## Evidence
core `model_repository_manager.cc` `InitializeModelInfo` and `backend_model.cc`, 20.08 to 26.06; measured on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, release_tag

RULE = Rule(
    code="TCR016",
    name="missing-config",
    title="A model that cannot do without has no `config.pbtxt`",
    severity=Severity.ERROR,
    needs=("files", "launch"),
    refused=True,
    evidence=("core src/model_repository_manager.cc InitializeModelInfo, 20.08-26.06", "measured on 22.11-24.10"),
)

# From this release on the server completes configurations unless told not to (server `command_line_parser.cc`).
_COMPLETES_BY_DEFAULT = (22, 7)
_CURE = "write one with `backend`, `max_batch_size`, and `name`, `data_type` and `dims` of all inputs and outputs"


def check(model: Model) -> Iterator[Finding]:
    """Look at the models that have no configuration at all."""
    if model.config_path or not model.loaded:
        return
    release = model.launch.release
    old = release is not None and release < _COMPLETES_BY_DEFAULT
    if model.launch.autocomplete is False:
        yield _finding(model, "the server is started with auto-complete off")
    elif old and model.launch.autocomplete is None:
        yield _by_default(model)
    elif model.backend.name == "pytorch" and not old:
        yield _finding(model, "the PyTorch backend cannot complete one")


def _finding(model: Model, why: str) -> Finding:
    sure = model.deployed or model.repository.source.is_evident
    return RULE.finding(
        model.file_span(),
        f"`{model.name}` has no `config.pbtxt`, and {why}: Triton refuses the model",
        help=_CURE,
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=sure,
    )


def _by_default(model: Model) -> Finding:
    """The flags are not known, and without any the server completes nothing."""
    return RULE.finding(
        model.file_span(),
        f"`{model.name}` has no `config.pbtxt`, and Triton {release_tag(model.launch.release or ())} completes none"
        " unless it is started with `--strict-model-config=false`: it refuses the model",
        help=_CURE + "; or say how the server is started with `--launch`",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        refused=False,
    )
