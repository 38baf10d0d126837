"""# TCX010 decoupled-mix

## What it finds
A step that reads, or an ensemble that returns, tensors of which one comes from a decoupled model and another does not
come from the same one.

## Why it matters
Triton refuses the ensemble. A decoupled model answers a request any number of times, so there would be no telling
which of its answers goes with the other tensor. That other tensor may be an input of the ensemble, come from a model
that is not decoupled, or come from another step with a decoupled model, even one behind the first. Only what plain
models make of one decoupled step's answers can be joined with these answers again.

## Bad
```
# generate/config.pbtxt
backend: "pytorch"
input { name: "prompt__0" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "token__0" data_type: TYPE_FP32 dims: [ -1 ] }
model_transaction_policy { decoupled: true }
# compare/config.pbtxt
backend: "pytorch"
input { name: "token__0" data_type: TYPE_FP32 dims: [ -1 ] }
input { name: "prompt__1" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "score__0" data_type: TYPE_FP32 dims: [ 1 ] }
# chat/config.pbtxt
platform: "ensemble"
input { name: "prompt" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "score" data_type: TYPE_FP32 dims: [ 1 ] }
ensemble_scheduling {
  step {
    model_name: "generate"
    model_version: -1
    input_map { key: "prompt__0" value: "prompt" }
    output_map { key: "token__0" value: "token" }
  }
  step {
    model_name: "compare"
    model_version: -1
    input_map { key: "token__0" value: "token" }
    input_map { key: "prompt__1" value: "prompt" }
    output_map { key: "score__0" value: "score" }
  }
}
```

## Good
```
# generate/config.pbtxt
backend: "pytorch"
input { name: "prompt__0" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "token__0" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "prompt__1" data_type: TYPE_FP32 dims: [ -1 ] }
model_transaction_policy { decoupled: true }
# compare/config.pbtxt
backend: "pytorch"
input { name: "token__0" data_type: TYPE_FP32 dims: [ -1 ] }
input { name: "prompt__1" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "score__0" data_type: TYPE_FP32 dims: [ 1 ] }
# chat/config.pbtxt
platform: "ensemble"
input { name: "prompt" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "score" data_type: TYPE_FP32 dims: [ 1 ] }
ensemble_scheduling {
  step {
    model_name: "generate"
    model_version: -1
    input_map { key: "prompt__0" value: "prompt" }
    output_map { key: "token__0" value: "token" }
    output_map { key: "prompt__1" value: "echo" }
  }
  step {
    model_name: "compare"
    model_version: -1
    input_map { key: "token__0" value: "token" }
    input_map { key: "prompt__1" value: "echo" }
    output_map { key: "score__0" value: "score" }
  }
}
```

## What Triton says
«in ensemble chat, step of model 'chat' receives inputs originated from different decoupled models», with the name of
the ensemble where that of the step is due.

## Evidence
core `ensemble_utils.cc` `ValidateEnsembleConfig`, 22.11 to 26.06; loaded on real servers 22.11 to 24.10: two outputs
of one step, and a plain step behind the decoupled one joined with it, load; an input, a plain step beside it, a
second decoupled step beside or behind it, the same model in two steps, and mixed outputs are refused.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, Span

RULE = Rule(
    code="TCX010",
    name="decoupled-mix",
    title="An ensemble joins a decoupled model's answers with something else",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling", "input", "output"),
    refused=True,
    evidence=(
        "core src/ensemble_scheduler/ensemble_utils.cc ValidateEnsembleConfig, 22.11-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each step, or for the outputs, where two streams meet."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for mix in ensemble.streams.mixes:
        if mix.step < 0:
            span, subject = _output(model, mix.other[0]), "the ensemble returns"
        else:
            step = ensemble.steps[mix.step]
            span, subject = ensemble.step_at(mix.step), f"the step `{step.name}` reads"
        owners = [owner for _, owner in (mix.one, mix.other) if owner >= 0]
        yield RULE.finding(
            span,
            f"{subject} {_described(model, *mix.one)} and {_described(model, *mix.other)}: Triton refuses the ensemble",
            help="let the decoupled model hand on what is needed later, as one of its outputs",
            related=[Related("a decoupled step", ensemble.step_at(owner)) for owner in owners],
        )


def _output(model: Model, name: str) -> Span:
    names = [tensor.name for tensor in model.config.output]
    return model.at("output", names.index(name), "name")


def _described(model: Model, tensor: str, owner: int) -> str:
    if owner < 0:
        return f"`{tensor}` of no decoupled model"
    return f"`{tensor}` of the decoupled `{model.config.ensemble_scheduling.step[owner].model_name}`"
