"""# TCV040 known-fault

## What it finds
A release with a fault that was reported in public, where the configuration or the command line has what the fault
needs. The release is known by `--triton`, `--image` or the deployment file.

- 20.08 and before: CUDA graphs; an event that a graph records is not seen outside of it (server#1975).
- 20.10: a Python model on KIND_GPU ends the server, «terminate called after throwing an instance of
  'std::out_of_range'» (server#4967).
- up to 22.04: a warm-up that fails is only a line in the log, and the model is READY (server#4330).
- up to 22.06: every version of a model is loaded by a thread of its own, all at once (core#86).
- 21.06 to 22.04, with ONNX Runtime 1.8 to 1.10: sessions that are made at the same time can fail, at random, with
  «Conflict with existing kernel def hash» (onnxruntime#10179).
- 22.12: models of several backends that load at once; hangs and crashes (core#145).
- 25.10: CUDA graphs; answers of the request before, in an open report (server#8550).

## Why it matters
Such faults look like faults of one's own set-up, and come and go.

## Bad
```
# --triton 22.12
# tokenizer/config.pbtxt
backend: "python"
# ranker/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --triton 24.05
# tokenizer/config.pbtxt
backend: "python"
# ranker/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
What is quoted above; nothing in the other cases.

## Evidence
The reports named, and where a maintainer or the history of the code gives the cause: core #86 (load threads), #137,
#146 and #165 (parallel loads in 22.12, taken out of 23.01), server#4330 (reproduced). Cases without a known cause
have low confidence. None was measured here.
"""

from collections.abc import Iterator

from tritoncheck.known_faults import FIRST, Known, Met, findings, served
from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV040",
    name="known-fault",
    title="A fault of this release that the set-up meets",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch", "repository"),
    evidence=(
        "core #86, #137, #146: history of load threads, 22.06-23.01",
        "public reports of server, core and onnxruntime, 2020-2026",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Every fault of the release that is met."""
    yield from findings(RULE, KNOWN, repository)


def _at_once(repository: Repository) -> bool:
    launch = repository.launch
    return not launch.serial and (launch.control_mode != "explicit" or len(launch.load_models) > 1)


def _graphs(repository: Repository) -> Met | None:
    models = tuple(one for one in served(repository, "tensorrt") if one.graphs is not None)
    return Met(models[0].at("optimization", "cuda", "graphs"), models) if models else None


def _python_on_gpu(repository: Repository) -> Met | None:
    for model in served(repository, "python"):
        for index, group in enumerate(model.config.instance_group):
            if group.kind == group.KIND_GPU:
                return Met(model.at("instance_group", index, "kind"), (model,))
    return None


def _warmup(repository: Repository) -> Met | None:
    models = tuple(one for one in served(repository) if one.config.model_warmup)
    return Met(models[0].at("model_warmup"), models) if models else None


def _many_loads(repository: Repository) -> Met | None:
    models = served(repository)
    return Met(repository.place("image"), models) if len(models) > 1 and _at_once(repository) else None


def _onnx_sessions(repository: Repository) -> Met | None:
    models = served(repository, "onnxruntime")
    return Met(repository.place("image"), models) if len(models) > 1 and _at_once(repository) else None


def _several_backends(repository: Repository) -> Met | None:
    models = served(repository, "onnxruntime", "python", "pytorch", "tensorflow")
    if len({one.backend.name for one in models}) < 2 or not _at_once(repository):
        return None
    return Met(repository.place("image"), models)


KNOWN = (
    Known(
        FIRST,
        (20, 8),
        _graphs,
        "Triton {release} handles events wrongly that a CUDA graph records, as those of {models} do (server#1975)",
        "use 20.09 or later",
        Severity.INFO,
    ),
    Known(
        (20, 10),
        (20, 10),
        _python_on_gpu,
        "Triton 20.10 may crash, and every model with it, when it loads {models} on KIND_GPU (server#4967)",
        "use a later release, or KIND_CPU",
        confidence=Confidence.LOW,
    ),
    Known(
        FIRST,
        (22, 4),
        _warmup,
        "up to 22.04 a warm-up that fails is a line in the log and no more: {models} may be READY without it"
        " (server#4330)",
        "search the log for `warmup error`, or use a later release, where the load fails",
    ),
    Known(
        FIRST,
        (22, 6),
        _many_loads,
        "Triton {release} loads all versions of {models} at once, each in a thread of its own, without limit (core#86)",
        "from 22.07 on there is `--model-load-thread-count`",
        Severity.INFO,
    ),
    Known(
        (21, 6),
        (22, 4),
        _onnx_sessions,
        "ONNX Runtime of {release} can fail at random when {models} make their sessions at once (onnxruntime#10179)",
        "use a later release; or load the models one by one in explicit mode",
        confidence=Confidence.LOW,
    ),
    Known(
        (22, 12),
        (22, 12),
        _several_backends,
        "Triton 22.12 loads models of several backends at once, here {models}, and can hang or crash then (core#145)",
        "add `--model-load-thread-count=1`; or use another release",
    ),
    Known(
        (25, 10),
        (25, 10),
        _graphs,
        "Triton 25.10 is reported to answer with the result of the request before where graphs are on, as for {models}"
        " (server#8550, open)",
        "compare some answers with those without graphs before you rely on them",
        confidence=Confidence.LOW,
    ),
)
