"""# TCR025 no-backend

## What it finds
A model for which Triton cannot tell the backend: no `backend`, no `platform`, and no file of a usual name in its
first version folder; or a `default_model_filename` that is none of the usual names.

## Why it matters
Without `backend` Triton goes by the names of files alone: `model.plan`, `model.onnx`, `model.xml`, `model.pt`,
`model.py`, `model.savedmodel`, `model.graphdef`. A file with another name tells nothing, whatever its ending, and once
a `default_model_filename` is written no folder is looked into.

## Bad
```
# resnet/1/resnet50.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
max_batch_size: 8
default_model_filename: "resnet50.onnx"
```

## Good
```
# resnet/1/resnet50.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
default_model_filename: "resnet50.onnx"
```

## What Triton says
«Invalid model name: Could not determine backend for model 'resnet' with no backend in model configuration. Expected
model name of the form 'model.<backend_name>'.»; with a `default_model_filename` «unexpected platform type '' for
resnet».

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields`, `ValidateModelConfig`, 20.01 to 26.06; measured on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, has_hole

RULE = Rule(
    code="TCR025",
    name="no-backend",
    title="Nothing tells which backend is to serve a model",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("backend", "platform", "default_model_filename", "ensemble_scheduling"),
    refused=True,
    evidence=("core src/model_config_utils.cc AutoCompleteBackendFields, 20.01-26.06", "measured on 22.11-24.10"),
)

_ENDINGS = {
    ".onnx": "onnxruntime",
    ".plan": "tensorrt",
    ".engine": "tensorrt",
    ".trt": "tensorrt",
    ".pt": "pytorch",
    ".torchscript": "pytorch",
    ".xml": "openvino",
    ".py": "python",
}


def check(model: Model) -> Iterator[Finding]:
    """Look at the models without backend, and at what lies in their version folders."""
    config = model.config
    if model.backend.name or model.variant or config.platform or getattr(config, "backend", ""):
        return
    if config.default_model_filename:
        yield from _named(model, config.default_model_filename)
    elif any(model.recognised(version) for version in model.loaded):
        return  # told by the rule about the first folder
    elif model.loaded:
        yield from _guessed(model)


def _named(model: Model, name: str) -> Iterator[Finding]:
    if has_hole(name):
        return
    yield RULE.finding(
        model.value_at("default_model_filename"),
        f"no `backend` is written, and `{name}` is no name that tells one: Triton refuses the model",
        help=_help(_backend(name)),
    )


def _guessed(model: Model) -> Iterator[Finding]:
    version = model.loaded[-1]
    files = [entry.name for entry in version.entries if entry.kind == "file" and _backend(entry.name)]
    if not files and not model.deployed:
        return  # a source tree keeps no weights
    backend = _backend(files[0]) if files else ""
    holds = f"version {version.name} holds `{files[0]}`" if files else f"version {version.name} holds no file that does"
    yield RULE.finding(
        model.at("backend") if model.config_path else model.file_span(version.name),
        f"no `backend` is written, and no file has a name that tells one; {holds}: Triton refuses the model",
        help=_help(backend) + (f' and `default_model_filename: "{files[0]}"`' if files else ""),
        severity=Severity.ERROR if model.deployed else Severity.WARNING,
        confidence=Confidence.HIGH if model.deployed else Confidence.MEDIUM,
        refused=model.deployed,
    )


def _backend(name: str) -> str:
    return next((backend for ending, backend in _ENDINGS.items() if name.endswith(ending)), "")


def _help(backend: str) -> str:
    return f'write `backend: "{backend or "…"}"`'
