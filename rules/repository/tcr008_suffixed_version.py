"""# TCR008 suffixed-version

## What it finds
A folder in a model whose name begins with a number and goes on: `1_old`, `2-backup`, `3.bak`; or one with a sign or
a space, such as `+1`.

## Why it matters
Triton reads the number and ignores the rest: `2-backup` is version 2. If it is the newest it is the one to load, and
Triton then looks for it in a folder `2`, which does not exist. The model is refused; a Python model hangs in its
load for ever (23.07 and later). Beside a folder that is named by the same number it is at best ignored.

## Bad
```
# resnet/1/model.onnx
(the weights)
# resnet/2_old/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(the weights)
# resnet/old_2/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
What the backend says of a missing file, for instance «Load model from /models/resnet/2/model.onnx failed».

## Evidence
core `model_lifecycle.cc` `VersionsToLoad` (`std::stoll`), 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, VersionFolder

RULE = Rule(
    code="TCR008",
    name="suffixed-version",
    title="A folder such as `1_old` is taken for version 1",
    severity=Severity.ERROR,
    needs=("files", "config"),
    reads=("version_policy", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("core src/model_lifecycle.cc VersionsToLoad, 20.01-26.06", "measured on 22.11-24.10"),
)

_LIMIT = 2**63


def check(model: Model) -> Iterator[Finding]:
    """Look for folders that stand for a version whose path Triton will not find."""
    if model.variant:
        return
    for folder in model.versions:
        if folder.plain or folder.number is None or not -_LIMIT <= folder.number < _LIMIT:
            continue
        yield _finding(model, folder)


def _finding(model: Model, folder: VersionFolder) -> Finding:
    number = folder.number
    twin = any(one.plain and one.number == number for one in model.versions)
    loads = not twin and folder in model.loaded
    every = twin and model.config.version_policy.WhichOneof("policy_choice") == "all"
    spaced = folder.name.strip().lstrip("+") == str(number)
    python = model.backend.name == "python" and (model.launch.release is None or model.launch.release >= (23, 7))
    severity, confidence = Severity.WARNING, Confidence.HIGH
    message = f"Triton takes the folder `{folder.name}` for version {number}"
    if model.is_ensemble:
        message += ", although it is named otherwise"
    elif loads:
        message += f" and looks for it in `{model.name}/{number}`, which is not there: "
        message += "the load hangs for ever" if python else "the model is refused"
        severity = Severity.ERROR
        if not model.deployed and not _is_meant(model, folder):
            severity, confidence = Severity.WARNING, Confidence.MEDIUM
    elif twin:
        message += f", which is there as `{number}` already"
        if python and every:
            message += "; with the version policy `all` the load can hang for ever"
    else:
        message += ", and a version policy that selects it finds no such path"
    alone = not any(one.plain for one in model.versions)
    cure = f"rename it to `old_{number}`, or move it away"
    if not twin and (spaced or alone):
        cure = f"rename it to `{number}` if it is to be served, else to `old_{number}`"
    return RULE.finding(
        model.file_span(folder.name),
        message,
        help=cure,
        severity=severity,
        confidence=confidence,
        refused=severity is Severity.ERROR and not python,
    )


def _is_meant(model: Model, folder: VersionFolder) -> bool:
    """Whether the folders are those of a model for sure: a proper version is there, or the model's file in this."""
    has_file = bool(model.default_file) and folder.entry(model.default_file) is not None
    return has_file or any(one.plain for one in model.versions)
