"""# TCG025 python-gpu-tensors

## What it finds
A python model that takes its inputs on the GPU (`FORCE_CPU_ONLY_INPUT_TENSORS` set to `no`), beside a TensorRT model
that captures CUDA graphs, where it may run while that one loads: it has a warm-up, or the server runs in poll or
explicit mode.

## Why it matters
A python model runs in a process of its own, so it cannot be hit while it loads, whatever it loads there. Its input
tensors are another matter: where they stay on the GPU, the server copies them, in its own process and over the legacy
stream. If a capture runs at that moment, the request fails.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# track/config.pbtxt
backend: "python"
max_batch_size: 4
parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" value { string_value: "no" } }
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# track/config.pbtxt
backend: "python"
max_batch_size: 4
```

## What Triton says
A failed request: «operation would make the legacy stream depend on a capturing blocking stream»

## Evidence
python_backend `pb_memory.cc`, 21.09 to 26.08: the copy of a GPU tensor is a `cudaMemcpy` on the legacy stream; that
this call fails beside a capture was measured on an H200.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCG025",
    name="python-gpu-tensors",
    title="A python model takes GPU tensors while another captures CUDA graphs",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("parameters", "optimization.cuda.graphs"),
    since=(21, 9),
    evidence=(
        "python_backend src/pb_memory.cc, 21.09-26.08",
        "measured: cudaMemcpy on the legacy stream fails beside a capture, H200",
    ),
)

SWITCH = "FORCE_CPU_ONLY_INPUT_TENSORS"


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each such python model."""
    launch = repository.launch
    reloads = launch.control_mode in ("poll", "explicit")
    for model in repository.models:
        if model.backend.name != "python" or model.variant or SWITCH not in model.config.parameters:
            continue
        if model.config.parameters[SWITCH].string_value.lower() != "no":
            continue
        if not reloads and (launch.serial or not any(one.batch_size > 0 for one in model.config.model_warmup)):
            continue
        capturer = _capturer(repository)
        if capturer is None:
            return
        when = f"whenever `{capturer.name}` is loaded beside it" if reloads else "in its warm-up"
        yield RULE.finding(
            model.at("parameters", SWITCH),
            f"the inputs of `{model.name}` stay on the GPU, where the server copies them over the legacy stream; a "
            f"request can fail {when}, since `{capturer.name}` captures CUDA graphs then (CUDA error 906)",
            help=f'leave `{SWITCH}` out, or set it to "yes": then its inputs come in CPU memory',
            model=model.name,
            related=[Related("captures here", capturer.at("optimization", "cuda", "graphs"))],
        )


def _capturer(repository: Repository) -> Model | None:
    """The first model that captures graphs."""
    return next((one.model for one in repository.gpu_parties if one.captures), None)
