"""# TCV029 shm-above-memory-limit

## What it finds
A `/dev/shm` that is larger than the container's memory limit.

## Why it matters
What lies in `/dev/shm` counts as memory of the container. Before it is full the limit is reached, and the kernel kills
the server, or one of its Python processes, without a word in the log. A request that would only have been refused for
want of shared memory ends the server.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    shm_size: 8g
    mem_limit: 4g
# detector/config.pbtxt
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
    shm_size: 1g
    mem_limit: 4g
# detector/config.pbtxt
backend: "python"
```

## What Triton says
Nothing. The container ends with 137, and Kubernetes says «OOMKilled».

## Evidence
Measured (Linux 6.18, cgroup v1): a process with a limit of 64 MB that writes to a `/dev/shm` of 256 MB is killed, with
137, when it has written 64 MB. Kubernetes, documentation of `emptyDir`, 1.20 to 1.34: what is written to a medium of
`Memory` counts against the memory limit of the container that wrote it.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV029",
    name="shm-above-memory-limit",
    title="`/dev/shm` is larger than the memory limit that it counts against",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("measured: killed at the memory limit while writing to /dev/shm", "Kubernetes emptyDir, 1.20-1.34"),
)

MB = 1024 * 1024


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if not launch.shm_size or not launch.memory or launch.shm_size <= launch.memory:
        return
    limit = launch.origin("memory")
    yield RULE.finding(
        repository.place("shm_size", "memory"),
        f"`/dev/shm` may grow to {_size(launch.shm_size)}, which counts as memory, of which the container may have "
        f"{_size(launch.memory)}: the kernel kills the server before it is full",
        help="raise the memory limit above what the server and `/dev/shm` need together, or make `/dev/shm` smaller",
        related=[Related("the memory limit", limit)] if limit else [],
    )


def _size(size: int) -> str:
    return f"{size / MB:.6g} MB"
