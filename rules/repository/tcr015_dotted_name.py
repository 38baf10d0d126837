"""# TCR015 dotted-name

## What it finds
A model without `backend` and `platform` and without a file that tells the backend, whose name has a dot in it.

## Why it matters
Triton then takes what stands behind the first dot of the folder's name for the backend: `resnet.v2` is to be served by
a backend `v2`, which nobody has. `model.dali` works, and is left alone; `resnet.onnxruntime` does not, since that
backend needs a `platform` too, which nobody fills in.

## Bad
```
# --deployed
# resnet.v2/1/weights.bin
(the weights)
# resnet.v2/config.pbtxt
max_batch_size: 8
```

## Good
```
# --deployed
# resnet.v2/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
# resnet.v2/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«unable to find backend library for backend 'v2'», or, up to 24.10, «unable to find 'libtriton_v2.so' for model
'resnet.v2'»; for `x.onnxruntime` «unexpected 'platform' and 'backend' pair, got:, onnxruntime».

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields`, 20.01 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR015",
    name="dotted-name",
    title="The backend is taken from a dot in the model's name",
    severity=Severity.ERROR,
    needs=("files", "config"),
    reads=("backend", "platform", "default_model_filename", "runtime"),
    refused=True,
    evidence=("core src/model_config_utils.cc AutoCompleteBackendFields, 20.01-26.06", "measured on 22.11-24.10"),
)


# Backends that people choose in this way: `model.dali`.
_MEANT = frozenset(("dali", "fil", "identity", "openvino", "vllm", "tensorrtllm", "repeat", "square"))
# Measured to be refused: these want a platform, or a file that ends in `.py`.
_REFUSED = frozenset(("onnxruntime", "tensorrt", "pytorch", "tensorflow", "python"))


def check(model: Model) -> Iterator[Finding]:
    """Look at the models whose backend is known by name only."""
    if model.variant or model.backend.source != "name" or not model.deployed:
        return
    if any(model.recognised(version) for version in model.loaded):
        return  # told by the rule about the first folder
    backend, library = model.backend.name, f"libtriton_{model.backend.name}.so"
    if backend in _MEANT:
        return
    if model.entry(library) is not None or any(version.entry(library) for version in model.loaded):
        return
    yield RULE.finding(
        model.at("backend"),
        f"no backend is written and no file tells one, so Triton takes `{backend}` from the folder's name"
        f" `{model.name}`: the model is refused",
        help='write `backend: "…"`',
        confidence=Confidence.HIGH if backend in _REFUSED else Confidence.MEDIUM,
    )
