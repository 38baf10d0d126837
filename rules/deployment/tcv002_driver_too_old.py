"""# TCV002 driver-too-old

## What it finds
An NVIDIA driver below the lowest one on which the image's CUDA starts: 450.80.02 for CUDA 11, 525.60.13 for CUDA 12,
580 for CUDA 13. Only the compatibility library in the image could help, and that works on data-center GPUs and on the
driver branches that it lists. Where it cannot work this is an error; where that is not known, a warning.

Image, driver and GPU come from `--image`, `--driver` and `--gpu`, from a deployment file, or from this machine with
`--host`. What the image itself says (`CUDA_DRIVER_VERSION`) comes before the table of releases.

## Why it matters
CUDA does not start, but the server does. It counts no GPU: a model without `kind` goes to the CPU without a word and
is many times slower, one with `KIND_GPU` is refused, and TensorRT serves nothing at all.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:26.06-py3
# --driver 570.86.10
# --gpu "NVIDIA GeForce RTX 3090"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:25.07-py3
# --driver 570.86.10
# --gpu "NVIDIA H100"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
The start-up script of the image: «This container was built for NVIDIA Driver Release 610.43 or later, but version
570.86.10 was detected and compatibility mode is UNAVAILABLE». Then Triton, of a model with `KIND_GPU`: «has kind
KIND_GPU but no GPUs are available».

## Evidence
docs.nvidia.com/deploy/cuda-compatibility, minor-version and forward compatibility, for 20.03 to 26.10. core
`cuda_utils.cc`, `GetSupportedGPUs`, 20.03 to 26.08: an insufficient driver counts as no GPU.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Fit, Repository, Rule, Severity

RULE = Rule(
    code="TCV002",
    name="driver-too-old",
    title="The host's driver is too old for the image's CUDA",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "docs.nvidia.com/deploy/cuda-compatibility: minor-version and forward compatibility, 20.03-26.10",
        "core src/cuda_utils.cc GetSupportedGPUs, 20.03-26.08",
    ),
)

READ = "readelf -p .note.cuda.fwd_compatibility /usr/local/cuda/compat/lib.real/libcuda.so.1"


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if fit.verdict.kind not in ("none", "forward-only") or not repository.uses_gpu:
        return
    cuda = f"CUDA {fit.cuda} in `{fit.text}`" if fit.cuda else f"the CUDA in `{fit.text}`"
    lowest = f"driver {fit.host.driver} is below {fit.image.floor}, the lowest for {cuda}"
    if fit.verdict.kind == "none":
        yield RULE.finding(
            repository.place("driver", "image"),
            f"{lowest}: CUDA does not start, and Triton counts no GPU.\n"
            "A model without `kind` then goes to the CPU without a word, one with `KIND_GPU` is refused, and TensorRT "
            f"serves nothing. {_no_library(fit)}",
            help=_cure(fit),
            confidence=Confidence.HIGH if fit.verdict.sure and fit.certain else Confidence.MEDIUM,
        )
        return
    yield RULE.finding(
        repository.place("driver", "image"),
        f"{lowest}, so that only the compatibility library in the image can start it.\n{_open_question(fit)}",
        help=_cure(fit),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _no_library(fit: Fit) -> str:
    """Why the compatibility library in the image does not help."""
    if fit.host.platform == "wsl":
        return "The compatibility library in the image is not for WSL."
    if fit.host.forward is False:
        return f"The compatibility library in the image is not for a GPU such as `{fit.gpu}` (error 804)."
    return f"The compatibility library in the image does not support branch {fit.host.driver.split('.')[0]}."


def _open_question(fit: Fit) -> str:
    """What decides whether the library works here."""
    if fit.verdict.forward is None and not fit.gpu:
        return "That works on data-center GPUs and some workstation GPUs, never on a GeForce; name yours with `--gpu`."
    if fit.verdict.forward is None:
        return f"Whether that works on `{fit.gpu}` is not known; it does on data-center GPUs, never on a GeForce."
    return f"The driver branches that it supports stand in the library itself: `{READ}`, run in the image."


def _cure(fit: Fit) -> str:
    """A newer driver, or an older image."""
    text = f"install driver {fit.image.floor} or later"
    if fit.host.platform == "wsl":
        text += " on Windows"
    if fit.built_for and fit.built_for != fit.image.floor:
        text += f" (the image was built for {fit.built_for})"
    newest = fit.newest
    return f"{text}, or use `{fit.other(newest)}`, the newest image for this driver" if newest else text
