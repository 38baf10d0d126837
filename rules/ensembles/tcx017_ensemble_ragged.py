"""# TCX017 ensemble-ragged

## What it finds
`allow_ragged_batch` at an input of an ensemble.

## Why it matters
It is ignored: an ensemble does not batch, its parts do. Requests of different shapes are joined only where the part
that reads the input allows it. Where every part that reads it does, as in the templates of TensorRT-LLM, nothing is
lost, and this is an info.

## Bad
```
# read/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "text__0" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "code__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "text" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
output { name: "code" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "read"
    model_version: -1
    input_map { key: "text__0" value: "text" }
    output_map { key: "code__0" value: "code" }
  }
}
```

## Good
```
# read/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "text__0" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
output { name: "code__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "text" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "code" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "read"
    model_version: -1
    input_map { key: "text__0" value: "text" }
    output_map { key: "code__0" value: "code" }
  }
}
```

## What Triton says
Nothing.

## Evidence
core `ensemble_scheduler.cc`, 20.02 to 26.06, which does not read the field; server#8653.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCX017",
    name="ensemble-ragged",
    title="`allow_ragged_batch` at an input of an ensemble is ignored",
    severity=Severity.WARNING,
    needs=("config", "repository"),
    reads=("ensemble_scheduling", "input"),
    evidence=("core src/ensemble_scheduler/ensemble_scheduler.cc, 20.02-26.06", "server#8653"),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Each input that has the switch on, with the inputs of parts that it may have been meant for."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for number, tensor in enumerate(model.config.input):
        if not getattr(tensor, "allow_ragged_batch", False):
            continue
        related, allowing = [], []
        for step, part in zip(ensemble.steps, ensemble.parts, strict=True):
            keys = [key for key, value in step.inputs.items() if value == tensor.name]
            for one in part.inputs.values() if part is not None else ():
                if one.name in keys:
                    place = part.model.at("input", one.number, "name") if part is not None else ensemble.step_at(0)
                    allowing.append(part is not None and _allows(part.model, one.name))
                    related.append(Related(f"`{step.name}` reads it as `{one.name}`", place))
        lost = not allowing or not all(allowing)
        edits = model.deletion("input", number, "allow_ragged_batch")
        yield RULE.finding(
            model.at("input", number, "allow_ragged_batch"),
            f"`allow_ragged_batch` at the input `{tensor.name}` of an ensemble is ignored: only its parts batch",
            help="write it at the input of the part that reads this tensor, if its backend can take ragged batches"
            if lost
            else "nothing is lost, for the part that reads this tensor has it; delete the line here",
            related=related[:4],
            severity=Severity.WARNING if lost else Severity.INFO,
            fix=Fix("delete `allow_ragged_batch`", edits, safe=True) if edits else None,
        )


def _allows(model: Model, name: str) -> bool:
    """Whether an input of a part has the switch on."""
    return any(one.name == name and getattr(one, "allow_ragged_batch", False) for one in model.config.input)
