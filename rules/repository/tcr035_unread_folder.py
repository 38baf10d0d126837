"""# TCR035 unread-folder

## What it finds
A folder in a model, beside its versions, that holds the model's file although its name is no version: `model`, `v2`,
`latest`. And, in poll mode, any folder beside the versions that Triton has no use for.

## Why it matters
Triton serves versions from folders whose name is a number. It passes over the others with a warning at each load, so
what lies there is not served. In poll mode a change in such a folder, as a log or a cache makes it, loads the model
anew.

## Bad
```
# detector/1/model.onnx
(onnx: x FP32[4] -> y FP32[4])
# detector/v2/model.onnx
(onnx: x FP32[4] -> y FP32[4])
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# detector/1/model.onnx
(onnx: x FP32[4] -> y FP32[4])
# detector/2/model.onnx
(onnx: x FP32[4] -> y FP32[4])
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«ignore version directory 'v2' which fails to convert to integral number»

## Evidence
Measured on the servers of 22.11 to 24.10: a warning at each load. That a change of a file in such a folder loads the
model anew in poll mode was measured on 22.11 and 24.10. Report server#2144.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, VersionFolder

RULE = Rule(
    code="TCR035",
    name="unread-folder",
    title="A folder beside the versions that Triton does not read",
    severity=Severity.INFO,
    needs=("config", "files", "launch"),
    reads=("backend", "platform", "default_model_filename"),
    evidence=("measured on 22.11-24.10: a warning at each load", "measured on 22.11 and 24.10: poll mode"),
)

# Folders that Triton reads: those of variants, warm-ups and initial states (core `model_config_utils.h`).
USED = frozenset(("configs", "warmup", "initial_state"))
PARKED = ("old", "bak", "backup", "archive", "disabled", "unused", "tmp", "_", ".")


def check(model: Model) -> Iterator[Finding]:
    """Each such folder."""
    if model.variant or all(folder.number is not None for folder in model.folder.folders) or not model.versions:
        return
    for folder in model.folder.folders:
        if folder.number is not None or folder.name in USED or folder.name[:1].isdigit():
            continue
        polls = model.launch.control_mode == "poll"
        meant = _meant(model, folder)
        if meant or polls:
            yield RULE.finding(
                model.file_span(folder.name),
                f"Triton does not read `{model.name}/{folder.name}`, as its name is no number"
                + ("; in poll mode a change in it loads the model anew" if polls else ""),
                help="give it a version's number if it is to be served, else move it out of the model's folder",
                severity=Severity.WARNING if polls else Severity.INFO,
            )


def _meant(model: Model, folder: VersionFolder) -> bool:
    """Whether it looks like a version: it has the model's file, and is not put aside by its name."""
    name = model.default_file
    return bool(name) and folder.entry(name) is not None and not folder.name.lower().startswith(PARKED)
