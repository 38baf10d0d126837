"""# TCV048 default-shm

## What it finds
A container for which nothing says how large `/dev/shm` is, so that it has the 64 MB of Docker and Kubernetes, and
Python models that are likely to need more: up to 23.07 one instance, which takes all of it at the start; later,
instances whose full batches are larger all together, as far as types and dims tell. Said once a file. Where it is
known that the server cannot start TCV004 says so instead, and TCV047 where a single batch is too large.

## Why it matters
The tensors of requests to Python models and of their answers go through `/dev/shm`, for all instances together. What
works with small requests then fails with larger ones, or under load.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# resize/config.pbtxt
backend: "python"
max_batch_size: 16
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scaled" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
instance_group { count: 4 kind: KIND_CPU }
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
# resize/config.pbtxt
backend: "python"
max_batch_size: 16
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scaled" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
instance_group { count: 4 kind: KIND_CPU }
```

## What Triton says
«Failed to increase the shared memory pool size for key …», «No space left on device»

## Evidence
Measured: an instance takes 64 MiB at the start on 22.11, 23.04 and 23.07, and 1 MiB on 23.10, 24.03 and 24.10; a
request that finds no room fails with these words on 22.11, 24.03 and 24.10. Reports server#5868 and server#3036 on the
64 MB of containers. Arithmetic on dims and types, for the case that all instances work at once.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV048",
    name="default-shm",
    title="Python models need more than the 64 MB of `/dev/shm` that nobody chose",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    since=(21, 4),
    evidence=("measured on 22.11-24.10: 64 MiB or 1 MiB an instance", "server#5868, server#3036"),
    once=True,
)

MIB = 1024 * 1024
ROOM = 64 * MIB
LAST_LARGE = (23, 7)  # up to here each instance takes 64 MiB at the start (TCV004)
MOST = 64  # instances; more do not start (TCV004)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch; a file that starts several is told once."""
    launch = repository.launch
    models = repository.python_models
    if not models or launch.shm_size != ROOM or not launch.source or launch.origin("shm_size") is not None:
        return
    counts = [one.least_instances for one in models]
    old = launch.release is not None and launch.release[:2] <= LAST_LARGE
    batches = [_batch(one) for one in models]
    if sum(counts) > (1 if old else MOST) or max(batches) > ROOM:
        return
    total = sum(count * max(MIB, size) for count, size in zip(counts, batches, strict=True))
    if not old and total <= ROOM:
        return
    names = [one.name for one in models]
    takes = (
        f"`{names[0]}` takes at its start"
        if old
        else f"full batches of all instances of {listing(names, len(names))} take {total / MIB:.0f} MiB, more than"
    )
    yield RULE.finding(
        repository.place("image"),
        f"{takes} all the 64 MiB of `/dev/shm` that a container has where nothing is said",
        help="say how much: `shm_size: 1g`, `--shm-size=1g`, or in a pod an `emptyDir` in memory at `/dev/shm`",
    )


def _batch(model: Model) -> int:
    """The bytes of the inputs and outputs of one full batch, as far as they are fixed."""
    if model.broken or "FORCE_CPU_ONLY_INPUT_TENSORS" in model.config.parameters:
        return 0  # what a broken text says is not known; and tensors may stay on the GPU
    return model.batch_bytes((*model.config.input, *model.config.output))
