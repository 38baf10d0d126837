"""# TCF002 busy-wait

## What it finds
`busy_wait_events` in a TensorRT model with several instances on a GPU.

## Why it matters
Each instance then spins on a CPU core while it waits for the GPU. It saves some microseconds a request and costs a core
an instance.

## Bad
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 4 kind: KIND_GPU gpus: [ 0 ] }
optimization { cuda { busy_wait_events: true } }
```

## Good
```
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] }
optimization { cuda { busy_wait_events: true } }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `instance_state.cc`: events without `cudaEventBlockingSync`, 20.07 to 26.06; common
`model_config.proto`, on `busy_wait_events`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCF002",
    name="busy-wait",
    title="Several instances that wait for the GPU on a CPU core each",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=("optimization.cuda", "instance_group", "backend", "platform"),
    evidence=("tensorrt_backend src/instance_state.cc, 20.07-26.06",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """The switch, where more than one instance is written."""
    if model.backend.name != "tensorrt" or not model.config.optimization.cuda.busy_wait_events:
        return
    count = model.least_instances
    if count > 1:
        yield RULE.finding(
            model.at("optimization", "cuda", "busy_wait_events"),
            f"each of the {count} instances keeps a CPU core busy while it waits for the GPU",
            help="delete `busy_wait_events` unless so many cores are free",
        )
