"""# TCV045 shm-read-only

## What it finds
Python models in a container whose `/dev/shm` is mounted read-only.

## Why it matters
Each instance of a Python model makes a region in `/dev/shm` when it starts. Where nothing can be written it fails, and
the model with it.

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
«boost::interprocess::interprocess_exception», «Read-only file system»

## Evidence
python_backend `shm_manager.cc`, 21.04 to 26.06: the region is opened for reading and writing. Report kserve#1937.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV045",
    name="shm-read-only",
    title="Python models cannot write to `/dev/shm`",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    refused=True,
    since=(21, 4),
    evidence=("python_backend src/shm_manager.cc, 21.04-26.06", "kserve#1937"),
)

RELATED = 5


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    models = [one for one in repository.served.values() if one.backend.name == "python" and not one.unreadable]
    if not repository.launch.shm_read_only or not models:
        return
    names = [one.name for one in models]
    yield RULE.finding(
        repository.launch.origin("shm_read_only") or repository.place("shm_size"),
        f"`/dev/shm` is mounted read-only, and {listing(names, len(names))} cannot start without writing to it",
        help="mount it without `ro` or `readOnly`; in Kubernetes as an `emptyDir` with `medium: Memory`",
        related=[Related("a Python model", one.at("backend")) for one in models[:RELATED]],
    )
