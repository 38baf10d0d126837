"""# TCV039 variant-backend

## What it finds
A model of a backend that the image's variant does not have: `-vllm-python-py3` holds vLLM and Python only,
`-trtllm-python-py3` TensorRT-LLM and Python, `-pyt-python-py3` PyTorch and Python; and a vLLM or TensorRT-LLM model
on the plain image. An image of one's own, `--backend-directory`, or a library beside the model changes that, and is
left alone.

## Why it matters
The model does not load.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:24.05-vllm-python-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:24.05-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«unable to find backend library for backend 'onnxruntime'»

## Evidence
Triton release notes, contents of the containers, 23.10 to 26.06; core `model_config_utils.cc` and
`backend_manager.cc`, where a backend's library is looked for, 24.01 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Entry, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCV039",
    name="variant-backend",
    title="The variant of the image lacks the model's backend",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch", "files"),
    reads=("backend", "platform", "runtime"),
    only_with=("backend", "platform"),
    refused=True,
    evidence=(
        "Triton release notes 23.10-26.06: contents of the containers",
        "core src/backend_manager.cc, 24.01-26.08",
    ),
)

# The backends of the plain image that a variant with a backend of its own leaves out.
COMMON = frozenset(("tensorrt", "onnxruntime", "pytorch", "openvino", "dali", "fil", "tensorflow"))
LACKS = {
    "vllm": COMMON | {"tensorrtllm"},
    "trtllm": COMMON | {"vllm"},
    "pytorch": (COMMON | {"vllm", "tensorrtllm"}) - {"pytorch"},
    "server": frozenset(("vllm", "tensorrtllm")),
}
HOLDS = {"vllm": "vLLM and Python", "trtllm": "TensorRT-LLM and Python", "pytorch": "PyTorch and Python"}
OWN = {"vllm": "vllm-python-py3", "tensorrtllm": "trtllm-python-py3"}


def check(model: Model) -> Iterator[Finding]:
    """A backend that the image has not."""
    backend = model.backend.name
    if not model.launch.image:
        return
    fit = model.repository.fit
    if backend not in LACKS.get(fit.variant, ()) or not fit.name or model.launch.all("backend-directory"):
        return
    if model.config.runtime or any(entry.name.endswith(".so") for entry in _entries(model)):
        return
    release = fit.name.tag.partition("-")[0]
    wanted = OWN.get(backend, "py3")
    holds = f"the backends of {HOLDS[fit.variant]} only" if fit.variant in HOLDS else f"no {backend} backend"
    yield RULE.finding(
        model.at("backend") if model.config.backend else model.at("platform"),
        f"`{fit.text}` holds {holds}, and `{model.name}` needs `{backend}`",
        help=f"use `{fit.name.with_tag(f'{release}-{wanted}')}`, or an image of your own that has both",
    )


def _entries(model: Model) -> Iterator[Entry]:
    """All that lies in the model's folder and its versions."""
    yield from model.folder.entries
    for folder in model.folder.folders:
        yield from folder.entries
