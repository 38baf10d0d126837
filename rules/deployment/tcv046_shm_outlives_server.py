"""# TCV046 shm-outlives-server

## What it finds
Python models in a container that shares `/dev/shm` with the host or with another container: `ipc: host`, `--ipc=host`,
`hostIPC: true`, and the like.

## Why it matters
A container that is killed leaves the regions of its Python models behind. In a `/dev/shm` of its own they go with it.
In a shared one they stay; from 24.04 on each start gives them new names, so they add up over the restarts.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    ipc: host
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
    volumes: [".:/models"]
    shm_size: 2g
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
Nothing, until «No space left on device».

## Evidence
Measured: servers of 22.11, 24.03 and 24.10 that were killed with all their processes, as a container is, left their
regions; three such starts of 24.10 left three, the older ones wrote over theirs. Where the server alone was killed the
stubs removed them. From 24.04 on the names are random (seen in 24.04 and 24.10, not in 24.03). Report server#7481; a
clean-up at forced stops was added in 2026 and was not tried.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV046",
    name="shm-outlives-server",
    title="Regions of Python models stay in a shared `/dev/shm`",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    since=(21, 4),
    evidence=("measured on 22.11, 24.03 and 24.10", "server#7481"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    models = [one.name for one in repository.python_models]
    ipc = repository.launch.ipc
    if not ipc or not models:
        return
    whose = "the host" if ipc == "host" else f"`{ipc}`"
    yield RULE.finding(
        repository.place("shm_size"),
        f"`/dev/shm` is that of {whose}: what {listing(models, len(models))} had there stays when the container is "
        "killed",
        help="give the container shared memory of its own (`shm_size`, `--shm-size`); or remove files that begin with "
        "`triton_python_backend_shm_region_` before each start, while no other server uses them",
    )
