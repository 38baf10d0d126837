"""# TCV006 onnx-too-new

## What it finds
An ONNX file with a newer opset or IR version than the ONNX Runtime of the image knows. Where it is not known what that
one knows, it is no more than what that of the next release does.

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
The highest opset and IR version of ONNX Runtime 1.12 to 1.29, measured with its CPU wheels, and of 1.10 and 1.11 with
its package for Node; the version in each image by server `build.py`, 20.03 to 26.06; server issue 8001. What older ones
know was not measured: no more than 1.10, so that this is said with less confidence up to 21.11.
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
        "onnxruntime_backend src/onnxruntime_loader.cc LoadSession, limits measured with ONNX Runtime 1.10-1.29",
    ),
    backends=("onnxruntime",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare the file of each version that loads with the release's ONNX Runtime."""
    facts = model.launch.facts
    if facts is None or facts.onnx is None:
        return
    limits = facts.onnx
    for file in model.opened.onnx:
        if file.content.ir > limits.ir:
            yield _finding(model, file, f"IR version {file.content.ir}", limits.ir)
        elif file.content.opset > limits.opset:
            yield _finding(model, file, f"opset {file.content.opset}", limits.opset)


def _finding(model: Model, file: OpenedFile[OnnxModel], what: str, limit: int) -> Finding:
    facts = model.launch.facts
    known = facts is not None and facts.onnx is not None and facts.onnx.of == facts.release
    runtime = facts.onnxruntime.partition("+")[0] if facts else ""
    release = release_tag(model.launch.release or ())
    who = f"ONNX Runtime {runtime} of Triton {release}" if runtime else f"the ONNX Runtime of Triton {release}"
    if known:
        why = f"{who} knows them up to {limit}"
    else:
        later = release_tag(facts.onnx.of) if facts and facts.onnx else ""
        why = f"{who} knows no more than that of {later}, which knows them up to {limit}"
    word = what.rpartition(" ")[0]
    help_ = "serve it with a later release"
    help_ += (
        f", or export it with `opset_version={limit}`" if word == "opset" else f", or set its `ir_version` to {limit}"
    )
    return RULE.finding(
        file.span(),
        f"`{file.name}` has {what}, but {why}: the backend refuses the model",
        help=help_,
        confidence=Confidence.MEDIUM if known else Confidence.LOW,
    )
