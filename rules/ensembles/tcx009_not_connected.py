"""# TCX009 not-connected

## What it finds
A tensor that a step reads or that is an output of the ensemble, and that no step writes; an ensemble without inputs;
and steps that wait for each other.

## Why it matters
Triton refuses the ensemble, since the step can never run. What it says names the output that cannot be computed, which
may be far behind the step with the mistake.

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
output { name: "score" data_type: TYPE_FP32 dims: [ 1 ] }
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
«output 'box' for ensemble 'pipeline' is not written», «ensemble output 'score' for ensemble pipeline' is not used»,
«ensemble tensor 'boxes' is unused in ensemble 'pipeline'»

## Evidence
core `model_config_utils.cc` `ValidateEnsembleSchedulingConfig`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, listing

RULE = Rule(
    code="TCX009",
    name="not-connected",
    title="An ensemble needs a tensor that no step writes",
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
    """Tensors without a writer, by their first reader; and circles of steps."""
    ensemble = model.ensemble
    if ensemble is None or not ensemble.steps:
        return
    flow = ensemble.flow
    outputs = [tensor.name for tensor in model.config.output]
    if not model.config.input:
        yield RULE.finding(
            model.at("ensemble_scheduling"),
            "the ensemble has no `input`, so none of its steps can ever run: Triton refuses it",
            help="list its inputs with `data_type` and `dims`; Triton completes none for an ensemble",
        )
        return
    for name, use in flow.unwritten:
        near = ensemble.unread(name)
        yield RULE.finding(
            ensemble.map_at(use.step, "input", use.key),
            f"`{name}` is no input of this ensemble and no step writes it: Triton refuses the ensemble",
            help=f"write `{near}`, which nothing reads"
            if near
            else f"make `{name}` an input of the ensemble, or write it in the `output_map` of a step",
            related=[Related("it is an output too", model.at("output", outputs.index(name), "name"))]
            if name in outputs
            else [],
        )
    for name in flow.missing_outputs:
        near = ensemble.unread(name)
        yield RULE.finding(
            model.at("output", outputs.index(name), "name"),
            f"no step writes the output `{name}` of this ensemble: Triton refuses it",
            help=f"write the same name as in the step that writes `{near}`, which nothing reads"
            if near
            else "write it in the `output_map` of a step, or delete it here",
        )
    if flow.waiting:
        first, *others = flow.waiting
        names = listing([ensemble.steps[number].name for number in flow.waiting])
        what = f"the steps {names} wait for each other" if others else f"the step {names} waits for its own output"
        yield RULE.finding(
            ensemble.step_at(first),
            f"{what}, so none of them can ever run: Triton refuses the ensemble",
            help="a step can read only what comes from the inputs of the ensemble or from steps that do not need it",
            related=[Related("waits too", ensemble.step_at(number)) for number in others[:6]],
        )
