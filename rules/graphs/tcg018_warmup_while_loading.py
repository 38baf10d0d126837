"""# TCG018 warmup-while-loading

## What it finds
A model with `model_warmup` served by ONNX Runtime or PyTorch on a GPU on which another model captures CUDA graphs
while it loads, where the server loads models at once. And a warm-up of an ONNX model that has ONNX Runtime capture a
graph (`enable_cuda_graph`, `trt_cuda_graph_enable`) beside other models on a GPU. As an info: several ONNX models on a
GPU whose warm-ups may run at once, although nothing is known to capture.

## Why it matters
A warm-up is a real inference, made while the other models still load. It lengthens the time in which the model can be
hit by a neighbour's capture, and since 22.06 a warm-up that fails makes the load fail. Before 23.04 loads waited for
each other, but warm-ups did not. Where ONNX Runtime captures, it does so in global mode: then most CUDA calls of every
other thread of the server fail with error 900, on other GPUs too.

## Bad
```
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
model_warmup {
  name: "once"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] zero_data: true } }
}
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
model_warmup {
  name: "once"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] zero_data: true } }
}
```

## What Triton says
«failed to run warmup sample», «operation would make the legacy stream depend on a capturing blocking stream»,
«operation not permitted when stream is capturing»

## Evidence
core `backend_model_instance.cc`, `WarmUp`, 22.06 to 26.08; ONNX Runtime 1.31.1 and PyTorch 2.11 running beside a
capture on an H200: errors 900 and 906. Upstream report server#6670: four ONNX models with warm-up and without graphs,
error 900 at some starts; its cause is not known. onnxruntime_backend `onnxruntime_loader.cc`, 23.04 to 26.06: sessions
are made one at a time, warm-ups are not.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG018",
    name="warmup-while-loading",
    title="A warm-up runs while other models load and capture CUDA graphs",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("model_warmup",),
    since=(22, 6),
    evidence=(
        "core src/backend_model_instance.cc WarmUp, 22.06-26.08",
        "measured: ONNX Runtime 1.31.1 and PyTorch 2.11 inference beside a capture, H200",
    ),
)

HIT_BY_RUNNING = ("onnxruntime", "pytorch")
SERIAL = "start the server with `--model-load-thread-count=1`: then a warm-up ends before the next model loads"


def check(repository: Repository) -> Iterator[Finding]:
    """Warm-ups beside a capture of TensorRT's, then warm-ups that capture themselves."""
    seen: set[str] = set()
    for race in {id(race.company): race for race in repository.start_races}.values():
        for one in race.company.parties:
            model = one.model
            if model.name in seen or model.backend.name not in HIT_BY_RUNNING or not warms_up(model):
                continue
            seen.add(model.name)
            capturer = race.capturer.model
            yield RULE.finding(
                model.at("model_warmup"),
                f"the warm-up of `{model.name}` runs while `{capturer.name}` may be capturing CUDA graphs on the same "
                f"GPU; if a capture hits it (CUDA error 900 or 906), `{model.name}` does not load",
                help=f"{SERIAL}; or leave the warm-up out and send these requests when the server is ready",
                model=model.name,
                related=[Related("captures here", capturer.at("optimization", "cuda", "graphs"))],
            )
    launch = repository.launch
    if launch.serial or (launch.control_mode == "explicit" and "*" not in launch.load_models):
        return
    yield from _together(repository, seen)
    for model in repository.models:
        if model.variant or model.backend.name != "onnxruntime" or not warms_up(model) or not ort_captures(model):
            continue
        others = [one.model.name for one in repository.gpu_parties if one.sure and one.model is not model]
        if others and len(others) < len(repository.gpu_parties):
            yield RULE.finding(
                model.at("model_warmup"),
                f"in its warm-up `{model.name}` may capture a CUDA graph in global mode; while it does, the load of "
                f"{listing(others)} can fail, at random (CUDA error 900)",
                help=f"{SERIAL}; or leave the warm-up out",
                model=model.name,
                confidence=Confidence.LOW,
            )


def _together(repository: Repository, seen: set[str]) -> Iterator[Finding]:
    """Warm-ups of ONNX models that may run at once, where no other finding speaks of them."""
    parties = [
        one
        for one in repository.gpu_parties
        if one.sure and one.model.backend.name == "onnxruntime" and warms_up(one.model)
    ]
    first = parties[0].gpus if parties else None
    warm = [one.model for one in parties if first is None or one.gpus is None or first & one.gpus]
    if len(warm) < 2 or any(model.name in seen or ort_captures(model) for model in warm):
        return
    yield RULE.finding(
        warm[0].at("model_warmup"),
        f"the warm-ups of {listing((one.name for one in warm), len(warm))} may run at once on the same GPU; a start of "
        "such models is reported to fail now and then (CUDA error 900, server#6670)",
        help=SERIAL,
        model=warm[0].name,
        severity=Severity.INFO,
        confidence=Confidence.LOW,
        related=[Related("another warm-up", one.at("model_warmup")) for one in warm[1:4]],
    )


def warms_up(model: Model) -> bool:
    """Whether some warm-up is run: a sample without `batch_size` is skipped."""
    return any(sample.batch_size > 0 for sample in model.config.model_warmup)


def ort_captures(model: Model) -> bool:
    """Whether ONNX Runtime is told to capture graphs."""
    if not model.config.HasField("optimization"):
        return False
    switches = {"cuda": "enable_cuda_graph", "tensorrt": "trt_cuda_graph_enable"}
    for one in model.config.optimization.execution_accelerators.gpu_execution_accelerator:
        switch = switches.get(one.name, "")
        if switch and switch in one.parameters and one.parameters[switch].lower() in ("1", "true", "on"):
            return True
    return False
