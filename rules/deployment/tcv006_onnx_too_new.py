"""# TCV006 onnx-too-new

## What it finds
An ONNX file with a newer opset or IR version than the ONNX Runtime of the image knows.

## Why it matters
ONNX Runtime refuses what it does not know, and exporters write the newest by default.

## Bad
```
# --triton 24.01
# resnet/1/model.onnx
(onnx ir 10 opset 21: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --triton 25.01
# resnet/1/model.onnx
(onnx ir 10 opset 21: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Unsupported model IR version: 10, max supported IR version: 9», or «ONNX Runtime only *guarantees* support for models
stamped with official released onnx opset versions. Opset 21 is under development and support for this is limited. …
Current official support for domain ai.onnx is till opset 20.»

## Evidence
The highest opset and IR version of ONNX Runtime 1.12 to 1.29, measured with its CPU wheels; the version in each image
by server `build.py`, 22.05 to 26.06; server issue 8001.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, OnnxModel, OpenedFile, Rule, Severity, release_tag

RULE = Rule(
    code="TCV006",
    name="onnx-too-new",
    title="An ONNX file is newer than the image's ONNX Runtime",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("files", "modelfile", "launch", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=(
        "onnxruntime_backend src/onnxruntime_loader.cc LoadSession, limits measured with ONNX Runtime 1.12-1.29",
    ),
    backends=("onnxruntime",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare the file of each version that loads with the release's ONNX Runtime."""
    facts = model.launch.facts
    if facts is None:
        return
    for file in model.opened.onnx:
        onnx = file.content
        if facts.onnx_ir_max is not None and onnx.ir > facts.onnx_ir_max:
            yield _finding(model, file, f"IR version {onnx.ir}", facts.onnx_ir_max)
        elif facts.onnx_opset_max is not None and onnx.opset > facts.onnx_opset_max:
            yield _finding(model, file, f"opset {onnx.opset}", facts.onnx_opset_max)


def _finding(model: Model, file: OpenedFile[OnnxModel], what: str, limit: int) -> Finding:
    runtime = model.launch.facts.onnxruntime.partition("+")[0] if model.launch.facts else ""
    release = release_tag(model.launch.release or ())
    word = what.rpartition(" ")[0]
    help_ = "serve it with a later release"
    help_ += (
        f", or export it with `opset_version={limit}`" if word == "opset" else f", or set its `ir_version` to {limit}"
    )
    return RULE.finding(
        file.span(),
        f"`{file.name}` has {what}, but ONNX Runtime {runtime} of Triton {release} knows them up to {limit}: the"
        " backend refuses the model",
        help=help_,
    )
