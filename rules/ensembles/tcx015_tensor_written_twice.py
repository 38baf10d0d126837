"""# TCX015 tensor-written-twice

## What it finds
A tensor of an ensemble that appears in the `output_map` of two steps, or twice in that of one.

## Why it matters
Triton refuses the ensemble: it could not tell which of the two a reader is to get.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "left" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
input { name: "right" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "left" }
    output_map { key: "box__0" value: "box" }
  }
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "right" }
    output_map { key: "box__0" value: "box" }
  }
}
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "left" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
input { name: "right" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "left_box" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "right_box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "left" }
    output_map { key: "box__0" value: "left_box" }
  }
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "right" }
    output_map { key: "box__0" value: "right_box" }
  }
}
```

## What Triton says
«ensemble tensor 'box' can appear in an output map only once for ensemble 'pipeline' step 1»

## Evidence
core `model_config_utils.cc` `BuildEnsembleGraph`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10. A step may
write what is an input of the ensemble; that loads.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCX015",
    name="tensor-written-twice",
    title="Two outputs of steps write the same tensor of an ensemble",
    severity=Severity.ERROR,
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=("core src/model_config_utils.cc BuildEnsembleGraph, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Each writer of a tensor beyond the first."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for name, first, second in ensemble.flow.rewritten:
        yield RULE.finding(
            ensemble.map_at(second.step, "output", second.key),
            f"`{name}` is written a second time: Triton refuses the ensemble",
            help="give this one a name of its own",
            related=[Related("the first time", ensemble.map_at(first.step, "output", first.key))],
        )
