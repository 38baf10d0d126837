"""# TCV039 variant-backend

## What it finds
A model of a backend that the image's variant is not made for: by their names `-vllm-python-py3` is for vLLM and Python,
`-trtllm-python-py3` for TensorRT-LLM and Python, `-pyt-python-py3` for PyTorch and Python; and a vLLM or TensorRT-LLM
model on the plain image, which these variants stand beside; and, in a deployment file, a backend that none of
NVIDIA's images has. An image of one's own, also one that a Dockerfile builds, `--backend-directory`, a volume at
`/opt/tritonserver`, or a library beside the model changes that, and is left alone.

## Why it matters
Where the image has no library of the backend, the model does not load.

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
That a backend without a library is refused so: core `backend_model.cc`, 20.12 to 26.08, and measured with the cores of
22.11 to 24.10. What each variant holds is taken from the names of the tags, 23.10 to 26.10; no image was opened, hence
medium confidence and a warning.
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
        "core src/backend_model.cc, 20.12-26.08: where a backend's library is looked for",
        "tags of nvcr.io/nvidia/tritonserver, 23.10-26.10: what the variants are for; no image was opened",
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
KNOWN = COMMON | {"vllm", "tensorrtllm", "python", "ensemble", "identity", "repeat", "square", ""}
SINCE = (20, 12)  # before, some backends were part of the server
HOME = "/opt/tritonserver"
HOLDS = {"vllm": "vLLM and Python", "trtllm": "TensorRT-LLM and Python", "pytorch": "PyTorch and Python"}
OWN = {"vllm": "vllm-python-py3", "tensorrtllm": "trtllm-python-py3"}


def check(model: Model) -> Iterator[Finding]:
    """A backend that the image has not."""
    backend = model.backend.name
    launch = model.launch
    if not launch.image or launch.built:
        return
    fit = model.repository.fit
    foreign = bool(launch.source and launch.release and launch.release >= SINCE and backend not in KNOWN)
    if not fit.name or launch.all("backend-directory") or any(one.target.startswith(HOME) for one in launch.mounts):
        return
    if backend not in LACKS.get(fit.variant, ()) and not (foreign and fit.variant in LACKS and model.config.backend):
        return
    if model.config.runtime or any(entry.name.endswith(".so") for entry in _entries(model)):
        return
    if foreign:
        yield RULE.finding(
            model.at("backend"),
            f"`{fit.text}` holds no backend `{backend}`, and no `libtriton_{backend}.so` lies beside the model",
            help="put the library into the model's folder or an image of your own, or mount the backend's folder into "
            f"`{HOME}/backends`",
        )
        return
    release = fit.name.tag.partition("-")[0]
    wanted = OWN.get(backend, "py3")
    made = f"is made for {HOLDS[fit.variant]} only" if fit.variant in HOLDS else f"is not made for {backend}"
    yield RULE.finding(
        model.at("backend") if model.config.backend else model.at("platform"),
        f"`{fit.text}` {made}, and `{model.name}` needs the backend `{backend}`",
        help=f"use `{fit.name.with_tag(f'{release}-{wanted}')}`, or an image of your own that has both",
    )


def _entries(model: Model) -> Iterator[Entry]:
    """All that lies in the model's folder and its versions."""
    yield from model.folder.entries
    for folder in model.folder.folders:
        yield from folder.entries
