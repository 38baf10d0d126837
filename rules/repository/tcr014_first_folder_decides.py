"""# TCR014 first-folder-decides

## What it finds
A model without `backend` and `platform` where the folder that Triton looks into, the first by name, tells no backend
or another one than the versions that load: `.snapshots`, an empty `1` beside a filled `2`, `10` before `9`.

## Why it matters
To guess a backend Triton looks into one folder only, the first by name, whether or not that is a version. If nothing
is there, the model is refused although every version that would load has its file.

## Bad
```
# --deployed
# resnet/.snapshots/index
(something)
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
# resnet/config.pbtxt
max_batch_size: 8
```

## Good
```
# --deployed
# resnet/.snapshots/index
(something)
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Poll failed for model directory 'resnet': Could not determine backend for model 'resnet' with no backend in model
configuration»

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields` (`version_dirs.begin()`), 20.01 to 26.06; measured on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity, Span

RULE = Rule(
    code="TCR014",
    name="first-folder-decides",
    title="Triton guesses the backend from a folder without the model file",
    severity=Severity.ERROR,
    needs=("files", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy", "ensemble_scheduling"),
    refused=True,
    evidence=("core src/model_config_utils.cc AutoCompleteBackendFields, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare what the first folder tells with what the versions that load hold."""
    if model.variant or model.backend.source not in ("files", "name", "") or len(model.folder.folders) < 2:
        return
    config = model.config
    if config.platform or getattr(config, "backend", "") or config.default_model_filename:
        return
    if model.backend.name and model.entry(f"libtriton_{model.backend.name}.so") is not None:
        return  # a backend of its own, which may read any file
    first = model.folder.folders[0]
    told = model.recognised(first)
    meant = [(version, found[0]) for version in model.loaded if (found := model.recognised(version))]
    if not meant or (told and told[0][1] == meant[-1][1][1]):
        return
    version, (file, backend) = meant[-1]
    place = model.at("backend") if model.config_path else model.file_span(first.name)
    refused = not told
    if told:
        outcome = f"it is served by {told[0][1]}, which `{first.name}/{told[0][0]}` tells"
    elif not model.backend.name:
        outcome = "the model is refused, since nothing there tells a backend"
    else:
        outcome = f"the model is refused, since the backend is then taken from its name, `{model.backend.name}`"
    yield RULE.finding(
        place,
        f"Triton guesses the backend from the first folder by name, `{first.name}`: {outcome}; version {version.name}"
        f" holds `{file}`",
        help=f'write `backend: "{backend}"`',
        related=[Related("the first folder by name", model.file_span(first.name))],
        severity=Severity.ERROR if refused else Severity.WARNING,
        confidence=Confidence.MEDIUM if model.backend.source == "name" else Confidence.HIGH,
        refused=refused,
        fix=_fix(model, backend, place),
    )


def _fix(model: Model, backend: str, place: Span) -> Fix | None:
    if not model.config_path or model.broken:
        return None
    return Fix(f'backend: "{backend}"', (Edit(place.path, place.start, place.start, f'backend: "{backend}"\n'),))
