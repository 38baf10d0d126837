"""# TCG002 graphs-not-tensorrt

## What it finds
Settings in `optimization { cuda { … } }` of a model that another backend than TensorRT serves.

## Why it matters
Only the TensorRT backend reads this block. Every other backend ignores it without a word, so the model runs without
graphs and whoever wrote the line believes that it runs with them. ONNX Runtime has switches of its own for this, which
are no good in Triton either (TCG016, TCG017).

## Bad
```
# caption/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
optimization { cuda { graphs: true } }
```

## Good
```
# caption/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
common `protobuf/model_config.proto` and tensorrt_backend `tensorrt_model.cc`, `ParseModelConfig`, the only reader of
the block, 20.01 to 26.08; onnxruntime_backend#168.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity, listing

RULE = Rule(
    code="TCG002",
    name="graphs-not-tensorrt",
    title="`optimization.cuda` on a backend that does not read it",
    severity=Severity.WARNING,
    reads=("backend", "platform", "default_model_filename", "optimization.cuda"),
    evidence=(
        "tensorrt_backend src/tensorrt_model.cc ParseModelConfig, 20.01-26.08",
        "onnxruntime_backend#168",
    ),
    only_with=("optimization",),
)

# Backends of NVIDIA that are known not to read the block. A custom backend may do what it likes.
OTHERS = frozenset(("onnxruntime", "pytorch", "tensorflow", "python", "openvino", "vllm", "tensorrtllm"))
OTHERS |= {"fil", "dali", "identity", "repeat", "square"}


def check(model: Model) -> Iterator[Finding]:
    """Name what is switched on for nothing."""
    if not model.config.HasField("optimization") or not model.config.optimization.HasField("cuda"):
        return
    backend = model.backend.name
    on = [field.name for field, value in model.config.optimization.cuda.ListFields() if value]
    if not on or backend not in OTHERS:
        return
    verb = "is" if len(on) == 1 else "are"
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs" if "graphs" in on else on[0]),
        f"{listing(on)} {verb} silently ignored: only the TensorRT backend reads `optimization.cuda`, and this model is"
        f" served by `{backend}`",
        help="delete the `cuda { … }` block",
        fix=_without_block(model),
    )


def _without_block(model: Model) -> Fix | None:
    """Delete the block with the white space before it, where it stands once and no separator follows it."""
    if len(re.findall(r"\bcuda\b\s*:?\s*[{<]", model.text)) != 1:
        return None
    node = model.document.find(("optimization", "cuda"))
    if node is None:
        return None
    start, end = model.document.span(node)
    if model.text[end:].lstrip()[:1] in (",", ";") or "#" in model.text[start:end]:
        return None
    start = len(model.text[:start].rstrip(" \t"))
    if model.text[start - 1 : start] == "\n" and model.text[end : end + 1] == "\n":
        start -= 1
    return Fix("delete `cuda { … }`", (Edit(model.config_path, start, end, ""),), safe=True)
