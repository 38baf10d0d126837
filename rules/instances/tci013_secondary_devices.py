"""# TCI013 secondary-devices

## What it finds
`secondary_devices` in a model of another backend than TensorRT, or more than one of them in a group of a TensorRT
model.

## Why it matters
Only the TensorRT backend reads them, for the DLA cores of a Jetson: one for each group, and it refuses more. Other
backends ignore them without a word.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU secondary_devices { kind: KIND_NVDLA device_id: 0 } }
```

## Good
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
instance_group { kind: KIND_GPU secondary_devices { kind: KIND_NVDLA device_id: 0 } }
```

## What Triton says
«must have either zero or or one secondary devices»

## Evidence
tensorrt_backend `instance_state.cc`, 21.06 to 26.06; loads on real servers 22.11 to 24.10 with a stub backend.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCI013",
    name="secondary-devices",
    title="Secondary devices that the backend refuses or ignores",
    severity=Severity.WARNING,
    reads=("instance_group", "backend", "platform", "default_model_filename"),
    only_with=("instance_group",),
    since=(21, 6),
    evidence=("tensorrt_backend src/instance_state.cc, 21.06-26.06",),
)

# Backends whose source was read; of others nobody knows.
_OTHERS = frozenset(("onnxruntime", "pytorch", "python", "openvino", "tensorflow"))


def check(model: Model) -> Iterator[Finding]:
    """Every group."""
    backend = model.backend.name
    for index, group in enumerate(model.config.instance_group):
        devices = getattr(group, "secondary_devices", ())
        if backend == "tensorrt" and len(devices) > 1:
            yield RULE.finding(
                model.at("instance_group", index, "secondary_devices"),
                f"{len(devices)} secondary devices: the TensorRT backend takes one and refuses the model",
                help="write a group for each DLA core",
                severity=Severity.ERROR,
                confidence=Confidence.HIGH,
            )
        elif devices and backend in _OTHERS:
            cut = model.deletion("instance_group", index, "secondary_devices")
            yield RULE.finding(
                model.at("instance_group", index, "secondary_devices"),
                f"`secondary_devices` is ignored: only the TensorRT backend reads it, and this model is served by "
                f"`{backend}`",
                help="delete it",
                fix=Fix("delete `secondary_devices`", cut, safe=True) if cut else None,
            )
