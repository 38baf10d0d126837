"""# TCG008 lower-bound-no-shapes

## What it finds
A `graph_lower_bound` in a `graph_spec` that names no input shapes.

## Why it matters
Without shapes Triton takes the same default shapes, batch dimension included, for the graph and for its lower bound.
The two are then equal and no smaller batch ever fits between them: only requests of exactly the captured batch size
use the graph, as if there were no lower bound.

## Bad
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 640, 640 ] }
output { name: "boxes" data_type: TYPE_FP32 dims: [ 84, 8400 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 8 graph_lower_bound { batch_size: 1 } }
} }
```

## Good
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 640, 640 ] }
output { name: "boxes" data_type: TYPE_FP32 dims: [ 84, 8400 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 1 }
  graph_spec { batch_size: 8 }
} }
```

## What Triton says
Nothing. With `--log-verbose=1`, «is launching CUDA graph for» is missing for smaller batches.

## Evidence
tensorrt_backend `instance_state.cc`, `SetCudaGraphShape` and `FindClosestCudaGraph`, 20.10 to 26.08; Triton's own test
of graphs expects three of four requests to run without a graph in this case.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCG008",
    name="lower-bound-no-shapes",
    title="A `graph_lower_bound` without input shapes lets no smaller batch in",
    severity=Severity.WARNING,
    reads=("backend", "platform", "default_model_filename", "input", "optimization.cuda"),
    evidence=("tensorrt_backend src/instance_state.cc FindClosestCudaGraph, 20.10-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """Every spec with a bound and without shapes; shapes in the bound alone are not looked at."""
    if model.graphs is None:
        return
    names = [tensor.name for tensor in model.config.input if tensor.name]
    of_each = "every input" if len(names) != 1 else f"`{names[0]}`"
    for index, spec in enumerate(model.graphs.specs):
        if spec.bound is None or spec.shapes:
            continue
        yield RULE.finding(
            model.at("optimization", "cuda", "graph_spec", index, "graph_lower_bound"),
            "this `graph_lower_bound` has no effect: without input shapes in its `graph_spec` only requests of exactly"
            " the captured batch size use the CUDA graph",
            help="write one `graph_spec` for each batch size instead; or give the shape of"
            f" {of_each} in `graph_spec` and in `graph_lower_bound`",
        )
