"""# TCV045 shm-read-only

## What it finds
Python models in a container whose `/dev/shm` is mounted read-only.

## Why it matters
Each instance of a Python model makes a region in `/dev/shm` when it starts. Where nothing can be written it fails, and
the model is refused.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models", "/dev/shm:/dev/shm:ro"]
# tokenizer/config.pbtxt
backend: "python"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models", "/dev/shm:/dev/shm"]
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
«Unable to initialize shared memory key 'triton_python_backend_shm_region_1' to requested size (67108864 bytes). …
Error: Read-only file system» (22.11 to 23.07; from 23.10 on it asks for 1048576 bytes)

## Evidence
Measured on the servers of 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10 with `/dev/shm` mounted read-only: a Python model
is refused each time. Report kserve#1937.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV045",
    name="shm-read-only",
    title="Python models cannot write to `/dev/shm`",
    severity=Severity.ERROR,
    scope="repository",
    needs=("config", "launch"),
    refused=True,
    since=(21, 4),
    evidence=("measured on 22.11-24.10", "kserve#1937"),
)

RELATED = 5


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    models = repository.python_models
    if not repository.launch.shm_read_only or not models:
        return
    names = [one.name for one in models]
    yield RULE.finding(
        repository.launch.origin("shm_read_only") or repository.place("shm_size"),
        f"`/dev/shm` is mounted read-only, and {listing(names, len(names))} cannot start without writing to it",
        help="mount it without `ro` or `readOnly`; in Kubernetes as an `emptyDir` with `medium: Memory`",
        related=[Related("a Python model", one.at("backend")) for one in models[:RELATED]],
    )
