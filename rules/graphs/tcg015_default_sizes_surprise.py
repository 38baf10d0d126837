"""# TCG015 default-sizes-surprise

## What it finds
CUDA graphs on a batching TensorRT model without scheduler and without `graph_spec`, where auto-complete is on.

## Why it matters
The documentation of Triton lists the batch sizes 1, 2, 3, 4, 6, 8, 12, 16 and `max_batch_size` as those that are
captured by default. But auto-complete adds `dynamic_batching` to such a model, whose preferred batch size is
`max_batch_size`, and then only 1 and `max_batch_size` are captured. Batches in between run without a graph, and under
load these are the ones that the new batcher makes.

## Bad
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 16
optimization { cuda { graphs: true } }
```

## Good
```
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 16
dynamic_batching { preferred_batch_size: [ 4, 8, 16 ] }
optimization { cuda { graphs: true } }
```

## What Triton says
Nothing. With `--log-verbose=1`, «captured CUDA graph for» names two batch sizes.

## Evidence
tensorrt_backend `instance_state.cc`, `InitializeGraphSpecs`, and `model_state.cc`, which adds the scheduler, 22.06 to
26.08; core `model_config_utils.cc`, `NormalizeModelConfig`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCG015",
    name="default-sizes-surprise",
    title="Only batch sizes 1 and `max_batch_size` get a CUDA graph",
    severity=Severity.INFO,
    needs=("config", "launch"),
    reads=(
        "backend",
        "platform",
        "default_model_filename",
        "max_batch_size",
        "dynamic_batching",
        "sequence_batching",
        "optimization.cuda",
    ),
    since=(22, 6),
    evidence=("tensorrt_backend src/instance_state.cc InitializeGraphSpecs, src/model_state.cc, 22.06-26.08",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """Up to a maximum of 2 the two lists are the same."""
    if model.graphs is None or not model.graphs.batcher_added or model.config.max_batch_size <= 2:
        return
    top = model.config.max_batch_size
    known = model.launch.autocomplete is not None
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs"),
        f"CUDA graphs are captured for batch sizes 1 and {top} only, because auto-complete adds `dynamic_batching` to"
        " this model; batches in between run without a graph",
        help="write the sizes that you want, as `dynamic_batching { preferred_batch_size: [ … ] }` or one"
        " `graph_spec { batch_size: … }` each",
        related=[Related(f"up to {top} requests in a batch", model.at("max_batch_size"))],
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
    )
