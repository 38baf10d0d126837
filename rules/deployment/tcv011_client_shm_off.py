"""# TCV011 client-shm-off

## What it finds
A service of the same Compose file that calls `perf_analyzer` with `--shared-memory=system` or `cuda`, and a server of
26.04 or newer without `--allow-client-shm`.

## Why it matters
From 26.04 on the server refuses by default to use shared memory that a client registers. The client's run ends with an
error.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:26.04-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    ipc: shareable
  load:
    image: nvcr.io/nvidia/tritonserver:26.04-py3-sdk
    command: perf_analyzer -m detector -u triton:8001 -i grpc --shared-memory=system
    ipc: service:triton
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:26.04-py3
    command: tritonserver --model-repository=/models --allow-client-shm=true
    volumes: [".:/models"]
    ipc: shareable
  load:
    image: nvcr.io/nvidia/tritonserver:26.04-py3-sdk
    command: perf_analyzer -m detector -u triton:8001 -i grpc --shared-memory=system
    ipc: service:triton
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
That shared memory of clients is not allowed; the words were not seen.

## Evidence
Triton's branches, read up to 26.08: `--allow-client-shm` is there from 26.04 on, and false by default. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV011",
    name="client-shm-off",
    title="A client uses shared memory, which the server refuses by default",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    since=(26, 4),
    evidence=("--allow-client-shm in the branches 26.04-26.08",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if launch.release is None or not launch.flags_known or not launch.shm_clients:
        return
    if launch.switch("allow-client-shm", False):
        return
    name, span = launch.shm_clients[0]
    yield RULE.finding(
        repository.place("flag:allow-client-shm", "command"),
        f"the service `{name}` asks for shared memory, which the server refuses from 26.04 on unless it is allowed",
        help="add `--allow-client-shm=true` to the server, or leave `--shared-memory` out",
        related=[Related("asks for it here", span)],
    )
