"""# TCS024 backend-name

## What it finds
A `backend` that is the name of a platform (`tensorrt_plan`), or another word for a backend of Triton (`onnx`,
`TensorRT`, `torch`).

## Why it matters
Triton looks for a library of that name, `libtriton_tensorrt_plan.so`, finds none and refuses the model.

## Bad
```
# net/config.pbtxt
backend: "tensorrt_plan"
max_batch_size: 8
```

## Good
```
# net/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## What Triton says
«unable to find backend library for backend 'tensorrt_plan', try specifying runtime on the model configuration.»

## Evidence
core `backend_model.cc` `TritonModel::GetBackendLibraryProperties`, 23.10 to 26.06; refused by the real cores 22.11 to
24.10. A backend of one's own may have any name, so a word that is no platform is a warning.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS024",
    name="backend-name",
    title="`backend` is the name of a platform, or another word for a backend",
    severity=Severity.ERROR,
    reads=("backend",),
    refused=True,
    evidence=("core src/backend_model.cc GetBackendLibraryProperties, 23.10-26.06", "measured on 22.11-24.10"),
    only_with=("backend",),
)

# Other words than platforms. `libtorch` is a platform of 26.04 and later, which no model can be served by.
WORDS = {
    **dict.fromkeys(("onnx", "onnx_runtime", "onnxruntime-gpu"), "onnxruntime"),
    **dict.fromkeys(("torch", "libtorch", "torchscript"), "pytorch"),
    **dict.fromkeys(("trt", "tensor_rt"), "tensorrt"),
    **dict.fromkeys(("tf", "tensorflow2"), "tensorflow"),
    **dict.fromkeys(("py", "python3"), "python"),
    **dict.fromkeys(("tensorrt_llm", "trtllm"), "tensorrtllm"),
    **{name: name for name in ("onnxruntime", "pytorch", "tensorrt", "tensorflow", "python", "openvino")},
}


def check(model: Model) -> Iterator[Finding]:
    """The name, unless its library lies in the model's folder."""
    written = model.config.backend
    of_platform = "" if written in WORDS else model.backend.of_platform(written)
    is_platform = bool(of_platform)
    meant = of_platform or WORDS.get(written.lower(), "")
    library = f"libtriton_{written}.so"
    if not meant or meant == written or model.entry(library) or any(one.entry(library) for one in model.versions):
        return
    place = model.value_at("backend")
    yield RULE.finding(
        place,
        f"`{written}` is the platform of the backend `{meant}`, no backend: Triton finds no `{library}` and refuses"
        " the model"
        if is_platform
        else f"Triton has no backend `{written}`; without a `{library}` of your own it refuses the model",
        help=f'write `backend: "{meant}"`' + (f', or `platform: "{written}"`' if is_platform else ""),
        severity=Severity.ERROR if is_platform else Severity.WARNING,
        confidence=Confidence.HIGH if is_platform else Confidence.MEDIUM,
        refused=is_platform,
        fix=Fix(f'backend: "{meant}"', (Edit(place.path, place.start, place.end, f'"{meant}"'),), safe=is_platform),
    )
