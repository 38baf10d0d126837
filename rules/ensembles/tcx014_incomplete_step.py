"""# TCX014 incomplete-step

## What it finds
An `ensemble_scheduling` without steps, and a step without `model_name`, `input_map` or `output_map`.

## Why it matters
Triton refuses the ensemble. Every step has to name its model, and to map at least one input and one output of it.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image" value: "image" }
  }
}
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image" value: "image" }
    output_map { key: "box" value: "box" }
  }
}
```

## What Triton says
«must specify 'output_map' in step 0 of ensemble 'pipeline'», «must specify 'model_name' in step», «must specify
'input_map' in step», «must specify 'step' for ensemble 'pipeline'». It counts steps from 0.

## Evidence
core `model_config_utils.cc` `BuildEnsembleGraph` and `ValidateEnsembleSchedulingConfig`, 20.01 to 26.06; loaded on
real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCX014",
    name="incomplete-step",
    title="A step of an ensemble lacks its model or a map",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=("core src/model_config_utils.cc BuildEnsembleGraph, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look for what every step must have."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    if not ensemble.steps:
        yield RULE.finding(
            model.at("ensemble_scheduling"),
            "the ensemble has no `step`: Triton refuses it",
            help="add a `step { … }` with `model_name`, `model_version: -1`, `input_map` and `output_map`",
        )
    for step, part in zip(ensemble.steps, ensemble.parts, strict=True):
        fields = {"model_name": step.name, "input_map": step.inputs, "output_map": step.outputs}
        lacking = [name for name, value in fields.items() if not value]
        if lacking:
            yield RULE.finding(
                model.at("ensemble_scheduling", "step", step.number, "model_name"),
                f"the step has no {listing(lacking)}: Triton refuses the ensemble",
                help=f"add {listing(lacking)}; a step names its model and maps at least one input and one output of it"
                + _names(lacking, *((list(part.inputs), list(part.outputs)) if part is not None else ([], []))),
            )


def _names(lacking: list[str], inputs: list[str], outputs: list[str]) -> str:
    """What there is to be mapped, as far as it is known."""
    sides = [(side, names) for side, names in (("input", inputs), ("output", outputs)) if f"{side}_map" in lacking]
    return "".join(f"; the {side}s of the model are {listing(names, most=6)}" for side, names in sides if names)
