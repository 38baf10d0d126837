"""# TCG006 spec-batch-range

## What it finds
A `graph_spec` outside of what the model allows: a `batch_size` that is missing or greater than `max_batch_size`, or a
`graph_lower_bound` that is no lower bound of its spec: greater, of another rank, or without one of its inputs.

## Why it matters
Triton checks the specs when it creates the first instance of the model and refuses the model for the first that is
wrong. A `batch_size` that is left out counts as 0, which a batching model does not allow.

## Bad
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true graph_spec { batch_size: 16 } } }
```

## Good
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true graph_spec { batch_size: 8 } } }
```

## What Triton says
«graph spec expects 'batch_size' to be >= 1 and <= 8» · «graph lower bound spec expects 'batch_size' to be <= graph
spec» · «graph lower bound spec expects shape for input» · «to have dimension <=»

## Evidence
tensorrt_backend `instance_state.cc`, `ValidateGraphSpec`, 20.10 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, GraphBound, GraphSpec, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG006",
    name="spec-batch-range",
    title="A `graph_spec` or its lower bound is outside of what the model allows",
    severity=Severity.ERROR,
    reads=("backend", "platform", "default_model_filename", "max_batch_size", "optimization.cuda"),
    refused=True,
    evidence=("tensorrt_backend src/instance_state.cc ValidateGraphSpec, 20.10-26.08",),
    only_with=("optimization",),
)
SPEC = ("optimization", "cuda", "graph_spec")


def check(model: Model) -> Iterator[Finding]:
    """Every spec, by the rules that need nothing but the configuration."""
    if model.graphs is None or model.config.max_batch_size < 0:
        return
    for index, spec in enumerate(model.graphs.specs):
        sizes = [("batch_size", spec.batch_size)]
        if spec.bound:
            sizes.append(("graph_lower_bound", spec.bound.batch_size))
        wrong = [found for where, size in sizes for found in _check_size(model, index, where, size)]
        yield from wrong
        if spec.bound:
            if not wrong and spec.bound.batch_size > spec.batch_size:
                yield _bound_batch(model, index, spec, spec.bound)
            yield from _bound_shapes(model, index, spec, spec.bound)


def _check_size(model: Model, index: int, where: str, size: int) -> Iterator[Finding]:
    top = model.config.max_batch_size
    bound = where == "graph_lower_bound"
    path = (*SPEC, index, *((where,) if bound else ()), "batch_size")
    owner = "`graph_lower_bound`" if bound else "`graph_spec`"
    if top == 0:
        sure = model.launch.autocomplete is False
        if size != 0 and (sure or model.written("max_batch_size")):
            yield _not_batching(model, path, owner, size, sure)
        return
    if 1 <= size <= top:
        return
    written = model.written(*path)
    if written:
        message = f"the batch size {size} of this {owner} is not between 1 and `max_batch_size`, which is {top}"
    else:
        message = f"this {owner} has no `batch_size`, which counts as 0, on a model that batches"
    yield RULE.finding(
        model.at(*path) if written else model.at(*path[:-1]),
        f"{message}: Triton refuses the model",
        help=f"write a `batch_size` from 1 to {top}",
        related=[Related("the limit", model.at("max_batch_size"))],
    )


def _not_batching(model: Model, path: tuple[str | int, ...], owner: str, size: int, sure: bool) -> Finding:
    """sure: auto-complete is off; where it is on, an engine that batches raises `max_batch_size`."""
    unless = "" if sure else ", unless the engine batches and auto-complete raises `max_batch_size`"
    return RULE.finding(
        model.at(*path),
        f"this {owner} has batch size {size}, but `max_batch_size` is 0: Triton refuses the model{unless}",
        help="write the `max_batch_size` that the engine was built for; if it has no batch dimension, delete"
        " `batch_size` here",
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.LOW,
        refused=sure,
    )


def _bound_batch(model: Model, index: int, spec: GraphSpec, bound: GraphBound) -> Finding:
    return RULE.finding(
        model.at(*SPEC, index, "graph_lower_bound", "batch_size"),
        f"the lower bound's batch size {bound.batch_size} is greater than the spec's {spec.batch_size}: Triton"
        " refuses the model",
        help=f"write a `batch_size` from 1 to {spec.batch_size} in `graph_lower_bound`",
        related=[Related("the spec's batch size", model.at(*SPEC, index, "batch_size"))],
    )


def _bound_shapes(model: Model, index: int, spec: GraphSpec, bound: GraphBound) -> Iterator[Finding]:
    inside = (*SPEC, index, "graph_lower_bound")
    for name, dims in spec.shapes.items():
        there = Related("the spec's shape", model.at(*SPEC, index, "input", name))
        shape = f"[{', '.join(map(str, dims))}]"
        lower = bound.shapes.get(name)
        if lower is None:
            yield RULE.finding(
                model.at(*inside),
                f"`graph_lower_bound` has no shape for input `{name}`, which its `graph_spec` has: Triton refuses the"
                " model",
                help=f'add `input {{ key: "{name}" value {{ dim: {shape} }} }}`, with the smallest dims that may use'
                " the graph",
                related=[there],
            )
        elif len(lower) != len(dims):
            yield RULE.finding(
                model.at(*inside, "input", name, "value", "dim"),
                f"`graph_lower_bound` gives input `{name}` {len(lower)} dims and its `graph_spec` {len(dims)}: Triton"
                " refuses the model",
                help=f"write as many dims as the spec has, none greater than {shape}",
                related=[there],
            )
        elif min((*lower, *dims)) >= 0 and any(low > high for low, high in zip(lower, dims, strict=True)):
            at = next(n for n, (low, high) in enumerate(zip(lower, dims, strict=True)) if low > high)
            yield RULE.finding(
                model.at(*inside, "input", name, "value", "dim", at),
                f"`graph_lower_bound` has {lower[at]} for a dim of input `{name}` that is {dims[at]} in its"
                " `graph_spec`: Triton refuses the model",
                help=f"write {dims[at]} or less; the spec's shape is {shape}",
                related=[there],
            )
