"""# TCX002 step-version-missing

## What it finds
A step that asks for a version of its model that the server will not have: one without a folder, one that the
`version_policy` leaves out, or version 0, which is what a step without `model_version` asks for.

## Why it matters
Triton refuses the ensemble. Only -1 means the newest version; leaving `model_version` out does not. Without
`version_policy` only the newest version of a model is loaded, so a step that names version 1 breaks the day version 2
is added.

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
    input_map { key: "image" value: "image" }
    output_map { key: "box" value: "box" }
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
«ensemble 'pipeline' depends on 'detect' whose required version 0 is not loaded»

## Evidence
core `model_repository_manager.cc` `CheckNode`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10: no
`model_version`, 0, -2, a version without folder and one that the policy leaves out are refused alike.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity, Span

RULE = Rule(
    code="TCX002",
    name="step-version-missing",
    title="A step asks for a version of its model that is not loaded",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/model_repository_manager/model_repository_manager.cc CheckNode, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)

NEWEST = -1


def check(model: Model) -> Iterator[Finding]:
    """Compare each step's version with those that its model will have."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for step, part in zip(ensemble.steps, ensemble.parts, strict=True):
        if step.version == NEWEST or part is None or part.model.broken:
            continue
        present = sorted({folder.number for folder in part.model.versions if folder.number is not None})
        loaded = {folder.number for folder in part.model.loaded}
        if step.version in loaded:
            continue
        kept = step.version in present
        # A source tree may lack the folder of a version, but hardly that of version 0; and -2 is none anywhere.
        sure = kept or step.version <= 0 or model.deployed
        if not sure and not present:
            continue
        written = model.written("ensemble_scheduling", "step", step.number, "model_version")
        asks = f"asks for version {step.version}" if written else "has no `model_version` and so asks for version 0"
        why = f"of `{step.name}`, which its `version_policy` does not load" if kept else f"of `{step.name}`"
        if kept and not part.model.written("version_policy"):
            why = f"of `{step.name}`, which loads only its newest version, {present[-1]}, without a `version_policy`"
        place = _place(model, step.number, written)
        yield RULE.finding(
            place,
            f"the step {asks} {why}{'' if kept else ', and there is none'}: Triton refuses the ensemble",
            help="write `model_version: -1` for the newest version" + (_which(loaded) if loaded else ""),
            related=[Related("its version policy", part.model.at("version_policy"))]
            if kept and part.model.written("version_policy")
            else [],
            severity=Severity.ERROR if sure else Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            refused=sure,
            fix=_fix(model, step.number, written),
        )


def _which(loaded: set[int | None]) -> str:
    numbers = sorted(number for number in loaded if number is not None)
    return f", or one that is loaded: {', '.join(map(str, numbers[-4:]))}"


def _place(model: Model, number: int, written: bool) -> Span:
    name = "model_version" if written else "model_name"
    return model.at("ensemble_scheduling", "step", number, name)


def _fix(model: Model, number: int, written: bool) -> Fix | None:
    """Write -1: in place of the version, or behind the name, on a line of its own if the name has one."""
    path = ("ensemble_scheduling", "step", number)
    if written:
        span = model.value_at(*path, "model_version")
        return Fix("model_version: -1", (Edit(span.path, span.start, span.end, "-1"),))
    span = model.at(*path, "model_name")
    line = model.text.rfind("\n", 0, span.start) + 1
    before = model.text[line : span.start]
    start = " " if before.strip(" \t") else "\n" + before
    text = f"{start}model_version: -1"
    return Fix("model_version: -1", (Edit(span.path, span.end, span.end, text),), safe=True)
