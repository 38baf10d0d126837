"""# TCV056 repository-not-mounted

## What it finds
A container of NVIDIA's image that mounts this repository at one path, while the server reads models from another one,
at which nothing is mounted, though the two are much alike.

## Why it matters
The image holds no models. The path that the server is told is not there, and it does not start.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/modles"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«error: creating server: Internal - failed to stat file /models»

## Evidence
Measured on Triton 2.28.0, 2.36.0, 2.44.0 and 2.51.0 with a path that is not there. That nothing else makes the folder
before the server starts, a script of the container for one, is likely but not known: medium confidence.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV056",
    name="repository-not-mounted",
    title="The server reads models from a path at which nothing is mounted",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    evidence=("measured: Triton 2.28.0-2.51.0 with a path that is not there",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch; a script may fill other images and other paths, so none of those is judged."""
    launch = repository.launch
    named = repository.fit.name
    if not launch.flags_known or launch.built or named is None or not named.is_triton or not launch.mounts:
        return
    meant = repository.slipped_mount
    if not meant:
        return
    path = launch.last("model-repository")
    place = launch.origin(f"mount:{meant}")
    yield RULE.finding(
        repository.place("flag:model-repository", "command"),
        f"the server reads models from `{path}`, at which nothing is mounted: this repository is mounted at `{meant}`",
        help=f"mount it at `{path}`, or write --model-repository={meant}",
        related=[Related("mounted here", place)] if place is not None else [],
    )
