"""# TCV035 image-without-server

## What it finds
An image that holds no server, as the image of the server: `-py3-sdk` is the client with Performance Analyzer and
Model Analyzer, `-py3-min` the base that others are built on. A Dockerfile may begin with either.

## Why it matters
As NVIDIA publishes it there is no `tritonserver` program in it: the container ends at once.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:24.05-py3-sdk
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
Nothing. Docker: «exec: "tritonserver": executable file not found in $PATH».

## Evidence
What the suffixes of the tags mean, as NVIDIA names them, 20.03 to 26.10: `-py3-min` is a base for builds, `-py3-sdk`
the client. The images themselves were not opened for this rule, hence medium confidence. Docker's message stands so in
runc 1.1.5.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV035",
    name="image-without-server",
    title="The image holds no server: a client image or a base for builds",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    confidence=Confidence.MEDIUM,
    evidence=("tags of nvcr.io/nvidia/tritonserver, 20.03-26.10: what NVIDIA's suffixes mean; no image was opened",),
)

WHAT = {"sdk": "is the client image", "min": "is a base for builds"}


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.image:
        return
    fit = repository.fit
    what = WHAT.get(fit.variant)
    if not what or not fit.name or "dockerfile" in repository.launch.source.lower():
        return
    release = fit.name.tag.partition("-")[0]
    yield RULE.finding(
        repository.place("image"),
        f"`{fit.text}` {what}: as published it holds no `tritonserver`",
        help=f"use `{fit.name.with_tag(f'{release}-py3')}`",
    )
