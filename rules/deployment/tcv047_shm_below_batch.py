"""# TCV047 shm-below-batch

## What it finds
A Python model whose inputs, for one full batch, are larger than the container's `/dev/shm`. Inputs with a dimension
that varies, and strings, are not counted.

## Why it matters
Tensors go to a Python model through shared memory. The region grows as requests need it, and a batch that does not fit
into `/dev/shm` fails, although smaller ones work.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# segmenter/config.pbtxt
backend: "python"
max_batch_size: 32
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 1024, 1024 ] }
output { name: "masks" data_type: TYPE_UINT8 dims: [ 1024, 1024 ] }
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    shm_size: 4g
# segmenter/config.pbtxt
backend: "python"
max_batch_size: 32
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 1024, 1024 ] }
output { name: "masks" data_type: TYPE_UINT8 dims: [ 1024, 1024 ] }
```

## What Triton says
«Failed to increase the shared memory pool size for key 'triton_python_backend_shm_region_…' to … bytes. … Error: No
space left on device»

## Evidence
Measured on the servers of 22.11, 24.03 and 24.10: a request that is larger than `/dev/shm` fails with these words, and
smaller ones still work after it. Report server#6156. Arithmetic on dims and types.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV047",
    name="shm-below-batch",
    title="One full batch is larger than the container's shared memory",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    reads=("input", "max_batch_size"),
    since=(21, 4),
    evidence=("measured on 22.11, 24.03 and 24.10", "server#6156"),
)

MIB = 1024 * 1024


def check(repository: Repository) -> Iterator[Finding]:
    """Each such model, at its `max_batch_size`."""
    room = repository.launch.shm_size
    if room is None:
        return
    for model in repository.python_models:
        if model.broken or model.repository is not repository:
            continue
        size = _batch(model)
        if size <= room:
            continue
        rows = model.config.max_batch_size
        what = f"a batch of {rows}" if rows else "a request"
        place = repository.launch.origin("shm_size")
        yield RULE.finding(
            model.at("max_batch_size") if rows else model.at("input"),
            f"the inputs of {what} take {size / MIB:.0f} MiB and go through `/dev/shm`, which has {room / MIB:.0f} MiB",
            help="give the container more (`shm_size`, `--shm-size`, an `emptyDir` with `medium: Memory`), several "
            "times a batch; or lower `max_batch_size`",
            model=model.name,
            related=[Related("the size of `/dev/shm`", place)] if place else [],
        )


def _batch(model: Model) -> int:
    """The bytes of the inputs of one full batch, as far as they are fixed."""
    if "FORCE_CPU_ONLY_INPUT_TENSORS" in model.config.parameters:
        return 0  # they may stay on the GPU
    return model.batch_bytes(model.config.input)
