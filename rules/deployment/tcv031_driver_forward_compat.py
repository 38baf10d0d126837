"""# TCV031 driver-forward-compat

## What it finds
An NVIDIA driver older than the one that the image was built for, on a GPU and a driver branch on which the
compatibility library in the image works. Whether a branch is supported stands in the library; where that was not
read, the confidence is medium.

## Why it matters
The image runs with all of its CUDA. But the library is put in place by the image's own start-up scripts: a container
that replaces the entry point (`--entrypoint tritonserver`) runs without it, by minor-version compatibility or not at
all.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:25.12-py3
# --driver 535.183.01
# --gpu "NVIDIA A100-SXM4-40GB"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:25.12-py3
# --driver 590.44.01
# --gpu "NVIDIA A100-SXM4-40GB"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
The start-up script of the image: «CUDA Forward Compatibility mode ENABLED», with both driver versions.

## Evidence
docs.nvidia.com/deploy/cuda-compatibility, forward compatibility; the section `.note.cuda.fwd_compatibility` of the
libraries of 575.57.08 (25.06), 580.95.05 (25.10, read on an H200 host) and 590.44.01 (25.12).
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV031",
    name="driver-forward-compat",
    title="The driver is older than the image's: its compatibility library is used",
    severity=Severity.INFO,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "docs.nvidia.com/deploy/cuda-compatibility: forward compatibility",
        "measured: .note.cuda.fwd_compatibility of libcuda 580.95.05 (25.10)",
        "nvidia-container-toolkit cuda-elf-header_test.go: those of 575.57.08 (25.06) and 590.44.01 (25.12)",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if fit.verdict.kind != "forward" or not repository.uses_gpu:
        return
    yield RULE.finding(
        repository.place("driver", "image"),
        f"`{fit.text}` was built for driver {fit.built_for}; on {fit.host.driver} the compatibility library in it is "
        "used",
        help="nothing to do while the image's own entry point starts the server: replacing it leaves the library out",
        confidence=Confidence.HIGH if fit.verdict.sure and fit.certain else Confidence.MEDIUM,
    )
