"""# TCG013 graphs-shape-tensor

## What it finds
CUDA graphs on a TensorRT model with a shape tensor among its inputs or outputs.

## Why it matters
The value of a shape tensor decides the shapes inside the engine, and a graph has fixed ones. The TensorRT backend sees
this, logs a warning and captures nothing, so the model runs without graphs.

## Bad
```
# resize/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 0
input [
  { name: "image" data_type: TYPE_FP32 dims: [ 1, 3, -1, -1 ] },
  { name: "size" data_type: TYPE_INT32 dims: [ 2 ] is_shape_tensor: true }
]
output { name: "resized" data_type: TYPE_FP32 dims: [ 1, 3, -1, -1 ] }
optimization { cuda { graphs: true } }
```

## Good
```
# resize/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 0
input [
  { name: "image" data_type: TYPE_FP32 dims: [ 1, 3, -1, -1 ] },
  { name: "size" data_type: TYPE_INT32 dims: [ 2 ] is_shape_tensor: true }
]
output { name: "resized" data_type: TYPE_FP32 dims: [ 1, 3, -1, -1 ] }
```

## What Triton says
«Detected shape tensor, CUDA graph is not captured for», as a warning.

## Evidence
tensorrt_backend `instance_state.cc`, `BuildCudaGraph`, 20.09 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG013",
    name="graphs-shape-tensor",
    title="CUDA graphs on a model with a shape tensor are never captured",
    severity=Severity.WARNING,
    reads=("backend", "platform", "default_model_filename", "input", "output", "optimization.cuda"),
    evidence=("tensorrt_backend src/instance_state.cc BuildCudaGraph, 20.09-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """The first shape tensor; one is enough."""
    if model.graphs is None:
        return
    for block in ("input", "output"):
        for number, tensor in enumerate(getattr(model.config, block)):
            if not tensor.is_shape_tensor:
                continue
            place = model.value_at("optimization", "cuda", "graphs")
            yield RULE.finding(
                model.at("optimization", "cuda", "graphs"),
                f"no CUDA graph is captured, because `{tensor.name}` is a shape tensor; Triton only logs a warning",
                help="write `graphs: false`, or delete the line",
                related=[Related("the shape tensor", model.at(block, number, "is_shape_tensor"))],
                fix=Fix("graphs: false", (Edit(place.path, place.start, place.end, "false"),), safe=True),
            )
            return
