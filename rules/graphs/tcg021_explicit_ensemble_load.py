"""# TCG021 explicit-ensemble-load

## What it finds
Explicit mode, and an ensemble of which one part captures CUDA graphs while another part would load on its GPU. A
warning where `--load-model` names the ensemble; an info where models are loaded over the API, in an order that is not
known.

## Why it matters
A request to load an ensemble loads all parts that are not loaded yet, at once. So one request for one model is
enough for the load race (TCG001), although everything is loaded one by one.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=pipeline"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
input [ { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] } ]
output [ { name: "box" data_type: TYPE_FP32 dims: [ 4 ] } ]
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 4
input [ { name: "box" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "code" data_type: TYPE_FP32 dims: [ 4 ] } ]
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input [ { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] } ]
output [ { name: "code" data_type: TYPE_FP32 dims: [ 4 ] } ]
ensemble_scheduling {
  step [
    {
      model_name: "detect"
      model_version: -1
      input_map { key: "image" value: "image" }
      output_map { key: "box" value: "box" }
    },
    {
      model_name: "encode"
      model_version: -1
      input_map { key: "box" value: "box" }
      output_map { key: "code" value: "code" }
    }
  ]
}
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1 --model-control-mode=explicit"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
input [ { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] } ]
output [ { name: "box" data_type: TYPE_FP32 dims: [ 4 ] } ]
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 4
input [ { name: "box" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "code" data_type: TYPE_FP32 dims: [ 4 ] } ]
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input [ { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] } ]
output [ { name: "code" data_type: TYPE_FP32 dims: [ 4 ] } ]
ensemble_scheduling {
  step [
    {
      model_name: "detect"
      model_version: -1
      input_map { key: "image" value: "image" }
      output_map { key: "box" value: "box" }
    },
    {
      model_name: "encode"
      model_version: -1
      input_map { key: "box" value: "box" }
      output_map { key: "code" value: "code" }
    }
  ]
}
```

## What Triton says
Nothing of this; the parts «loading: X:N» begin within the same second.

## Evidence
core `model_repository_manager.cc`, `LoadModelByDependency`, 23.04 to 26.08: a round loads all models that nothing else
waits for, and the parts of an ensemble are one round.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG021",
    name="explicit-ensemble-load",
    title="Loading an ensemble loads its graph models at once",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("ensemble_scheduling", "optimization.cuda.graphs"),
    since=(23, 4),
    evidence=("core src/model_repository_manager/model_repository_manager.cc LoadModelByDependency, 23.04-26.08",),
)

RELATED = 8


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each ensemble whose parts collide."""
    launch = repository.launch
    if launch.control_mode != "explicit" or "*" in launch.load_models or launch.load_threads == 1:
        return
    if not repository.races:
        return
    for model in repository.models:
        named = model.name in launch.load_models
        if not model.is_ensemble or model.variant or not (named or launch.one_by_one):
            continue
        capturers = [race.capturer.model for race in repository.races_of(model.name) if race.sure]
        if not capturers:
            continue
        names, verb = listing(one.name for one in capturers), "capture" if len(capturers) > 1 else "captures"
        load = f"`--load-model={model.name}` loads" if named else f"a request to load `{model.name}` loads"
        yield RULE.finding(
            model.at("ensemble_scheduling"),
            f"{load} all its parts at once, and among them {names} {verb} CUDA graphs while the others load",
            help="load the parts first, each after the one before is ready, and the ensemble last; or add "
            "`--model-load-thread-count=1`",
            model=model.name,
            related=[Related("captures here", one.at("optimization", "cuda", "graphs")) for one in capturers[:RELATED]],
            severity=Severity.WARNING if named else Severity.INFO,
            confidence=Confidence.HIGH if named else Confidence.MEDIUM,
        )
