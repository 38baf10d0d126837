"""# TCG003 graphs-zero-batch

## What it finds
CUDA graphs on a TensorRT model with `max_batch_size: 0`, on Triton 24.05 to 26.07.

## Why it matters
In these releases the graph of a model that does not batch is captured and stored under a key that no request ever asks
for. The start pays for the capture, in time, in GPU memory and in the risk that it disturbs another model's load; no
request gets faster.

## Bad
```
# --triton 25.03
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 0
input { name: "x" data_type: TYPE_FP32 dims: [ 1, 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1, 512 ] }
optimization { cuda { graphs: true } }
```

## Good
```
# --triton 25.03
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 1
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 512 ] }
optimization { cuda { graphs: true } }
```

## What Triton says
Nothing. With `--log-verbose=1`: «captured CUDA graph for» at the start, and never «is launching CUDA graph for».

## Evidence
tensorrt_backend `instance_state.cc`, 24.05 to 26.07; server#7150, corrected by tensorrt_backend#125.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity, release_tag

RULE = Rule(
    code="TCG003",
    name="graphs-zero-batch",
    title="CUDA graphs on a model that does not batch: captured, never launched",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=("backend", "platform", "default_model_filename", "max_batch_size", "optimization.cuda"),
    since=(24, 5),
    until=(26, 7),
    evidence=("tensorrt_backend src/instance_state.cc, 24.05-26.07", "server#7150, tensorrt_backend#125"),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """Without written shapes auto-complete may find that the engine batches; then nothing is said."""
    if model.graphs is None or model.config.max_batch_size != 0 or model.launch.release is None:
        return
    shapes = any(tensor.dims for tensor in (*model.config.input, *model.config.output))
    fixed = model.launch.autocomplete is False
    if not shapes and not fixed:
        return
    place = model.value_at("optimization", "cuda", "graphs")
    related = []
    if model.written("max_batch_size"):
        related.append(Related("the model does not batch", model.at("max_batch_size")))
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs"),
        f"the CUDA graph is captured at load and never used: `max_batch_size` is 0, and Triton"
        f" {release_tag(model.launch.release)} stores the graph of such a model under one key and looks it up under"
        " another",
        help="write `graphs: false`; or build the engine with a batch dimension and set `max_batch_size: 1` or more;"
        " or use Triton 26.08",
        related=related,
        confidence=Confidence.HIGH if fixed else Confidence.MEDIUM,
        fix=Fix("graphs: false", (Edit(place.path, place.start, place.end, "false"),)),
    )
