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

import os
from collections.abc import Iterator
from difflib import get_close_matches

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
    """One finding for the launch."""
    launch = repository.launch
    named = repository.fit.name
    paths = launch.all("model-repository")
    if not launch.flags_known or launch.built or named is None or not named.is_triton or len(paths) != 1:
        return
    path, targets = paths[0], [one.target for one in launch.mounts]
    plain = all(one.startswith("/") and "$" not in one for one in (path, *targets))
    if not plain or any(_is_inside(path, one) or _is_inside(one, path) for one in targets):
        return
    own = _real(repository.path)
    here = [one.target for one in launch.mounts if one.kind == "bind" and one.source and _real(one.source) == own]
    meant = next((one for one in here if _is_like(path, one)), None)
    if meant is None:
        return
    place = launch.origin(f"mount:{meant}")
    yield RULE.finding(
        repository.place("flag:model-repository", "command"),
        f"the server reads models from `{path}`, at which nothing is mounted: this repository is mounted at `{meant}`",
        help=f"mount it at `{path}`, or write --model-repository={meant}",
        related=[Related("mounted here", place)] if place is not None else [],
    )


def _real(path: str) -> str:
    return os.path.realpath(path)


def _is_inside(path: str, folder: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _is_like(path: str, other: str) -> bool:
    """Whether one may be the other with a slip; a script may copy models between paths that are not alike."""
    same = os.path.basename(path.rstrip("/")) == os.path.basename(other.rstrip("/"))
    return same or bool(get_close_matches(path, [other], cutoff=0.75))
