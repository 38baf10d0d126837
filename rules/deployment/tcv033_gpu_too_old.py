"""# TCV033 gpu-too-old

## What it finds
A GPU whose compute capability is below the lowest that the image is built for: 7.5 (Turing) from 25.01 on, 6.0
(Pascal) before. Where only a GPU's name is known its capability is looked up, at medium confidence.

## Why it matters
The libraries in the image hold no code for the GPU: kernels fail to start (CUDA error 209) and TensorRT refuses to
build or load engines. No driver changes that.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:25.01-py3
# --gpu "Tesla V100-SXM2-16GB"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:24.12-py3
# --gpu "Tesla V100-SXM2-16GB"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«no kernel image is available for execution on the device», from the backend. Below 6.0 Triton itself leaves the GPU
out: «minimum required CUDA compute compatibility».

## Evidence
Triton release notes, 20.03 to 26.10: compute capability 6.0 and later, from 25.01 on 7.5 and later. core
`cuda_utils.cc`, `GetSupportedGPUs`, 20.03 to 26.08, for `--min-supported-compute-capability`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV033",
    name="gpu-too-old",
    title="The GPU is older than the image is built for",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "Triton release notes 20.03-26.10: compute capability 6.0, from 25.01 on 7.5",
        "core src/cuda_utils.cc GetSupportedGPUs, 20.03-26.08",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    gpu, lowest = fit.verdict.gpu, fit.image.min_capability
    if fit.verdict.kind != "old-gpu" or not gpu or not gpu.capability or not lowest or not repository.uses_gpu:
        return
    capability, least = (f"{one[0]}.{one[1]}" for one in (gpu.capability, lowest))
    newest = fit.newest_for_gpu
    shown = f"`{gpu.name}`" if gpu.name else "the GPU"
    yield RULE.finding(
        repository.place("gpu", "image"),
        f"{shown} has compute capability {capability}, and `{fit.text}` is built for {least} and later: its libraries "
        "hold no code for this GPU",
        help=f"use `{fit.other(newest)}`, the newest image for it, or a newer GPU" if newest else "use a newer GPU",
        confidence=Confidence.HIGH if fit.verdict.sure and fit.certain else Confidence.MEDIUM,
    )
