"""# TCG007 spec-shape-mismatch

## What it finds
A `graph_spec` with input shapes that do not fit the model's inputs: an input is missing, its shape has another number
of dims, or it has a size that no request can have.

## Why it matters
A spec that names shapes must name one for every input of the engine, without the batch dimension where the model
batches. Otherwise there is no graph for it, or one that is never used. The model is READY all the same and only an
error line in the log tells.

## Bad
```
# asr/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input [
  { name: "audio" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "length" data_type: TYPE_INT32 dims: [ 1 ] }
]
output { name: "text" data_type: TYPE_INT32 dims: [ -1 ] }
optimization { cuda {
  graphs: true
  graph_spec { batch_size: 1 input { key: "audio" value { dim: [ 16000 ] } } }
} }
```

## Good
```
# asr/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input [
  { name: "audio" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "length" data_type: TYPE_INT32 dims: [ 1 ] }
]
output { name: "text" data_type: TYPE_INT32 dims: [ -1 ] }
optimization { cuda {
  graphs: true
  graph_spec {
    batch_size: 1
    input { key: "audio" value { dim: [ 16000 ] } }
    input { key: "length" value { dim: [ 1 ] } }
  }
} }
```

## What Triton says
«Failed to set cuda graph shape for» at error level, once for each instance.

## Evidence
tensorrt_backend `instance_state.cc`, `SetCudaGraphShape`, 20.10 to 26.08; server#6749.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, GraphSpec, Model, Related, Rule, Severity, listing

RULE = Rule(
    code="TCG007",
    name="spec-shape-mismatch",
    title="The shapes of a `graph_spec` do not fit the model's inputs",
    severity=Severity.WARNING,
    reads=(
        "backend",
        "platform",
        "default_model_filename",
        "max_batch_size",
        "input",
        "optimization.cuda",
    ),
    evidence=("tensorrt_backend src/instance_state.cc SetCudaGraphShape, 20.10-26.08", "server#6749"),
    only_with=("optimization",),
)
SPEC = ("optimization", "cuda", "graph_spec")


def check(model: Model) -> Iterator[Finding]:
    """Compare every spec that names shapes with every input that the configuration names."""
    if model.graphs is None or not any(spec.shapes for spec in model.graphs.specs):
        return
    if any(tensor.is_shape_tensor for tensor in (*model.config.input, *model.config.output)):
        return
    for index, spec in enumerate(model.graphs.specs):
        if not spec.shapes:
            continue
        missing = [one.name for one in model.config.input if one.name and one.name not in spec.shapes]
        if missing:
            yield _missing(model, index, spec, missing)
        for number, tensor in enumerate(model.config.input):
            dims = _engine_dims(tensor)
            if tensor.name in spec.shapes and dims:
                yield from _compare(model, index, spec, number, dims)


def _engine_dims(tensor: Any) -> tuple[int, ...]:
    """The shape in which the engine gets an input; empty where it is not known from the configuration."""
    if tensor.allow_ragged_batch:
        return ()
    return tuple(tensor.reshape.shape if tensor.HasField("reshape") else tensor.dims)


def _missing(model: Model, index: int, spec: GraphSpec, missing: list[str]) -> Finding:
    known = {one.name for one in model.config.input}
    strangers = listing(name for name in spec.shapes if name not in known)
    hint = f"; it has one for {strangers}, which is no input of the configuration" if strangers else ""
    number = next(n for n, one in enumerate(model.config.input) if one.name == missing[0])
    return RULE.finding(
        model.at(*SPEC, index, "input"),
        f"this `graph_spec` has no shape for input {listing(missing)}{hint}: no CUDA graph is captured for it,"
        " and Triton only logs an error",
        help=f'add `input {{ key: "{missing[0]}" value {{ dim: [ … ] }} }}`: a spec that names a shape must name one'
        " for every input",
        related=[Related(f"input `{missing[0]}`", model.at("input", number, "name"))],
    )


def _compare(model: Model, index: int, spec: GraphSpec, number: int, dims: tuple[int, ...]) -> Iterator[Finding]:
    name = model.config.input[number].name
    shape = spec.shapes[name]
    bound = spec.bound.shapes.get(name, shape) if spec.bound else shape
    place = (*SPEC, index, "input", name, "value", "dim")
    there = Related(f"the dims of `{name}`", model.at("input", number, "dims"))
    batches = model.config.max_batch_size > 0
    if len(shape) != len(dims):
        yield RULE.finding(
            model.at(*place),
            f"this `graph_spec` gives input `{name}` {len(shape)} dims, and the model gives it {len(dims)}: no CUDA"
            " graph is captured for it, and Triton only logs an error",
            help="leave the batch dimension out: Triton puts `batch_size` in front"
            if batches and len(shape) == len(dims) + 1
            else f"write {len(dims)} dims, as the input has",
            related=[there],
        )
        return
    if len(bound) != len(shape) or min(shape, default=0) < 0:
        return
    for at, (wanted, low, high) in enumerate(zip(dims, bound, shape, strict=True)):
        if wanted >= 0 and not min(low, high) <= wanted <= high:
            yield RULE.finding(
                model.at(*place, at),
                f"this `graph_spec` has {high} for a dim of input `{name}` that is always {wanted}: no request can use"
                " its CUDA graph",
                help=f"write {wanted}, as in the dims of the input",
                related=[there],
                confidence=Confidence.MEDIUM,
            )
            return
