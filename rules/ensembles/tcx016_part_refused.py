"""# TCX016 part-refused

## What it finds
An ensemble with nothing wrong in itself, of which a part is refused: by an error of another rule at that part, or
because the part is an ensemble for which the same holds.

## Why it matters
Triton refuses the ensemble too, and says so only in one line of the log: it has no row in the table of models.
Nothing is to be done here but to mend the part.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 0, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, -1, 8 ] }
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
max_batch_size: 4
input { name: "image__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, -1, 8 ] }
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
«ensemble 'pipeline' depends on 'detect' which has no loaded version. Model 'detect' loading failed with error: …»;
where the part is refused while it is scanned, «ensemble pipeline contains models that are not available or ambiguous:
detect»; where it is an ensemble, «depends on 'detect' which is not valid»

## Evidence
core `model_repository_manager.cc` `CheckNode` and `ConnectDependencyGraph`, 20.01 to 26.06; loaded on real servers
22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Refusals, Related, Rule, Severity, Span

RULE = Rule(
    code="TCX016",
    name="part-refused",
    title="A part of an ensemble is refused, and so is the ensemble",
    severity=Severity.INFO,
    scope="refusals",
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/model_repository_manager/model_repository_manager.cc CheckNode, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
)


def check(refusals: Refusals) -> Iterator[Finding]:
    """Go from each refused model to the ensembles that have it as a part, and on from these."""
    users = _users(refusals)
    waiting = [(name, finding.span) for name, finding in refusals.causes.items()]
    done = set(refusals.causes)
    for name, cause in waiting:
        for model, number in users.get(name, ()):
            if model.name in done or model.ensemble is None:
                continue
            done.add(model.name)
            place = model.ensemble.step_at(number)
            waiting.append((model.name, place))
            yield _finding(model, name, place, cause)


def _users(refusals: Refusals) -> dict[str, list[tuple[Model, int]]]:
    """For each model the ensembles that have it as a part, each with the number of its step."""
    users: dict[str, list[tuple[Model, int]]] = {}
    if not refusals.causes:
        return users
    for model in refusals.repository.models:
        if model.ensemble is None or refusals.repository.served.get(model.name) is not model:
            continue
        for step, part in zip(model.ensemble.steps, model.ensemble.parts, strict=True):
            if part is not None:
                users.setdefault(part.model.name, []).append((model, step.number))
    return users


def _finding(model: Model, part: str, place: Span, cause: Span) -> Finding:
    return RULE.finding(
        place,
        f"Triton refuses `{part}`, and so this ensemble too",
        help=f"mend `{part}`; nothing is to be done here",
        model=model.name,
        related=[Related(f"what is wrong with `{part}`", cause)],
    )
