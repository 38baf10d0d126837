"""# TCG011 spec-without-graphs

## What it finds
A `graph_spec` on a TensorRT model whose `graphs` is not true.

## Why it matters
The specs say which graphs to capture, and `graphs: true` says that any are captured. Without it Triton does not look at
the specs, and nothing runs faster. Where `graphs: false` is written the specs are taken as parked, which is only noted.

## Bad
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graph_spec { batch_size: 8 } } }
```

## Good
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true graph_spec { batch_size: 8 } } }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `instance_state.cc`: `InitializeCudaGraph` is called only with graphs on, 20.09 to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG011",
    name="spec-without-graphs",
    title="A `graph_spec` without `graphs: true` is ignored",
    severity=Severity.WARNING,
    reads=("backend", "platform", "default_model_filename", "optimization.cuda"),
    evidence=("tensorrt_backend src/instance_state.cc InitializeCudaGraph, 20.09-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding at the first spec; milder where graphs are turned off in writing."""
    if not model.config.HasField("optimization") or model.config.optimization.cuda.graphs:
        return
    if not getattr(model.config.optimization.cuda, "graph_spec", ()) or model.backend.name != "tensorrt":
        return
    parked = model.written("optimization", "cuda", "graphs")
    switch = [Related("graphs are turned off", model.at("optimization", "cuda", "graphs"))] if parked else []
    why = "`graphs` is false" if parked else "`graphs: true` is missing"
    yield RULE.finding(
        model.at("optimization", "cuda", "graph_spec"),
        f"`graph_spec` is silently ignored and no CUDA graph is captured, because {why}",
        help="delete `graph_spec`, or write `graphs: true` beside it",
        severity=Severity.INFO if parked else Severity.WARNING,
        related=switch,
    )
