"""# TCF003 count-on-tensorrt

## What it finds
More than two instances of a TensorRT model on one GPU.

## Why it matters
By default all TensorRT instances of a GPU share one thread that enqueues their work: two keep the GPU busy while data
is copied, and more add memory for contexts and buffers rather than throughput.

## Bad
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 4 kind: KIND_GPU gpus: [ 0 ] }
```

## Good
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 2 kind: KIND_GPU gpus: [ 0 ] }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `tensorrt.cc` and its README: `execution-policy` is `DEVICE_BLOCKING` by default, 21.09 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCF003",
    name="count-on-tensorrt",
    title="More TensorRT instances on a GPU than its one thread can use",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    needs=("config", "launch"),
    reads=("instance_group", "backend", "platform"),
    evidence=("tensorrt_backend src/tensorrt.cc execution-policy, 21.09-26.06",),
    only_with=("instance_group",),
)


def check(model: Model) -> Iterator[Finding]:
    """Each group with more than two."""
    if model.backend.name != "tensorrt":
        return
    if any("execution-policy=BLOCKING" in value for value in model.launch.all("backend-config")):
        return
    for index, group in enumerate(model.config.instance_group):
        if group.count > 2:
            yield RULE.finding(
                model.at("instance_group", index, "count"),
                f"all {group.count} instances of a GPU are fed by one thread: more than two seldom help",
                help="measure with 2; or start the server with `--backend-config=tensorrt,execution-policy=BLOCKING`",
            )
