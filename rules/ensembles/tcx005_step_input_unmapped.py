"""# TCX005 step-input-unmapped

## What it finds
A step whose `input_map` leaves out an input of its model that is not `optional`. A step without any `input_map` and an
input that a wrong key was meant for are told by TCX014 and TCX004.

## Why it matters
Triton refuses the ensemble: nobody would give the model that input.

## Bad
```
# read/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
input { name: "size__1" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "text__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "text" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "read"
    model_version: -1
    input_map { key: "image__0" value: "image" }
    output_map { key: "text__0" value: "text" }
  }
}
```

## Good
```
# read/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
input { name: "size__1" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "text__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
input { name: "size" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "text" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "read"
    model_version: -1
    input_map { key: "image__0" value: "image" }
    input_map { key: "size__1" value: "size" }
    output_map { key: "text__0" value: "text" }
  }
}
```

## What Triton says
«in ensemble pipeline, input size__1 in model read is not mapped to any ensemble tensors»

## Evidence
core `ensemble_utils.cc` `ValidateTensorMapping`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10, `optional`
inputs too; server#5742.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCX005",
    name="step-input-unmapped",
    title="A step leaves out an input that its model needs",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/ensemble_scheduler/ensemble_utils.cc ValidateTensorMapping, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Inputs of parts that no entry of the step's map gives."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for one in ensemble.edges.unmapped:
        if not ensemble.steps[one.step].inputs:
            continue
        part = one.part.model
        name = one.tensor.name
        yield RULE.finding(
            ensemble.step_at(one.step),
            f"the step leaves out the input `{name}` of `{part.name}`: Triton refuses the ensemble"
            + ("" if one.sure else ", unless the backend makes it optional"),
            help=f'add `input_map {{ key: "{name}" value: "…" }}`, or make that input `optional` if the model can go'
            " without it",
            related=[Related(f"`{name}` of `{part.name}`", part.at("input", one.tensor.number, "name"))],
            severity=Severity.ERROR if one.sure else Severity.WARNING,
            confidence=Confidence.HIGH if one.sure else Confidence.MEDIUM,
            refused=one.sure,
        )
