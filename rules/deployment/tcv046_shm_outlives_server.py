"""# TCV046 shm-outlives-server

## What it finds
Python models in a container that shares `/dev/shm` with the host or with another container: `ipc: host`, `--ipc=host`,
`hostIPC: true`, and the like.

## Why it matters
A server that is killed leaves the regions of its Python models behind. In a `/dev/shm` of its own they go with the
container. In a shared one they stay and add up over the restarts, until there is no room for a new one; and whoever
else uses it can read them.

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
python_backend `python_be.cc` and `stub_launcher.cc`, 21.04 to 26.06: regions are removed when an instance ends in
order. Report server#7481: files that are left in `/dev/shm` after the container has ended.
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
    evidence=("python_backend src/stub_launcher.cc, 21.04-26.06", "server#7481"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    models = [one.name for one in repository.served.values() if one.backend.name == "python" and not one.unreadable]
    ipc = repository.launch.ipc
    if not ipc or not models:
        return
    whose = "the host" if ipc == "host" else f"`{ipc}`"
    yield RULE.finding(
        repository.place("shm_size"),
        f"`/dev/shm` is that of {whose}: what {listing(models, len(models))} had there stays when the server is killed",
        help="give the container shared memory of its own (`shm_size`, `--shm-size`); or remove files that begin with "
        "`triton_python_backend_shm_region_` before each start",
    )
