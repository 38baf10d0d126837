"""# TCV001 plan-version

## What it finds
A TensorRT plan that was built by another version of TensorRT than the image has.

## Why it matters
A plan runs only with the very TensorRT that built it, all four numbers of the version, unless it was built as a
version-compatible one; Triton then needs `--backend-config=tensorrt,version-compatible=true`, and the image a later
TensorRT of the same major. The version is read from the plan's header, for plans of TensorRT 8.6 and later. Which
TensorRT an image has is known for most releases, for some only between two; other images have their own.

## Bad
```
# --triton 24.01
# resnet/1/model.plan
(plan 10.3.0.26)
# resnet/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## Good
```
# --triton 24.08
# resnet/1/model.plan
(plan 10.3.0.26)
# resnet/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## What Triton says
TensorRT: «The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1.6 got
10.3.0.26, please rebuild.»; then Triton: «unable to create TensorRT engine» or «unable to load plan file to auto
complete config», and the model is UNAVAILABLE.

## Evidence
tensorrt_backend `loader.cc` `LoadPlan`, 20.01 to 26.06; NVIDIA/TensorRT `samples/common/sampleEngines.cpp`
(`getPlanVersionOnly`); server issue 317 and pytorch/TensorRT issue 1059. No real plan was at hand to read.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, OpenedFile, Rule, Severity, release_tag

RULE = Rule(
    code="TCV001",
    name="plan-version",
    title="A plan was built by another TensorRT than the image's",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("files", "modelfile", "launch", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy", "cc_model_filenames"),
    refused=True,
    evidence=("tensorrt_backend src/loader.cc LoadPlan, 20.01-26.06",),
    backends=("tensorrt",),
)

_Version = tuple[int, ...]
# Images with a TensorRT of their own.
_OTHERS = ("-trtllm-", "-igpu", "-vllm-")


def check(model: Model) -> Iterator[Finding]:
    """Compare the plan of each version that loads with the release's TensorRT."""
    facts = model.launch.facts
    if facts is None:
        return
    if any(name in model.launch.image for name in _OTHERS):
        return
    for file in model.opened.plans:
        plan = file.content
        image = _parse(facts.tensorrt)
        if image:
            if plan[: len(image)] != image:
                yield _finding(model, file, plan, image, "")
        elif len(facts.tensorrt_between) == 2:
            least, most = map(_parse, facts.tensorrt_between)
            if not least <= plan[: len(least)] or not plan[: len(most)] <= most:
                yield _finding(model, file, plan, least if plan < least else most, "between ")


def _finding(
    model: Model, file: OpenedFile[tuple[int, int, int, int]], plan: _Version, image: _Version, between: str
) -> Finding:
    """image: what the release has, or the nearer end of what it may have."""
    release = release_tag(model.launch.release or ())
    facts = model.launch.facts
    has = _dotted(image)
    if between and facts is not None:
        has = f"one of {facts.tensorrt_between[0]} to {facts.tensorrt_between[1]}"
    compatible = any(
        value.replace(" ", "") == "tensorrt,version-compatible=true" for value in model.launch.all("backend-config")
    )
    later = plan[0] == image[0] and plan < image
    close = len(image) >= 3 and plan[:3] == image[:3] and not between
    sure = not (compatible and later)
    help_ = f"build the plan with the TensorRT of the image that serves it (`trtexec` in the {release} image)"
    if compatible and later:
        help_ += ", or make sure that it was built as a version-compatible one"
    return RULE.finding(
        file.span(),
        f"`{file.name}` was built by TensorRT {_dotted(plan)}, but Triton {release} has {has}"
        + (": the backend refuses the plan" if sure else ", which reads it only if it is version-compatible"),
        help=help_,
        severity=Severity.ERROR if sure else Severity.INFO,
        confidence=Confidence.LOW if close or not sure else Confidence.MEDIUM if between or later else None,
        refused=sure,
    )


def _parse(version: str) -> _Version:
    parts = version.split("+")[0].split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def _dotted(version: _Version) -> str:
    return ".".join(map(str, version))
