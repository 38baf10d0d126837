"""# TCG014 capture-explosion

## What it finds
A TensorRT model that captures more than 60 CUDA graphs on a GPU while it loads. They are counted as execution contexts
on the GPU (instances times profiles) × graph specs, or default batch sizes where there are none × 3 (2 before 23.03),
since every graph is captured once for each set of events.

## Why it matters
The captures are made one after another, each after a warm-up run of the same shape, and each graph keeps GPU memory of
its own for as long as the model is loaded. A handful of sizes that requests really have gives nearly all of the gain.

## Bad
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { kind: KIND_GPU count: 4 }
dynamic_batching { preferred_batch_size: [ 2, 3, 4, 5, 6, 7 ] }
optimization { cuda { graphs: true } }
```

## Good
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
instance_group { kind: KIND_GPU count: 4 }
dynamic_batching { preferred_batch_size: [ 4 ] }
optimization { cuda { graphs: true } }
```

## What Triton says
Nothing. With `--log-verbose=1`, «captured CUDA graph for» many times.

## Evidence
tensorrt_backend `instance_state.cc`, `InitializeGraphSpecs` and `InitializeCudaGraph`, `EVENT_SET_COUNT` 3 since 23.03,
to 26.08.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG014",
    name="capture-explosion",
    title="More than 60 CUDA graph captures on a GPU while the model loads",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=(
        "backend",
        "platform",
        "default_model_filename",
        "max_batch_size",
        "instance_group",
        "dynamic_batching",
        "sequence_batching",
        "optimization.cuda",
    ),
    evidence=("tensorrt_backend src/instance_state.cc InitializeGraphSpecs, EVENT_SET_COUNT, 23.03-26.08",),
    only_with=("optimization",),
)
MOST = 60


def check(model: Model) -> Iterator[Finding]:
    """Count, and say how the number comes about."""
    graphs = model.graphs
    if graphs is None or graphs.captures <= MOST:
        return
    if graphs.specs:
        shapes = f"{len(graphs.specs)} graph specs"
        advice = "keep a `graph_spec` only for shapes that many requests have"
    else:
        shapes = f"{len(graphs.sizes)} batch sizes ({', '.join(map(str, graphs.sizes))})"
        advice = "write one `graph_spec { batch_size: … }` for each batch size that many requests have"
    several = any(len(getattr(group, "profile", ())) > 1 for group in model.config.instance_group)
    of_what = "execution contexts (instances × profiles)" if several else "instances"
    total = ""
    if graphs.all_contexts is not None and graphs.all_contexts > graphs.contexts:
        total = f", {graphs.captures // graphs.contexts * graphs.all_contexts} on all GPUs together"
    groups = [Related("the instances", model.at("instance_group"))] if model.written("instance_group") else []
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs"),
        f"this model captures {graphs.captures} CUDA graphs per GPU while it loads ({graphs.contexts} {of_what} ×"
        f" {shapes} × {graphs.repeats} captures of each){total}: the load takes longer, and every graph keeps GPU"
        " memory",
        help=f"{advice}; or lower `count` in `instance_group`",
        related=groups,
    )
