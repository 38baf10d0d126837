"""# TCS009 unknown-platform

## What it finds
A `platform` that Triton does not know, in a model without `backend`: a slip, one that was removed, one that is newer
than the server, or the name of a backend.

## Why it matters
Triton refuses the model. Only TensorRT, ONNX Runtime, PyTorch, TensorFlow and ensembles have platforms; what came
later is named by `backend` alone.

## Bad
```
# tokenize/config.pbtxt
platform: "python"
max_batch_size: 8
```

## Good
```
# tokenize/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«unexpected platform type 'python' for tokenize»; where `default_model_filename` gives a backend away, «unexpected
'platform' and 'backend' pair»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10. Files in the
version folder make no difference; `default_model_filename` of `model.xml` or `model.py` does, and then it loads.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity, has_hole, release_tag

RULE = Rule(
    code="TCS009",
    name="unknown-platform",
    title="A `platform` that Triton does not know",
    severity=Severity.ERROR,
    needs=("config", "launch"),
    reads=("platform", "backend", "default_model_filename"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("platform",),
)

KNOWN = ("tensorrt_plan", "onnxruntime_onnx", "pytorch_libtorch", "tensorflow_savedmodel", "tensorflow_graphdef")
BACKENDS = ("python", "openvino", "dali", "fil", "vllm", "tensorrtllm", "identity", "repeat", "square")
# With one of these names the backend is filled in whatever the platform says, and it cares for none.
OPEN_FILES = ("model.xml", "model.py")
# First and last release. Source: core and server `model_config_utils.cc`, `constants.h`.
REMOVED = {"caffe2_netdef": (20, 10), "custom": (21, 4)}
SINCE = {"torch_aoti": (26, 3)}
OF_BACKEND = {
    "tensorrt": "tensorrt_plan",
    "onnxruntime": "onnxruntime_onnx",
    "onnx": "onnxruntime_onnx",
    "pytorch": "pytorch_libtorch",
    "torch": "pytorch_libtorch",
    "tensorflow": "tensorflow_savedmodel",
}


def check(model: Model) -> Iterator[Finding]:
    """Compare with the platforms of the release."""
    platform = model.config.platform
    named = bool(getattr(model.config, "backend", ""))  # since 20.07
    if not platform or named or has_hole(platform):
        return
    if platform in (*KNOWN, "ensemble", "libtorch") or model.config.default_model_filename in OPEN_FILES:
        return
    release = model.launch.release
    if platform in SINCE and (release is None or release >= SINCE[platform]):
        return
    if platform in REMOVED and release is not None and release[:2] <= REMOVED[platform]:
        return
    what, cure, text = _advice(platform)
    place = model.value_at("platform")
    whole = model.at("platform")
    fix = None
    if text.startswith("backend"):
        fix = Fix(text, (Edit(whole.path, whole.start, whole.end, text),))
    elif text:
        fix = Fix(f"platform: {text}", (Edit(place.path, place.start, place.end, text),))
    yield RULE.finding(whole, f"{what}: Triton refuses the model", help=cure, fix=fix)


def _advice(platform: str) -> tuple[str, str, str]:
    """What is wrong, what to write instead, and the text of a fix."""
    if platform in SINCE:
        return f"the platform `{platform}` exists since {release_tag(SINCE[platform])}", "use a newer image", ""
    if platform in REMOVED:
        last = release_tag(REMOVED[platform])
        return f"the platform `{platform}` is gone since {last}", "convert the model, or write another `backend`", ""
    low = platform.lower()
    if low in BACKENDS:
        return f"`{platform}` is a backend, no platform", f'write `backend: "{low}"`', f'backend: "{low}"'
    meant = OF_BACKEND.get(low) or next((one for one in KNOWN if one == low or _slip(one, low)), "")
    what = f"Triton knows no platform `{platform}`"
    if meant:
        return what, f'write `platform: "{meant}"`', f'"{meant}"'
    return what, "write the `backend` that is to serve the model, and no `platform`", ""


def _slip(known: str, written: str) -> bool:
    """Whether the two differ only in their separators, or one is the beginning of the other."""
    left, right = (text.replace("_", "").replace("-", "") for text in (known, written))
    return left == right or (len(right) >= 8 and left.startswith(right))
