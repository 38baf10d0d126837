"""# TCV030 driver-minor-compat

## What it finds
An NVIDIA driver older than the one that the image was built for, yet new enough for CUDA's minor-version
compatibility: 525.60.13 or later for an image with CUDA 12, 580 or later for one with CUDA 13.

An older driver of the same branch is no finding: a branch has one CUDA version. On a data-center GPU whose driver
branch the image's compatibility library supports, TCV031 says so instead.

## Why it matters
The server starts and serves, with less. PTX that the driver would have to compile, because it came from the newer
toolkit without code for this very GPU, fails with CUDA error 222: custom kernels, plugins, what `torch.compile` or
NVRTC make. Calls that came with later drivers fail with error 36, or a library silently takes a slower way. Nothing
of this shows at the start.

It is not what makes loads race (TCG001): that was measured with a driver newer than the image.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:26.06-py3
# --driver 580.173.02
# --gpu "NVIDIA GeForce RTX 3070 Laptop GPU"
# detector/config.pbtxt
backend: "tensorrt"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:25.11-py3
# --driver 580.173.02
# --gpu "NVIDIA GeForce RTX 3070 Laptop GPU"
# detector/config.pbtxt
backend: "tensorrt"
```

## What Triton says
The start-up script of the image: «CUDA Minor Version Compatibility mode ENABLED», with both driver versions.

## Evidence
docs.nvidia.com/deploy/cuda-compatibility, minor-version compatibility: CUDA 11, 12, 13. 26.01 (CUDA 13.1) printed
that line on 580.95.05 and served. Load races: measured with the 24.10 core (CUDA 12.6) on driver 580.159.04.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Fit, Repository, Rule, Severity

RULE = Rule(
    code="TCV030",
    name="driver-minor-compat",
    title="The driver is older than the image's: it runs with less",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "docs.nvidia.com/deploy/cuda-compatibility: minor-version compatibility, CUDA 11-13, images 20.06-26.10",
        "measured: 24.10 core on driver 580.159.04, load races of TCG001",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if fit.verdict.kind != "minor" or not repository.uses_gpu:
        return
    driver = fit.host.driver
    has = f" has CUDA {fit.native_cuda}" if fit.native_cuda else ""
    brings = f" (CUDA {fit.cuda})" if fit.cuda else ""
    parts = [
        f"driver {driver}{has or ' is older'}, and `{fit.text}` was built for {fit.built_for}{brings}: it runs by "
        "minor-version compatibility, with less",
        "What can break: PTX that the driver must compile (CUDA error 222), as custom kernels, plugins and "
        "`torch.compile` bring it; and calls that came with later drivers (error 36). Code compiled for this very GPU "
        "is not affected.",
    ]
    if fit.verdict.forward is None and not fit.gpu:
        parts.append("On a data-center GPU the compatibility library in the image may lift that; `--gpu` tells.")
    if repository.start_races:
        parts.append(
            "It is not the cause of the load race: that was measured with a driver newer than the image's CUDA (24.10 "
            "on 580.159.04), and a newer driver does not end it."
        )
    yield RULE.finding(
        repository.place("driver", "image"),
        "\n".join(parts),
        help=_cure(fit),
        confidence=Confidence.HIGH if fit.certain else Confidence.MEDIUM,
    )


def _cure(fit: Fit) -> str:
    """A newer driver, or an older image; on a GeForce also what not to fall into."""
    text = f"install driver {fit.built_for} or later"
    native = fit.newest_native
    if native:
        text += f", or use `{fit.other(native)}`, the newest image whose CUDA this driver has"
    text += "; or test what you run on it"
    if fit.host.forward is False and fit.host.compat_first is None and fit.host.platform != "wsl":
        text += ". With container toolkit 1.18 or later read `tritoncheck explain TCV032` first"
    return text
