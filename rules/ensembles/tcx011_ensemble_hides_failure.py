"""# TCX011 ensemble-hides-failure

## What it finds
A server that is started with `--exit-on-error=false` and loads ensembles at its start.

## Why it matters
Such a server counts as ready although an ensemble does not work: one that Triton refuses is in no list that readiness
looks at, so `/v2/health/ready` answers 200. Of other models it says that they are not ready, unless they were refused
while they were scanned.

## Bad
```
# --launch "tritonserver --model-repository=/models --exit-on-error=false"
# detect/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "x__0" value: "x" }
    output_map { key: "y__0" value: "y" }
  }
}
```

## Good
```
# --launch "tritonserver --model-repository=/models"
# detect/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "x__0" value: "x" }
    output_map { key: "y__0" value: "y" }
  }
}
```

## What Triton says
One line at ERROR level, such as «ensemble 'pipeline' depends on 'detect' which has no loaded version»; no row in the
table of models.

## Evidence
core `server.cc` `IsReady` and `model_repository_manager.cc` `LoadModelByDependency`, 20.01 to 26.06; asked of real
servers 22.11 to 24.10: with an ensemble that was refused `/v2/health/ready` is 200, `/v2/models/pipeline/ready` 400.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCX011",
    name="ensemble-hides-failure",
    title="A server counts as ready although an ensemble was refused",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("ensemble_scheduling",),
    evidence=("core src/server.cc IsReady, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for all ensembles that the server loads at its start."""
    launch = repository.launch
    if not launch.flags_known or launch.switch("exit-on-error", True) or launch.one_by_one:
        return
    ensembles = [model for model in repository.models if model.ensemble is not None and not model.variant]
    if launch.control_mode == "explicit" and "*" not in launch.load_models:
        ensembles = [model for model in ensembles if model.name in launch.load_models]
    if not ensembles:
        return
    names = listing(model.name for model in ensembles)
    first = ensembles[0].name
    several = len(ensembles) > 1
    yield RULE.finding(
        repository.place("flag:exit-on-error"),
        f"with `--exit-on-error=false` the server counts as ready even if the {'ensembles' if several else 'ensemble'}"
        f" {names} {'do' if several else 'does'} not load",
        help=f"leave the flag out, or probe what is needed, such as `/v2/models/{first}/ready`",
        related=[Related("an ensemble", model.at("ensemble_scheduling")) for model in ensembles[:3]],
    )
