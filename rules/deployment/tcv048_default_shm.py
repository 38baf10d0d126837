"""# TCV048 default-shm

## What it finds
Python models in a container for which nothing says how large `/dev/shm` is: it has the 64 MB that Docker and Kubernetes
give. Where it is known that this is too small to start, TCV004 says so instead.

## Why it matters
All tensors of requests to Python models and of their answers go through `/dev/shm`, for all instances together. What
works with small requests then fails with larger ones, or under load.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
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
    shm_size: 1g
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
«Failed to increase the shared memory pool size for key …», «No space left on device», or «Stub process is not healthy»

## Evidence
moby `daemon/config/config_linux.go`, 20.10 to 28.00, and containerd `pkg/oci/mounts.go`, 1.4 to 2.1: 64 MB;
python_backend `shm_manager.cc`, 21.04 to 26.06. Reports server#5868, server#3036, server#7547.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV048",
    name="default-shm",
    title="Python models share the 64 MB of `/dev/shm` that nobody chose",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    since=(21, 4),
    evidence=("python_backend src/shm_manager.cc, 21.04-26.06", "moby DefaultShmSize, 20.10-28.00"),
)

MIB = 1024 * 1024
LAST_LARGE = (23, 7)  # up to here each instance takes 64 MiB at the start (TCV004)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    models = [one for one in repository.served.values() if one.backend.name == "python" and not one.unreadable]
    said = launch.origin("shm_size") is not None or "shm_size" in launch.options
    if not models or launch.shm_size != 64 * MIB or not launch.source or said:
        return
    counts = [sum(max(1, group.count) for group in one.config.instance_group) or 1 for one in models]
    old = launch.release is not None and launch.release[:2] <= LAST_LARGE
    if sum(counts) > (1 if old else 64):
        return
    names = [one.name for one in models]
    yield RULE.finding(
        repository.place("image"),
        f"all tensors to and from {listing(names, len(names))} go through the 64 MB of `/dev/shm` that a container has "
        "where nothing is said",
        help="say how much: `shm_size: 1g` in Compose, `--shm-size=1g` of `docker run`, or an `emptyDir` with "
        "`medium: Memory` at `/dev/shm` in Kubernetes",
    )
