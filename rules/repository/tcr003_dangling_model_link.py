"""# TCR003 dangling-model-link

## What it finds
A symbolic link in a model's folder that leads to nothing, or in a circle; whatever its name.

## Why it matters
Triton looks at every entry of a model's folder and refuses the model at the first that it cannot look at. In a
version folder a dangling link does no harm, unless it is the model file itself: then the backend finds no model.

## Bad
```
# resnet/1/model.onnx
(the weights)
# resnet/labels.txt -> ../shared/labels.txt
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(the weights)
# resnet/labels.txt -> 1/model.onnx
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Poll failed for model directory 'resnet': failed to stat file /models/resnet/labels.txt»

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields` and `model_lifecycle.cc` `VersionsToLoad`, 20.01 to 26.06;
in a version folder: loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Entry, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR003",
    name="dangling-model-link",
    title="A link in a model's folder leads to nothing",
    severity=Severity.ERROR,
    needs=("files",),
    refused=True,
    on_broken=True,
    evidence=("core src/model_lifecycle.cc VersionsToLoad, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Look for links without a target, in the model's folder and in its version folders."""
    if model.variant:
        return
    for entry in model.folder.entries:
        if entry.kind == "dangling":
            yield _finding(model, (entry.name,), entry, "Triton refuses the model", True)
    for version in model.versions:
        for entry in version.entries:
            if entry.kind != "dangling":
                continue
            if entry.name == model.default_file and not model.unknown("default_model_filename"):
                wanted = version in model.loaded and not model.config.cc_model_filenames
                outcome = (
                    "the backend finds no model there and refuses it" if wanted else "that version cannot be loaded"
                )
                yield _finding(model, (version.name, entry.name), entry, outcome, wanted)
            else:
                outcome = "the model loads, but what opens that file fails"
                yield _finding(model, (version.name, entry.name), entry, outcome, False)


def _finding(model: Model, parts: tuple[str, ...], entry: Entry, outcome: str, refused: bool) -> Finding:
    message = f"`{'/'.join(parts)}` is a link to `{entry.link}`, which is not there: {outcome}"
    severity, confidence = Severity.ERROR if refused else Severity.WARNING, Confidence.HIGH
    if not model.deployed and "/annex/objects/" in entry.link:
        severity, message = Severity.WARNING, message + ", unless git-annex fetches it first"
    elif not model.deployed and entry.outside:
        severity, confidence = Severity.WARNING, Confidence.MEDIUM
        message += ", unless the server's machine has that path"
    return RULE.finding(
        model.file_span(*parts),
        message,
        help="delete the link, or make it point to something that exists where the server runs",
        severity=severity,
        confidence=confidence,
        refused=severity is Severity.ERROR,
    )
