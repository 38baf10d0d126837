"""# TCV036 jetson-image

## What it finds
An image for Jetson boards (`-py3-igpu`) on a discrete GPU; or an image for discrete GPUs on a Jetson with JetPack 6
or older, told by its driver (540 and before), by the release of its system (L4T 36 and before) or, at low confidence,
by the GPU's name alone.

With JetPack 7 (driver 580) the plain image is right: separate ones end with 26.03.

## Why it matters
Each holds libraries for the other kind of driver. The server finds no GPU (CUDA error 100).

## Bad
```
# --image nvcr.io/nvidia/tritonserver:24.08-py3
# --driver 540.4.0
# --gpu "Orin (nvgpu)"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:24.08-py3-igpu
# --driver 540.4.0
# --gpu "Orin (nvgpu)"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
The start-up script of the image, on a Jetson: «version 540.4.0 was detected and compatibility mode is UNAVAILABLE».

## Evidence
server issues 7798 and 8536: images of 24.x for discrete GPUs on Jetson boards, driver 540.4.0; users pair JetPack 6
with 24.08-py3-igpu and JetPack 5 with 23.12-py3-igpu.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV036",
    name="jetson-image",
    title="An image for Jetson on a discrete GPU, or the other way round",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch", "host"),
    evidence=("server issues 7798 (24.08) and 8536: images for discrete GPUs on Jetson, driver 540.4.0",),
)

JETPACK_7, L4T_OF_JETPACK_7 = 580, "38"


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    driver, kinds = fit.host.version, {gpu.kind for gpu in fit.host.gpus}
    if not fit.name or not repository.uses_gpu:
        return
    plain = f"{fit.name.tag.partition('-')[0]}-py3"
    if fit.variant == "igpu" and kinds and not kinds & {"jetson", ""}:
        yield RULE.finding(
            repository.place("image"),
            f"`{fit.text}` is for Jetson boards, and `{fit.gpu}` is a discrete GPU: the server finds no GPU",
            help=f"use `{fit.name.with_tag(plain)}`",
        )
    if fit.variant not in ("server", "vllm", "trtllm", "pytorch") or not fit.host.is_jetson:
        return
    if (driver is not None and driver[0] >= JETPACK_7) or fit.host.l4t >= L4T_OF_JETPACK_7:
        return
    known = driver is not None or bool(fit.host.l4t)
    which = f"driver {fit.host.driver}" if driver else f"L4T {fit.host.l4t}"
    yield RULE.finding(
        repository.place("image"),
        f"`{fit.text}` is for discrete GPUs, and this is a Jetson"
        + (f" with {which}: the server finds no GPU" if known else "; with JetPack 6 or older it finds no GPU"),
        help=f"use `{fit.name.with_tag(f'{plain}-igpu')}`, or JetPack 7",
        severity=Severity.ERROR if known else Severity.WARNING,
        confidence=Confidence.MEDIUM if known else Confidence.LOW,
    )
