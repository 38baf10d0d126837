"""# TCX001 step-model-missing

## What it finds
A step of an ensemble whose `model_name` is no model of the server. An error where it is known which repositories the
server reads (`--deployed`, or a command line), or where a model has nearly the same name; else a warning, since
another repository may hold it. A model that the tree has in another repository is a warning too without `--deployed`:
the deployment may put both into one folder.

## Why it matters
Triton refuses the ensemble. It then appears neither in the summary table of the log nor in strict readiness, so a
server that is started with `--exit-on-error=false` calls itself ready without it.

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
    model_name: "detector"
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
«ensemble pipeline contains models that are not available or ambiguous: detector»; without «or ambiguous» up to 23.02.

## Evidence
core `model_repository_manager.cc` `ConnectDependencyGraph`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity, listing

RULE = Rule(
    code="TCX001",
    name="step-model-missing",
    title="A step of an ensemble names a model that is not there",
    severity=Severity.ERROR,
    needs=("config", "repository", "launch"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/model_repository_manager/model_repository_manager.cc ConnectDependencyGraph, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each name that is missing."""
    ensemble, told = model.ensemble, set()
    if ensemble is None:
        return
    for step, place in zip(ensemble.steps, ensemble.places, strict=True):
        if not place.missing or step.name in told:
            continue
        told.add(step.name)
        repository = model.repository
        names = listing(one.path for one in place.elsewhere)
        what = f"no model `{step.name}` is in this repository"
        if repository.together:
            what = f"none of the repositories that this server reads has a model `{step.name}`"
        sure = repository.deployed or (not place.elsewhere and (repository.ensembles.whole or bool(place.near)))
        cure = f"write `{place.near}`" if place.near else f"add the model `{step.name}`, or write the name of another"
        if place.ambiguous:
            sure = True
            what = f"several repositories of this server have a model `{step.name}` but not this one: {names}"
            cure = "say which by `model_namespace`"
        elif place.elsewhere:
            what += f", one is in {names}"
            cure = "start the server with both as `--model-repository`, or move the model here"
        yield RULE.finding(
            ensemble.step_at(step.number),
            f"{what}: Triton refuses the ensemble" + ("" if sure else ", unless the server reads another that has it"),
            help=cure,
            related=[Related("it is here", one.by_name[step.name].at("name")) for one in place.elsewhere[:4]],
            severity=Severity.ERROR if sure else Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            refused=sure,
        )
