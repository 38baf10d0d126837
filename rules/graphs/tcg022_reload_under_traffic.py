"""# TCG022 reload-under-traffic

## What it finds
A server that loads models while others serve (`--model-control-mode=poll`, or `explicit`), with a TensorRT model that
captures CUDA graphs, and on its GPU a model that ONNX Runtime or PyTorch runs. A warning in poll mode, where any
changed file reloads a model at once; an info in explicit mode, where it is for you to choose the time.

## Why it matters
A capture bans the legacy stream of its GPU for the whole server, not only at the start. A model that runs a request at
that moment can fail it with CUDA error 900 or 906, and the capture is lost too. `--model-load-thread-count=1` does not
help here: it keeps loads apart from each other, not from requests.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=poll --model-load-thread-count=1"
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
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## What Triton says
A failed request: «operation not permitted when stream is capturing», or «operation would make the legacy stream depend
on a capturing blocking stream».

## Evidence
tensorrt_backend `instance_state.cc`, `BuildCudaGraph`, 22.04 to 26.08; ONNX Runtime 1.31.1 running beside a capture on
an H200: errors 900 and 906. Upstream report server#4017: a crash after many reloads of a model with graphs.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG022",
    name="reload-under-traffic",
    title="A model captures CUDA graphs when it is loaded beside models that serve",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs",),
    evidence=(
        "tensorrt_backend src/instance_state.cc BuildCudaGraph, 22.04-26.08",
        "measured: ONNX Runtime 1.31.1 inference beside a capture, H200",
    ),
)

RELATED = 8
HIT_BY_RUNNING = ("onnxruntime", "pytorch")


def check(repository: Repository) -> Iterator[Finding]:
    """One finding, at the first model that captures beside one that can be hit while it runs."""
    mode = repository.launch.control_mode
    if mode not in ("poll", "explicit"):
        return
    for race in reversed({id(race.company): race for race in reversed(repository.races)}.values()):
        hit = [one.model for one in race.victims if one.model.backend.name in HIT_BY_RUNNING]
        if not hit:
            continue
        model, polls = race.capturer.model, mode == "poll"
        when = "poll mode reloads it when a file of it changes" if polls else "explicit mode can load it at any time"
        hitting = f"that can break requests that {listing(one.name for one in hit)} run"
        yield RULE.finding(
            model.at("optimization", "cuda", "graphs"),
            f"`{model.name}` captures CUDA graphs whenever it is loaded, and {when}; beside live traffic "
            f"{hitting}{'s' if len(hit) == 1 else ''} at that moment (CUDA error 900 or 906)",
            help="leave `--model-control-mode` at its default, and start a second server to change a model"
            if polls
            else "load all models before the first request is sent, and start a second server to change a model",
            model=model.name,
            related=[
                Related("can be hit while it runs", one.at("backend" if one.config.backend else "platform"))
                for one in hit[:RELATED]
            ],
            severity=Severity.WARNING if polls else Severity.INFO,
        )
        return
