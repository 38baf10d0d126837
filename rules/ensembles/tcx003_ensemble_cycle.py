"""# TCX003 ensemble-cycle

## What it finds
Ensembles that are parts of each other, or of themselves; and an ensemble outside such a circle that has one of it as
a part.

## Why it matters
Triton refuses every ensemble of a circle. From 23.04 on it does worse where another ensemble uses one of them: the
whole server crashes while it starts, or when that ensemble is loaded, and takes every other model with it.

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
    model_name: "pipeline"
    model_version: -1
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
«circular dependency between ensembles: pipeline -> ... -> pipeline -> pipeline»; of the crash nothing, the process
ends with signal 11.

## Evidence
core `model_repository_manager.cc` `CircularDependencyCheck`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
With an ensemble that uses one of the circle 22.11 says «depends on 'pipeline' which is not valid»; 23.04, 23.07,
23.10, 24.03 and 24.10 end with SIGSEGV, at the start and on a request.
"""

from collections.abc import Iterator
from itertools import pairwise

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, Span, release_tag

RULE = Rule(
    code="TCX003",
    name="ensemble-cycle",
    title="Ensembles that are parts of each other",
    severity=Severity.ERROR,
    needs=("config", "repository"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/model_repository_manager/model_repository_manager.cc CircularDependencyCheck, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)

CRASHES_SINCE = (23, 4)
MOST = 6


def check(model: Model) -> Iterator[Finding]:
    """For an ensemble of a circle the way round; for others the first step into one."""
    ensemble = model.ensemble
    if ensemble is None or model.broken:
        return
    circles = model.repository.ensembles.circles
    if model.name in circles:
        if model.repository.served.get(model.name) is model:
            yield _member(model, circles[model.name])
        return
    for step, part in zip(ensemble.steps, ensemble.parts, strict=True):
        if part is not None and part.model.name in circles:
            following = circles[part.model.name][1]
            yield _user(model, ensemble.step_at(step.number), part.model, _step_to(part.model, following))
            return


def _member(model: Model, way: tuple[str, ...]) -> Finding:
    served = model.repository.served
    pairs = pairwise(way[1:])
    related = [Related(f"`{name}` needs `{after}`", _step_to(served[name], after)) for name, after in pairs]
    shown = [*way[:MOST], "…", way[-1]] if len(way) > MOST + 1 else way
    return RULE.finding(
        _step_to(model, way[1]),
        f"this ensemble is a part of itself ({' → '.join(shown)}): Triton refuses it",
        help="take one step out of the circle",
        related=related[:MOST],
    )


def _user(model: Model, span: Span, other: Model, circle: Span) -> Finding:
    release = model.launch.release
    crash = release is None or release >= CRASHES_SINCE
    if crash:
        who = f"Triton {release_tag(release)}" if release else "from 23.04 on Triton"
        outcome = f"{who} crashes over this step, with all other models"
    else:
        outcome = "Triton refuses both"
    return RULE.finding(
        span,
        f"`{other.name}` is an ensemble that is a part of itself: {outcome}",
        help=f"take one step out of the circle around `{other.name}`",
        related=[Related("the circle", circle)],
        refused=not crash,
    )


def _step_to(model: Model, name: str) -> Span:
    """The first step of an ensemble that names a model."""
    steps = model.config.ensemble_scheduling.step
    number = next((number for number, step in enumerate(steps) if step.model_name == name), 0)
    return model.at("ensemble_scheduling", "step", number, "model_name")
