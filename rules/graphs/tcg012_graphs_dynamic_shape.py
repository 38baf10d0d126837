"""# TCG012 graphs-dynamic-shape

## What it finds
CUDA graphs on a TensorRT model with an input of variable size, where no `graph_spec` names a shape.

## Why it matters
Without a spec Triton captures each graph for one shape only, the `opt` shape of the engine's profile. A request of any
other shape does not match and takes the plain way. Unless nearly all requests have just that shape, the graphs cost
load time and memory, and help nobody.

## Bad
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda { graphs: true } }
```

## Good
```
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "tokens" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "vector" data_type: TYPE_FP32 dims: [ 384 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 1 input { key: "tokens" value { dim: [ 64 ] } } }
  graph_spec { batch_size: 8 input { key: "tokens" value { dim: [ 64 ] } } }
} }
```

## What Triton says
Nothing. With `--log-verbose=1`, «is launching CUDA graph for» is missing for most requests.

## Evidence
tensorrt_backend `instance_state.cc`, `InitializeGraphSpecs`, `SetCudaGraphShape` and `FindClosestCudaGraph`, 20.09 to
26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG012",
    name="graphs-dynamic-shape",
    title="CUDA graphs on inputs of variable size help one shape only",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=(
        "backend",
        "platform",
        "default_model_filename",
        "max_batch_size",
        "input",
        "output.is_shape_tensor",
        "optimization.cuda",
    ),
    evidence=("tensorrt_backend src/instance_state.cc InitializeGraphSpecs, SetCudaGraphShape, 20.09-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """Inputs with -1; silent where another rule says that there is no graph at all."""
    if model.graphs is None or any(spec.shapes for spec in model.graphs.specs):
        return
    config, release = model.config, model.launch.release
    if any(tensor.is_shape_tensor for tensor in (*config.input, *config.output)):
        return
    if config.max_batch_size == 0 and release is not None and (24, 5) <= release < (26, 8):
        return
    variable = [number for number, tensor in enumerate(config.input) if -1 in tensor.dims]
    if not variable:
        return
    first = config.input[variable[0]]
    more = f" and {len(variable) - 1} more" if len(variable) > 1 else ""
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs"),
        f"CUDA graphs are captured for one shape of `{first.name}`{more} only, the `opt` shape of the engine's profile;"
        " requests of any other shape run without a graph",
        help="write a `graph_spec` with the dims of every input for each shape that is frequent; if none is, write"
        " `graphs: false`",
        related=[Related("variable size", model.at("input", number, "dims")) for number in variable],
    )
