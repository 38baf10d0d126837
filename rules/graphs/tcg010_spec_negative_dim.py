"""# TCG010 spec-negative-dim

## What it finds
A negative dim, such as -1, in a shape of a `graph_spec` or of its `graph_lower_bound`.

## Why it matters
A CUDA graph is captured for one exact shape, so -1 does not mean "any" here as it does in the dims of an input. Triton
refuses the model.

## Bad
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 1
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 1 input { key: "tokens" value { dim: [ -1 ] } } }
} }
```

## Good
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 1
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 1 input { key: "tokens" value { dim: [ 128 ] } } }
} }
```

## What Triton says
«to have dimension >= 0»

## Evidence
tensorrt_backend `instance_state.cc`, `ValidateGraphSpec`, 20.10 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCG010",
    name="spec-negative-dim",
    title="A negative dim in a `graph_spec`",
    severity=Severity.ERROR,
    reads=("backend", "platform", "default_model_filename", "optimization.cuda"),
    refused=True,
    evidence=("tensorrt_backend src/instance_state.cc ValidateGraphSpec, 20.10-26.08",),
    only_with=("optimization",),
)

HELP = {
    "graph_spec": "write the size that most requests have, and another `graph_spec` for each further size",
    "graph_lower_bound": "write the smallest size that may use this graph",
}


def check(model: Model) -> Iterator[Finding]:
    """The first negative dim of each shape; of a bound, only inputs that its spec has too are looked at."""
    if model.graphs is None:
        return
    for index, spec in enumerate(model.graphs.specs):
        path: tuple[str | int, ...] = ("optimization", "cuda", "graph_spec", index)
        blocks = [((*path, "input"), "graph_spec", spec.shapes)]
        if spec.bound:
            both = {name: dims for name, dims in spec.bound.shapes.items() if name in spec.shapes}
            blocks.append(((*path, "graph_lower_bound", "input"), "graph_lower_bound", both))
        for inside, block, shapes in blocks:
            for name, dims in shapes.items():
                at = next((n for n, dim in enumerate(dims) if dim < 0), None)
                if at is not None:
                    yield RULE.finding(
                        model.at(*inside, name, "value", "dim", at),
                        f"`{block}` has the dim {dims[at]} for input `{name}`: a CUDA graph has one exact shape, and"
                        " Triton refuses the model",
                        help=HELP[block],
                    )
