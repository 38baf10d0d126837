"""# TCX007 ensemble-max-batch

## What it finds
An ensemble whose `max_batch_size` is larger than that of one of its parts. Parts without batching (0) set no limit.

## Why it matters
Triton refuses the ensemble.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "image" }
    output_map { key: "box__0" value: "box" }
  }
}
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 8
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "image" }
    output_map { key: "box__0" value: "box" }
  }
}
```

## What Triton says
«ensemble pipeline allows maximum batch size 8, but it contains model detect which only allows maximum batch size to
be 4»

## Evidence
core `ensemble_utils.cc` `ValidateEnsembleConfig`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10, also with an
ensemble as the part.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCX007",
    name="ensemble-max-batch",
    title="An ensemble takes larger batches than one of its models",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling", "max_batch_size"),
    refused=True,
    evidence=(
        "core src/ensemble_scheduler/ensemble_utils.cc ValidateEnsembleConfig, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for all parts that are too small."""
    ensemble = model.ensemble
    if ensemble is None or not ensemble.edges.batches:
        return
    smaller = sorted(ensemble.edges.batches, key=lambda one: (not one.part.batch_kept, one.maximum))
    least = min(one.maximum for one in smaller)
    one, sure = smaller[0], smaller[0].part.batch_kept
    place = model.value_at("max_batch_size")
    parts = {other.part.model.name: other.part.model for other in smaller}
    yield RULE.finding(
        model.at("max_batch_size"),
        f"the ensemble takes batches up to {model.config.max_batch_size} but `{one.part.model.name}` only up to"
        f" {one.maximum}: Triton refuses the ensemble" + ("" if sure else ", unless the backend raises that"),
        help=f"write `max_batch_size: {least}` here, or raise that of {'the parts' if len(parts) > 1 else 'the part'}",
        related=[Related(f"`{name}`", part.at("max_batch_size")) for name, part in list(parts.items())[:8]],
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=sure,
        fix=Fix(f"max_batch_size: {least}", (Edit(place.path, place.start, place.end, str(least)),)),
    )
