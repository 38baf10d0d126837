"""# TCV053 gpu-newer-than-image

## What it finds
A GPU of an architecture that the CUDA in the image does not know yet: Hopper before CUDA 11.8, Blackwell before 12.8.
Within an architecture's number code runs on later GPUs too, so that 8.9 needs no more than 8.0. An error where models
of TensorRT are served, a warning else. Where only a GPU's name is known its capability is looked up.

## Why it matters
The libraries in the image hold no code compiled for the GPU. What brings PTX may still run: the driver compiles it at
the first use, which takes minutes, and the rest fails at its first kernel. TensorRT neither builds nor loads engines
for a GPU that it does not know. A newer driver does not change that.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:24.05-py3
# --gpu "NVIDIA B200"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:25.01-py3
# --gpu "NVIDIA B200"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«no kernel image is available for execution on the device», from the backend.

## Evidence
NVIDIA's compatibility guides for Ampere, Hopper and Blackwell in the documentation of CUDA 11.0, 11.8 and 12.8: code
compiled for one major of the compute capability does not run on another, PTX may. Triton release notes, 20.03 to 26.10,
for the CUDA of each image. Not measured on an old image.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV053",
    name="gpu-newer-than-image",
    title="The GPU is newer than the image's CUDA",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch", "host"),
    evidence=("CUDA compatibility guides for Ampere, Hopper, Blackwell: 11.0, 11.8, 12.8; images 20.03-26.10",),
)

SHOWN = 4


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    gpu = fit.newer_gpu
    if gpu is None or gpu.capability is None or not repository.uses_gpu:
        return
    engines = [
        model
        for model in repository.served.values()
        if model.backend.name == "tensorrt" and not model.variant and not model.broken
    ]
    has = f"CUDA {fit.cuda}" if fit.cuda else "the CUDA"
    text = (
        f"{f'`{gpu.name}`' if gpu.name else 'the GPU'} has compute capability {gpu.capability[0]}.{gpu.capability[1]}, "
        f"and {has} in `{fit.text}` is older than that: its libraries hold no code compiled for this GPU.\n"
        "What brings PTX may still run, after the driver has compiled it; the rest fails at its first kernel"
    )
    if engines:
        text += (
            f". TensorRT takes no engine for a GPU that it does not know, so {listing(one.name for one in engines)} "
        )
        text += "cannot load"
    first = fit.first_for_gpu
    yield RULE.finding(
        repository.place("gpu", "image"),
        text,
        help=f"use `{fit.other(first)}`, the first image whose CUDA knows this GPU, or a later one" if first else "",
        severity=Severity.ERROR if engines else Severity.WARNING,
        related=[
            Related("needs TensorRT", one.at("backend" if one.config.backend else "platform"))
            for one in engines[:SHOWN]
        ],
    )
