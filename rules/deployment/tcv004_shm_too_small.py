"""# TCV004 shm-too-small

## What it finds
Python models whose instances take more shared memory at the start than the container's `/dev/shm` has. Docker and
Kubernetes give 64 MB where nothing is said.

## Why it matters
Each instance of a Python model makes a region in `/dev/shm` when it starts: of 64 MiB up to 23.07, of 1 MiB from 23.10
on, or as `--backend-config=python,shm-default-byte-size=…` says. The instance for which nothing is left fails, and its
model with it. Which one that is, is up to chance. Tensors of requests need more on top.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:23.04-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# tokenizer/config.pbtxt
backend: "python"
instance_group { count: 2 kind: KIND_CPU }
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:23.04-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    shm_size: 1g
# tokenizer/config.pbtxt
backend: "python"
instance_group { count: 2 kind: KIND_CPU }
```

## What Triton says
«Unable to initialize shared memory key 'triton_python_backend_shm_region_…' to requested size (67108864 bytes). If
you are running Triton inside docker, use '--shm-size' flag to control the shared memory region size. Each Python
backend model instance requires at least 64MBs of shared memory. Error: No space left on device».

## Evidence
Measured with the Python backend of 22.11, 23.04 and 23.07 (64 MiB an instance) and of 23.10, 24.03 and 24.10 (1 MiB),
for 1 to 4 instances in one or two models; with 64 MB of `/dev/shm`, 22.11 and 23.07 start one instance and refuse
two. Between 23.07 and 23.10 the smaller size is assumed. python_backend `pb_utils.cc` and `python_be.cc`, 21.04 to
26.06.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV004",
    name="shm-too-small",
    title="Python models take more shared memory than the container has",
    severity=Severity.ERROR,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("instance_group",),
    refused=True,
    evidence=("measured on 22.11-24.10: 64 MiB or 1 MiB an instance", "python_backend src/python_be.cc, 21.04-26.06"),
)

MIB = 1024 * 1024
LAST_LARGE = (23, 7)  # up to here 64 MiB each
RELATED = 5


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    models = repository.python_models
    if launch.shm_size is None or not models:
        return
    old = launch.release is not None and launch.release[:2] <= LAST_LARGE
    each = 64 * MIB if old else MIB
    for value in launch.all("backend-config"):
        given = re.fullmatch(r"python,shm-default-byte-size=(\d+)", value)
        each = int(given[1]) if given else each
    counts = {model.name: instances(model) for model in models}
    total = sum(counts.values())
    if total * each <= launch.shm_size:
        return
    noun = "instance" if total == 1 else "instances"
    yield RULE.finding(
        repository.place("shm_size"),
        f"{total} {noun} of {listing(counts, len(counts))} take {shown(each)} of `/dev/shm` each, "
        f"{shown(total * each)} together, but it has {shown(launch.shm_size)}",
        help=f"give the container more: `shm_size: {max(1, 2 * total * each // 2**30)}g` in Compose, `--shm-size` of "
        "`docker run`, or an `emptyDir` with `medium: Memory` at `/dev/shm` in Kubernetes",
        confidence=Confidence.HIGH if launch.release or each == MIB else Confidence.MEDIUM,
        related=[
            Related(f"{counts[one.name]} of them", one.at("instance_group"))
            for one in models[:RELATED]
            if one.config.instance_group
        ],
    )


def instances(model: Model) -> int:
    """How many instances of all versions start at least."""
    return model.least_instances * max(1, len(model.loaded))


def shown(size: int) -> str:
    """A size in MiB or GiB."""
    return f"{size / 2**30:g} GiB" if size >= 2**30 else f"{size / MIB:g} MiB"
