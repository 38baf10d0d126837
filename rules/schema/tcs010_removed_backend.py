"""# TCS010 removed-backend

## What it finds
A model for TensorFlow, where the release is known and is 25.03 or later.

## Why it matters
The images of Triton come without the TensorFlow backend since 25.03; the last one that has it is 25.02. The core
still fills in the rest, so the model is refused only when its library is looked for. An image of your own may have
the backend.

## Bad
```
# --triton 25.06
# resnet/config.pbtxt
platform: "tensorflow_savedmodel"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# --triton 25.02
# resnet/config.pbtxt
platform: "tensorflow_savedmodel"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
«unable to find backend library for backend 'tensorflow', try specifying runtime on the model configuration.»

## Evidence
server `build.py`, 20.08 to 26.06: the backend is built up to 25.02.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, release_tag

RULE = Rule(
    code="TCS010",
    name="removed-backend",
    title="The release has no TensorFlow backend any more",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch", "files"),
    reads=("platform", "backend", "default_model_filename"),
    since=(25, 3),
    evidence=("server build.py, 20.08-26.06",),
    only_with=("platform", "backend", "default_model_filename"),
)

LIBRARY = "libtriton_tensorflow.so"


def _own_runtime(model: Model) -> bool:
    return bool(getattr(model.config, "runtime", ""))  # since 24.01


def check(model: Model) -> Iterator[Finding]:
    """A model of TensorFlow, unless its folder brings the library along."""
    release = model.launch.release
    if release is None or model.backend.name != "tensorflow" or _own_runtime(model):
        return
    if model.entry(LIBRARY) or any(version.entry(LIBRARY) for version in model.versions):
        return
    official = not model.launch.image or "nvcr.io/nvidia/tritonserver" in model.launch.image
    source = model.backend.source
    yield RULE.finding(
        model.at(source if source in ("platform", "backend") else "default_model_filename"),
        f"Triton's images have no TensorFlow backend since 25.03: {release_tag(release)} finds no library for it",
        help="stay on 25.02, convert the model to ONNX, or build the backend into the image",
        severity=Severity.ERROR if official else Severity.WARNING,
        confidence=Confidence.MEDIUM if official else Confidence.LOW,
    )
