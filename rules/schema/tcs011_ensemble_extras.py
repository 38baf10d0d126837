"""# TCS011 ensemble-extras

## What it finds
An ensemble with `backend`, `instance_group`, `optimization` or `model_warmup`, even an empty one.

## Why it matters
Triton refuses the ensemble. It has no backend and no instances of its own; all of these belong to its parts.

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
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
instance_group { kind: KIND_CPU }
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
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
instance_group { kind: KIND_CPU }
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
«instance group should not be specified for ensemble 'pipeline'», «optimization should not be specified for ensemble»,
«model_warmup can not be specified for ensemble», «Ensemble model 'pipeline' must have platform type 'ensemble' and
empty backend type»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig` and `ValidateEnsembleSchedulingConfig`, 20.01 to 26.06; loaded on
real servers 22.11 to 24.10, with empty blocks too.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS011",
    name="ensemble-extras",
    title="An ensemble with settings that only its parts may have",
    severity=Severity.ERROR,
    reads=("platform", "backend", "ensemble_scheduling"),
    refused=True,
    evidence=(
        "core src/model_config_utils.cc ValidateEnsembleSchedulingConfig, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("platform",),
)

EXTRAS = ("backend", "instance_group", "optimization", "model_warmup")


def check(model: Model) -> Iterator[Finding]:
    """One finding for each field that must not be there."""
    config = model.config
    if config.platform != "ensemble":
        return
    present = {field.name for field, _ in config.ListFields()}
    for name in EXTRAS:
        if name not in present:
            continue
        edits = model.deletion(name)
        where = "the parts have theirs" if name == "backend" else "write it in the parts that need it"
        yield RULE.finding(
            model.at(name),
            f"an ensemble must not have `{name}`: Triton refuses it",
            help=f"delete `{name}`; {where}",
            fix=Fix(f"delete `{name}`", edits, safe=True) if edits else None,
        )
