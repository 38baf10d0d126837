"""# TCR033 broken-model-file

## What it finds
An ONNX file that is cut off, damaged, or no protobuf message at all; an OpenVINO `.xml` that is no whole text; a file
for libtorch that is no zip archive, or lacks the directory that stands at the end of one. A plain text is left alone:
it stands for a file that comes later.

## Why it matters
A copy that was broken off, or a full disk, leaves a file that begins well. The backend reads all of it and refuses the
model. Of the weights nothing is checked here: damage there is not seen.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2]; cut)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Load model from /models/resnet/1/model.onnx failed:Protobuf parsing failed.»; PyTorch: «PytorchStreamReader failed
reading zip archive: failed finding central directory».

## Evidence
onnxruntime_backend `onnxruntime_loader.cc` `LoadSession`, 20.08 to 26.06; measured with ONNX Runtime 1.32 and OpenVINO
2026.4; PyTorch `caffe2/serialize/inline_container.cc` `init`, 1.4 to 2.9.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR033",
    name="broken-model-file",
    title="A model file is cut off or damaged",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy", "runtime"),
    refused=True,
    evidence=(
        "onnxruntime_backend src/onnxruntime_loader.cc LoadSession, 20.08-26.06",
        "measured with ONNX Runtime 1.32",
        "PyTorch caffe2/serialize/inline_container.cc, 1.4-2.9",
    ),
    backends=("onnxruntime", "openvino", "pytorch"),
)

_FAULTS = {
    "cut": "it ends in the middle; a copy may have been broken off",
    "malformed": "it begins like one, but is damaged",
    "no graph": "it holds no graph",
    "no model": "it does not begin like one, and is no protobuf message",
}
_ARCHIVES = {
    "cut": "the directory at its end is missing; a copy may have been broken off",
    "no archive": "it is no zip archive, as those are",
}


def check(model: Model) -> Iterator[Finding]:
    """Look at the ONNX files and networks of the versions that load."""
    for file in model.opened.onnx:
        if file.content.fault:
            yield RULE.finding(
                file.span(),
                f"`{file.name}` is no whole ONNX model: {_FAULTS[file.content.fault]}; the onnxruntime backend refuses"
                " the model",
                help="copy or export it again, and compare sizes",
            )
    for archive in model.opened.archives:
        if archive.content.fault:
            yield RULE.finding(
                archive.span(),
                f"`{archive.name}` is no TorchScript: {_ARCHIVES[archive.content.fault]}; the pytorch backend refuses"
                " the model",
                help="copy or export it again (`torch.jit.save`), and compare sizes",
                confidence=Confidence.MEDIUM,
            )
    for network in model.opened.networks:
        if network.content.fault:
            yield RULE.finding(
                network.span(network.content.line),
                f"`{network.name}` is no whole XML: {network.content.fault}; the openvino backend refuses the model",
                help="copy or export it again, and compare sizes",
            )
