"""# TCV034 launch-condition

## What it finds
A condition in the image's environment, `NVIDIA_REQUIRE_CUDA` or another `NVIDIA_REQUIRE_…`, that the host's driver or
GPU does not meet. It is known where the image was read (`--host`), or where a deployment file sets the variable. An
image that has `CUDA_VERSION` but no condition requires that CUDA.

## Why it matters
The container toolkit does not start the container at all. Triton's own images require little (`cuda>=9.0`); images
built on `nvidia/cuda` require a driver that has their CUDA, which forbids minor-version compatibility.

## Bad
```
# --launch "docker run --gpus all -e 'NVIDIA_REQUIRE_CUDA=cuda>=13.3' tritonserver:26.06-py3 tritonserver"
# --driver 595.58.03
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "docker run --gpus all -e 'NVIDIA_REQUIRE_CUDA=cuda>=9.0' tritonserver:26.06-py3 tritonserver"
# --driver 595.58.03
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing, it is not started. The container toolkit: «nvidia-container-cli: requirement error: unsatisfied condition:
cuda>=13.3».

## Evidence
NVIDIA/nvidia-container-toolkit 1.20.0, `internal/config/image` and `internal/requirements/constraints`; 23.12, 25.02
and the PyTorch image of 26.07 have `NVIDIA_REQUIRE_CUDA=cuda>=9.0`. In CDI mode no such check was found in its code.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Fit, Repository, Rule, Severity

RULE = Rule(
    code="TCV034",
    name="launch-condition",
    title="The host does not meet the image's launch condition",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "nvidia-container-toolkit 1.20.0 internal/requirements/constraints",
        "environment of the images 23.12, 25.02 and of pytorch:26.07",
    ),
)

OFF = (
    "set `NVIDIA_DISABLE_REQUIRE=true` for the container if you know that it runs all the same; otherwise it takes a "
    "driver or a GPU that meets it, or an older image"
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if fit.verdict.kind != "requirement" or not repository.uses_gpu:
        return
    name, condition = fit.verdict.condition
    shown = condition if len(condition) <= 60 else f"{condition[:57]}…"
    source = "for its `CUDA_VERSION`" if name == "CUDA_VERSION" else f"`{name}`"
    yield RULE.finding(
        repository.place(f"environment:{name}", "environment", "image"),
        f"`{fit.text}` requires `{shown}` ({source}), and {_host(fit)}: the container toolkit does not start the "
        "container (in CDI mode it does not look)",
        help=OFF,
    )


def _host(fit: Fit) -> str:
    """What the host has."""
    parts = []
    if fit.host.driver:
        cuda = f" (CUDA {fit.native_cuda})" if fit.native_cuda else ""
        parts.append(f"driver {fit.host.driver}{cuda}")
    if fit.gpu:
        parts.append(f"`{fit.gpu}`")
    return f"the host has {' and '.join(parts)}" if parts else "the host does not have that"
