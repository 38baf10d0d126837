"""# TCF006 cpu-threads

## What it finds
ONNX and OpenVINO models on the CPU whose instances are given more threads, all together, than there are CPUs. How many
there are tells the deployment file (`cpus`, `cpuset`, a limit of `cpu`, `--cpus`), or this machine with `--host`. Only
thread counts that are written down are added up.

## Why it matters
When several instances work at once, their threads take turns on the same CPUs: each request gets slower, and the
slowest ones most. In a container with a limit the kernel also stops all threads until the next period begins.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    cpus: 4
# ranker/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 4 }
parameters { key: "intra_op_thread_count" value { string_value: "4" } }
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    cpus: 4
# ranker/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 4 }
parameters { key: "intra_op_thread_count" value { string_value: "1" } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `src/onnxruntime.cc`, read in the branch of 26.03, and openvino_backend, read in the newest one: the
parameters, and that ONNX Runtime's global pool (`enable-global-threadpool`) leaves its own unread. That the instances
of an OpenVINO model have threads of their own is not known, so those count once. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, Span, listing

RULE = Rule(
    code="TCF006",
    name="cpu-threads",
    title="Instances on the CPU have more threads than there are CPUs",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch", "host"),
    reads=("instance_group", "parameters"),
    evidence=(
        "onnxruntime_backend src/onnxruntime.cc intra_op_thread_count, 26.03",
        "openvino_backend INFERENCE_NUM_THREADS",
    ),
)

COUNTS = {"onnxruntime": "intra_op_thread_count", "openvino": "INFERENCE_NUM_THREADS"}
COUNTED_ONCE = frozenset(("openvino",))  # whether its instances have threads of their own is not known
DEFAULT_INSTANCES = {"onnxruntime": 2}  # core `model_config_utils.cc` SetDefaultInstanceCount, for KIND_CPU
RELATED = 5


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    host = float(launch.host.cores) if launch.host is not None and launch.host.cores else None
    known = [one for one in (launch.cpus, host) if one]
    if not known:
        return
    threads = {}
    for model in repository.served.values():
        if not model.broken and (count := _threads(model)):
            threads[model.name] = count
    total = sum(threads.values())
    if total <= min(known):
        return
    models = [repository.served[name] for name in threads]
    yield RULE.finding(
        repository.place("cpus") if launch.cpus else _place(models[0]),
        f"the instances of {listing(threads, len(threads))} have {total} threads, and the server may use "
        f"{min(known):g} CPU{'s' if min(known) != 1 else ''}",
        help="give each instance fewer threads, or make fewer instances; measure with requests on all models at once",
        related=[Related(f"{threads[one.name]} of them", _place(one)) for one in models[:RELATED]],
    )


def _threads(model: Model) -> int:
    """The threads of all instances on the CPU; 0 where they are not written down, or not read."""
    key = COUNTS.get(model.backend.name, "")
    if not key or key not in model.config.parameters:
        return 0
    if any("enable-global-threadpool" in value for value in model.launch.all("backend-config")):
        return 0
    text = model.config.parameters[key].string_value
    if not text.isdecimal() or len(text) > 4:
        return 0
    count = _instances(model)
    return int(text) * (min(1, count) if model.backend.name in COUNTED_ONCE else count) * max(1, len(model.loaded))


def _instances(model: Model) -> int:
    default = DEFAULT_INSTANCES.get(model.backend.name, 1)
    if not model.config.instance_group:
        return 1 if model.backend.name == "openvino" else 0  # an ONNX model may go to the GPU
    groups = (group for group in model.config.instance_group if group.kind == group.KIND_CPU)
    return sum(group.count if group.count > 0 else default for group in groups)


def _place(model: Model) -> Span:
    return model.value_at("parameters", COUNTS[model.backend.name], "value", "string_value")
