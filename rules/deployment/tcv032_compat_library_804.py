"""# TCV032 compat-library-804

## What it finds
A GeForce or Titan, a driver older than the image's, and NVIDIA container toolkit 1.18 or later, which puts the
compatibility library of the image before the host's own libcuda. The toolkit's version is read with `--host`.

## Why it matters
The compatibility library refuses a GeForce with error 804, although the host's own libcuda would have run the image
by minor-version compatibility. The toolkit looks at the driver branch that the library lists, not at the GPU. The
server then counts no GPU.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:26.06-py3
# --machine geforce-laptop-toolkit
# detector/config.pbtxt
backend: "tensorrt"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:26.06-py3
# --machine geforce-laptop-toolkit-off
# detector/config.pbtxt
backend: "tensorrt"
```

## What Triton says
«forward compatibility was attempted on non supported HW» (CUDA error 804), and the start-up script of the image:
«compatibility mode is UNAVAILABLE».

## Evidence
NVIDIA/nvidia-container-toolkit 1.20.0, `compatElfHeader.UseCompat`, which ignores the list of devices; its issue 291
(GTX 1650, error 804); server issues 1838 (RTX 2080 Ti, 20.06) and 2225 (Titan Xp, 20.09). That a toolkit of today
does it on a GeForce is an inference from its code and one report.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV032",
    name="compat-library-804",
    title="The container toolkit forces a compatibility library onto a GeForce",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch", "host"),
    evidence=(
        "nvidia-container-toolkit 1.20.0 compatElfHeader.UseCompat; issue 291",
        "server issues 1838 (20.06) and 2225 (20.09)",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if fit.verdict.kind != "minor" or fit.verdict.listed is False or not repository.uses_gpu:
        return
    if fit.host.forward is not False or not fit.host.compat_first or fit.host.platform == "wsl":
        return
    yield RULE.finding(
        repository.place("driver", "image"),
        f"container toolkit {fit.host.toolkit} puts the compatibility library of `{fit.text}` before the host's own "
        f"libcuda, and on `{fit.gpu}` that library ends in CUDA error 804: Triton may count no GPU",
        help='set `cuda-compat-mode = "disabled"` under `[nvidia-container-runtime.modes.legacy]` in '
        "/etc/nvidia-container-runtime/config.toml, and `disable-cuda-compat-lib-hook = true` under `[features]` for "
        f"CDI; or install driver {fit.built_for} or later",
    )
