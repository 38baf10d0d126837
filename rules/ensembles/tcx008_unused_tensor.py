"""# TCX008 unused-tensor

## What it finds
An input of an ensemble that no step reads, and a tensor that a step writes although no step reads it and it is no
output of the ensemble; an ensemble without outputs.

## Why it matters
Triton refuses the ensemble. An output of a part that nobody needs is simply left out of the `output_map`. Often the
tensor is used, but under a name with a slip in it.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "score__1" data_type: TYPE_FP32 dims: [ 1 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image__0" value: "image" }
    output_map { key: "box__0" value: "box" }
    output_map { key: "score__1" value: "score" }
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
output { name: "score__1" data_type: TYPE_FP32 dims: [ 1 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
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
«ensemble tensor 'score' is unused in ensemble 'pipeline'»; of an input «ensemble input 'image' for ensemble pipeline'
is not used»

## Evidence
core `model_config_utils.cc` `ValidateEnsembleSchedulingConfig`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCX008",
    name="unused-tensor",
    title="An ensemble has a tensor that nothing reads",
    severity=Severity.ERROR,
    reads=("ensemble_scheduling", "input", "output"),
    refused=True,
    evidence=(
        "core src/model_config_utils.cc ValidateEnsembleSchedulingConfig, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Inputs and written tensors without a reader."""
    ensemble = model.ensemble
    if ensemble is None or not ensemble.steps:
        return
    names = [tensor.name for tensor in model.config.input]
    for name in ensemble.flow.unused_inputs:
        near = ensemble.meant(name)
        yield RULE.finding(
            model.at("input", names.index(name), "name"),
            f"no step reads the input `{name}` of this ensemble: Triton refuses it",
            help=f"steps read `{near}`, which nothing writes: write the same name in both places"
            if near
            else "map it to an input of a step, or delete it here",
        )
    if not model.config.output:
        yield RULE.finding(
            model.at("ensemble_scheduling"),
            "the ensemble has no `output`, so nothing that it computes is used: Triton refuses it",
            help="list its outputs with `data_type` and `dims`; Triton completes none for an ensemble",
        )
        return
    for name, use in ensemble.flow.unused:
        near = ensemble.meant(name)
        step = ensemble.steps[use.step]
        lone = len(step.outputs) == 1
        cure = f"leave `{use.key}` out of the `output_map`, or make `{name}` an output of the ensemble"
        if lone:
            cure = f"read it in another step, make `{name}` an output of the ensemble, or leave the step out"
        yield RULE.finding(
            ensemble.map_at(use.step, "output", use.key),
            f"no step reads `{name}`, and it is no output of this ensemble: Triton refuses it",
            help=f"`{near}` is read and written by nothing: write the same name in both places" if near else cure,
            fix=None if near or lone else _without(model, use.step, use.key),
        )


def _without(model: Model, step: int, key: str) -> Fix | None:
    """Delete the entry of the map; the server refuses the ensemble with it, so nothing can depend on it."""
    edits = model.entry_deletion(("ensemble_scheduling", "step", step, "output_map"), key)
    return Fix(f"delete the entry of `{key}`", edits, safe=True) if edits else None
