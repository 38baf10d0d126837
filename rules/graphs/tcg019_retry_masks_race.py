"""# TCG019 retry-masks-race

## What it finds
`--model-load-retry-count` above 0 where a model captures CUDA graphs while others load on its GPU (TCG001).

## Why it matters
A retry brings back the model that was hit: at the second try it mostly loads. It does not bring back the graph that the
capturing model lost, because losing a graph is no failure: that model is READY and runs without the graph it was
configured for, in some starts and not in others. The lottery goes on, only nobody sees it.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-load-retry-count=3"
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
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1 --model-load-retry-count=3"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## What Triton says
Only the capturing model's line «unable to finish CUDA graph for»; the server reports every model READY.

## Evidence
core `model_lifecycle.cc`, the retry loop around `CreateModel`, 24.01 to 26.08; tensorrt_backend `instance_state.cc`,
`BuildCudaGraph`, whose failure is only logged. In the measured starts on an H200 the capturer lost its graph in every
start in which a neighbour was hit by it, and came up READY.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG019",
    name="retry-masks-race",
    title="Load retries hide that CUDA graphs are lost in a load race",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs",),
    since=(24, 1),
    evidence=(
        "core src/model_repository_manager/model_lifecycle.cc, retry of CreateModel, 24.01-26.08",
        "measured: capturers come up READY without a graph, H200",
    ),
)

RELATED = 8


def check(repository: Repository) -> Iterator[Finding]:
    """One finding, at the first model that captures."""
    retries = repository.launch.number("model-load-retry-count", 0)
    if retries <= 0:
        return
    capturers = [race.capturer.model for race in repository.start_races if race.sure]
    if not capturers:
        return
    first, *others = capturers
    place = repository.launch.place("flag:model-load-retry-count")
    names = listing(one.name for one in capturers)
    yield RULE.finding(
        first.at("optimization", "cuda", "graphs"),
        f"`--model-load-retry-count={retries}` hides the load race of {names}: a model that was hit loads at the next "
        f"try, but a lost CUDA graph does not come back, and its model is READY without it",
        help="start the server with `--model-load-thread-count=1`; then no retry is needed for this",
        model=first.name,
        related=[
            *(Related("captures too", one.at("optimization", "cuda", "graphs")) for one in others[:RELATED]),
            *([Related("the server is started with it here", place)] if place else []),
        ],
    )
