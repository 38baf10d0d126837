"""# TCP012 tensorrt-only-optimization

## What it finds
`optimization.priority`, `optimization.eager_batching` or `optimization.gather_kernel_buffer_threshold` in a model of
another backend than TensorRT.

## Why it matters
Only the TensorRT backend reads these; the others ignore them without a word.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { priority: PRIORITY_MAX }
```

## Good
```
# net/config.pbtxt
backend: "tensorrt"
optimization { priority: PRIORITY_MAX }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `tensorrt_model.cc` `ParseModelConfig`, the only reader of the three; onnxruntime_backend and
pytorch_backend create their streams with priority 0; 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCP012",
    name="tensorrt-only-optimization",
    title="An optimization that only TensorRT's backend reads",
    severity=Severity.WARNING,
    reads=("optimization", "backend", "platform", "default_model_filename"),
    evidence=("tensorrt_backend src/tensorrt_model.cc ParseModelConfig, 22.12-26.06",),
    only_with=("optimization",),
)

FIELDS = ("priority", "eager_batching", "gather_kernel_buffer_threshold")
OTHERS = frozenset(("onnxruntime", "pytorch", "python", "openvino", "tensorflow", "vllm", "fil", "dali"))


def check(model: Model) -> Iterator[Finding]:
    """Each of the three that is set."""
    if model.backend.name not in OTHERS:
        return
    for name in FIELDS:
        if getattr(model.config.optimization, name, 0):
            edits = model.deletion("optimization", name)
            yield RULE.finding(
                model.at("optimization", name),
                f"only the TensorRT backend reads `{name}`; the {model.backend.name} backend silently ignores it",
                help=f"delete `{name}`",
                fix=Fix(f"delete `{name}`", edits, safe=True) if edits else None,
            )
