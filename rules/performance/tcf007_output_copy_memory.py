"""# TCF007 output-copy-memory

## What it finds
`output_copy_stream` in a TensorRT model with several instances.

## Why it matters
Each instance then has its output buffers twice, to copy one set while the other is filled.

## Bad
```
# net/config.pbtxt
# --triton 24.08
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 4 kind: KIND_GPU gpus: [ 0 ] }
optimization { cuda { output_copy_stream: true } }
```

## Good
```
# net/config.pbtxt
# --triton 24.08
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] }
optimization { cuda { output_copy_stream: true } }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `instance_state.cc`, `InitIOBindingBuffers` for each event set, 20.09 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCF007",
    name="output-copy-memory",
    title="Output buffers twice in each of several instances",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=("optimization.cuda", "instance_group", "backend", "platform"),
    evidence=("tensorrt_backend src/instance_state.cc, 20.09-26.06",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """The switch, where more than one instance is written."""
    if model.backend.name != "tensorrt" or not model.config.optimization.cuda.output_copy_stream:
        return
    count = model.least_instances
    if count > 1:
        yield RULE.finding(
            model.at("optimization", "cuda", "output_copy_stream"),
            f"each of the {count} instances has its output buffers twice",
            help="leave it only where copies of large outputs are what is slow",
        )
