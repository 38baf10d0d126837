"""# TCR017 label-file

## What it finds
A `label_filename` that is not in the model's folder: missing, in a version folder, given by an absolute path, or, from
26.02 on, leading out of the model's folder; or one that is a folder.

## Why it matters
Triton reads the file when the model loads, from the model's folder and not from the version's, and refuses the model
if it is not there. An absolute path is put behind the model's folder like any other. A folder of that name **crashes
the whole server**; Docker makes one where a file that is mounted does not exist on the host.

## Bad
```
# --deployed
# resnet/1/labels.txt
cat
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 2 ] label_filename: "labels.txt" }
```

## Good
```
# --deployed
# resnet/labels.txt
cat
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 2 ] label_filename: "labels.txt" }
```

## What Triton says
«failed to open text file for read /models/resnet/labels.txt: No such file or directory»; from 26.02 on for a path with
`..` that it «is outside model directory». For a folder «what(): basic_string::_M_replace_aux», and the server is gone.

## Evidence
core `model.cc` `Model::Init` and `label_provider.cc` `AddLabels`, 20.01 to 26.06; measured on real servers 22.11 to
24.10 (where `../x` loads, and a folder crashes all six).
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, has_hole

RULE = Rule(
    code="TCR017",
    name="label-file",
    title="A label file is not in the model's folder",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("output",),
    refused=True,
    evidence=("core src/model.cc Model::Init, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("output",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look for the file of every output that names one."""
    for index, output in enumerate(model.config.output):
        if output.label_filename and not has_hole(output.label_filename):
            yield from _file(model, index, output.label_filename)


def _file(model: Model, index: int, name: str) -> Iterator[Finding]:
    span = model.value_at("output", index, "label_filename")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    release = model.launch.release
    if _leaves(parts) and release is not None and release >= (26, 2):
        yield RULE.finding(
            span,
            f"`{name}` is outside of the model's folder: Triton refuses the model from 26.02 on",
            help="put the file into the model's folder",
        )
        return
    path = "/".join((model.folder.path, *parts))
    if parts and model.contents.is_folder(path):
        yield RULE.finding(
            span,
            f"`{name}` is a folder; the whole server crashes when it reads it, and every other model goes down too",
            help="put a file there; where it is mounted into a container, make sure that it exists on the host",
        )
    if model.contents.exists(path):
        return
    inside = next((version for version in model.versions if len(parts) == 1 and version.entry(parts[0])), None)
    sure = model.deployed or inside is not None or name.startswith("/")
    message, help_ = f"`{name}` is not in the folder of `{model.name}`", "put the file there"
    if name.startswith("/"):
        message = f"`{name}` is looked for in the folder of `{model.name}`, as `{model.name}{name}`, and is not there"
        help_ = f"put the file into the model's folder and write `{parts[-1]}`" if parts else "name a file"
    elif inside is not None:
        message = f"`{name}` lies in version {inside.name}, but is looked for in the folder of `{model.name}`"
        help_ = f"move it to `{model.name}/{name}`, or write `{inside.name}/{name}`"
    yield RULE.finding(
        span,
        f"{message}: Triton refuses the model" + ("" if sure else ", unless the deployment adds it"),
        help=help_,
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=sure,
    )


def _leaves(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
