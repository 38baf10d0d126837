"""# TCV003 no-gpu-in-container

## What it finds
Models that need a GPU, in a container that gets none: `docker run` without `--gpus`, a Compose service without a
device, a pod without `nvidia.com/gpu`, or a `CUDA_VISIBLE_DEVICES` that names none. Models that need one have an
instance group of `KIND_GPU`, or are TensorRT's; on 22.11 to 23.04 also Python models without `instance_group`.

Where nothing asks for GPUs this is a warning: an engine whose default runtime is NVIDIA's hands them out unasked. Where
it is written that there are none it is an error. Nothing is said where options are not known, as in `docker run $OPTS`.

## Why it matters
The server starts without GPU and refuses the models of `KIND_GPU`. A model without `kind` goes to the CPU without a
word, and is many times slower there.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    deploy:
      resources:
        reservations:
          devices: [{ driver: nvidia, count: 1, capabilities: [gpu] }]
# detector/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU }
```

## What Triton says
«instance group detector_0 of model detector has kind KIND_GPU but no GPUs are available»

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06. Measured without GPU on 22.11, 23.04, 23.07,
23.10, 24.03 and 24.10: a Python model of `KIND_GPU` is refused with that message, one without `kind` is READY;
one without `instance_group` is refused on 22.11 and 23.04, and READY on 23.07.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, Span, listing

RULE = Rule(
    code="TCV003",
    name="no-gpu-in-container",
    title="Models need a GPU, and the server's container gets none",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "launch"),
    reads=("instance_group", "backend", "platform"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)

SHOWN = 4
# They give a Python model without instance group one on GPUs, and refuse it where there is none (measured).
PYTHON_FROM, PYTHON_TO = (22, 11), (23, 4)
CURES = {
    "compose": "reserve a device: `deploy.resources.reservations.devices` with `capabilities: [gpu]`, or `gpus: all`",
    "pod": "write `nvidia.com/gpu: 1` under `resources.limits`",
    "run": "add `--gpus all` to `docker run`",
}


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if repository.gpu_count != 0:
        return
    needing = [model for model in repository.models if not model.variant and not model.broken and _needs_gpu(model)]
    if not needing:
        return
    named = launch.variable("CUDA_VISIBLE_DEVICES")
    hides = named is not None and (named.strip().lower() in ("", "none", "void") or named.strip().startswith("-"))
    hidden = "CUDA_VISIBLE_DEVICES" if hides else ""
    # The variable of NVIDIA's runtime, where that gives the GPUs.
    if not hidden and (launch.variable("NVIDIA_VISIBLE_DEVICES") or "none").strip() in ("", "none", "void"):
        hidden = "NVIDIA_VISIBLE_DEVICES" if launch.variable("NVIDIA_VISIBLE_DEVICES") is not None else ""
    asked = bool(hidden) or launch.origin("gpus") is not None
    why = f"`{hidden}` names none" if hidden else "it is given none" if asked else "nothing asks for one"
    names = listing(model.name for model in needing)
    yield RULE.finding(
        repository.place(*((f"environment:{hidden}",) if hidden else ()), "gpus", "image"),
        f"the server sees no GPU, since {why}: it refuses {names}, which need{'s' if len(needing) == 1 else ''} one",
        help="let the variable name GPUs, or leave it out" if hidden else CURES[_format(launch.source)],
        severity=Severity.ERROR if asked else Severity.WARNING,
        confidence=Confidence.HIGH if asked else Confidence.MEDIUM,
        refused=asked,
        related=[Related("needs a GPU", _place(model)) for model in needing[:SHOWN]],
    )


def _needs_gpu(model: Model) -> bool:
    """Whether it is refused without GPU: some instance group says so, or its backend has nothing else."""
    groups = model.config.instance_group
    if model.is_ensemble:
        return False
    if any(group.kind == group.KIND_GPU for group in groups):
        return True
    release = model.launch.release
    if model.backend.name == "python" and not groups and release and PYTHON_FROM <= release[:2] <= PYTHON_TO:
        return True
    return model.backend.name == "tensorrt" and not any(group.kind == group.KIND_CPU for group in groups)


def _place(model: Model) -> Span:
    for index, group in enumerate(model.config.instance_group):
        if group.kind == group.KIND_GPU:
            return model.at("instance_group", index, "kind")
    return model.at("backend") if model.config.backend else model.at("platform")


def _format(source: str) -> str:
    """What kind of file starts the server, for the help."""
    name = source.rpartition("/")[2].lower()
    if not name.endswith((".yaml", ".yml")):
        return "run"
    return "compose" if "compose" in name else "pod"
