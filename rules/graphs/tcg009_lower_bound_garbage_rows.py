"""# TCG009 lower-bound-garbage-rows

## What it finds
A `graph_lower_bound` that lets requests smaller than the captured shape use a graph. It is said once for a model.

## Why it matters
The graph always computes the whole captured shape. A smaller request fills the front of the buffers; what is behind it
is left over from earlier requests, or was never written. That is fine for rows that do not know of each other. It is
not fine where a dimension other than the batch is smaller, as with a shorter sequence, unless the model masks the rest.

## Bad
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 1
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda { graphs: true graph_spec {
  batch_size: 1
  input { key: "tokens" value { dim: [ 128 ] } }
  graph_lower_bound { batch_size: 1 input { key: "tokens" value { dim: [ 1 ] } } }
} } }
```

## Good
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 1
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda { graphs: true graph_spec {
  batch_size: 1
  input { key: "tokens" value { dim: [ 128 ] } }
} } }
```

## What Triton says
Nothing.

## Evidence
common `protobuf/model_config.proto`, `graph_lower_bound`, and tensorrt_backend `instance_state.cc`,
`FindClosestCudaGraph`, 20.10 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, GraphSpec, Model, Rule, Severity

RULE = Rule(
    code="TCG009",
    name="lower-bound-garbage-rows",
    title="A `graph_lower_bound` makes graphs run on data that no request wrote",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=("backend", "platform", "default_model_filename", "optimization.cuda"),
    evidence=("tensorrt_backend src/instance_state.cc FindClosestCudaGraph, 20.10-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """The spec with a smaller dim, else the first with a smaller batch."""
    if model.graphs is None:
        return
    wide = [(_smaller_input(one), index) for index, one in enumerate(model.graphs.specs) if _is_used(one)]
    if not wide:
        return
    name, index = next((one for one in wide if one[0]), wide[0])
    if name:
        message = (
            f"requests whose `{name}` is smaller than the captured shape run on the CUDA graph of the whole shape, over"
            " data that no request wrote; the outputs are right only if the model masks it"
        )
        advice = "keep it only for a model that masks the rest, and compare outputs with and without graphs; or"
        advice += " delete `graph_lower_bound`"
    else:
        message = (
            "smaller batches run on the CUDA graph of the whole batch, over rows that no request wrote; the outputs"
            " are right only if no row depends on another"
        )
        advice = "write one `graph_spec` for each batch size if rows depend on each other"
    place = model.at("optimization", "cuda", "graph_spec", index, "graph_lower_bound")
    yield RULE.finding(place, message, help=advice)


def _is_used(spec: GraphSpec) -> bool:
    """Whether some smaller request fits: shapes on both sides, and the bound smaller somewhere."""
    if spec.bound is None or not spec.shapes or not set(spec.shapes) <= set(spec.bound.shapes):
        return False
    return spec.bound.batch_size < spec.batch_size or bool(_smaller_input(spec))


def _smaller_input(spec: GraphSpec) -> str:
    """The first input that may be smaller than captured, "" if none."""
    lower = spec.bound.shapes if spec.bound else {}
    return next((name for name, dims in spec.shapes.items() if lower.get(name, dims) != dims), "")
