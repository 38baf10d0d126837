"""# TCG020 explicit-parallel-load

## What it finds
`--model-control-mode=explicit` with `--load-model=*`, or with `--load-model` several times, where a model among them
captures CUDA graphs while others load on its GPU (TCG001).

## Why it matters
Explicit mode cures the load race only where the models are loaded one by one over the API. What `--load-model`
names is loaded at the start, all at once, by the same load threads as in the default mode.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=*"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## What Triton says
Nothing of this; the models «loading: X:N» begin within the same second.

## Evidence
core `model_repository_manager.cc`, `LoadModelByDependency`, 20.01 to 26.08: all models of a round are handed to the
load pool together. Measured on an H200 with the 24.10 core: 0 of 20 starts fail with four models loaded one by one over
the API, 20 of 20 with the same models loaded together.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG020",
    name="explicit-parallel-load",
    title="Explicit mode with `--load-model` loads graph models at once",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs",),
    since=(23, 4),
    evidence=(
        "core src/model_repository_manager/model_repository_manager.cc LoadModelByDependency, 20.01-26.08",
        "measured: 0 of 20 starts fail one by one, 20 of 20 together, H200",
    ),
)

RELATED = 8


def check(repository: Repository) -> Iterator[Finding]:
    """One finding, at the first model that captures."""
    launch = repository.launch
    if launch.control_mode != "explicit" or not launch.load_models:
        return
    star = "*" in launch.load_models
    if not star and len(set(launch.load_models)) < 2:
        return
    capturers = [race.capturer.model for race in repository.start_races if race.sure]
    if not capturers:
        return
    first, *others = capturers
    place = launch.place("flag:load-model")
    what = "`--load-model=*` loads every model" if star else "`--load-model` loads all models it names"
    yield RULE.finding(
        first.at("optimization", "cuda", "graphs"),
        f"{what} at once, in explicit mode too, so {listing(one.name for one in capturers)} "
        f"capture{'s' if not others else ''} CUDA graphs while other models load",
        help="leave `--load-model` out and load the models over the API, each after the one before is ready; or add "
        "`--model-load-thread-count=1`",
        model=first.name,
        related=[
            *(Related("captures too", one.at("optimization", "cuda", "graphs")) for one in others[:RELATED]),
            *([Related("the server is started with it here", place)] if place else []),
        ],
    )
