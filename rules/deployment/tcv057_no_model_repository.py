"""# TCV057 no-model-repository

## What it finds
A command in a deployment file, other than a Dockerfile, that starts `tritonserver` without `--model-repository`.

## Why it matters
There is no default: the server does not start.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --log-verbose=1
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --log-verbose=1 --model-repository=/models
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«error: creating server: Invalid argument - --model-repository must be specified»

## Evidence
Measured on Triton 2.28.0, 2.36.0, 2.44.0 and 2.51.0, started without the flag.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV057",
    name="no-model-repository",
    title="The server is told no model repository",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("measured: Triton 2.28.0-2.51.0 started without the flag",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch; what an option says of the flags need not be all of them, and an image is run with
    more."""
    launch = repository.launch
    place = launch.origin("command")
    if not launch.flags_known or place is None or (launch.built and not place.path.endswith((".yml", ".yaml"))):
        return
    if launch.all("model-repository") or any("$" in one for one in launch.words):
        return
    if any("model-repository" in one or "model-store" in one for one in launch.words):
        return  # written in a way that other rules tell
    yield RULE.finding(
        repository.place("command"),
        "the server is told no model repository, and has no default: it does not start",
        help="add --model-repository=PATH, the path of the models inside the container",
    )
