"""# TCV043 idle-load-threads

## What it finds
A `--model-load-thread-count` that is larger than the number of models and versions to load, where some model has
several instances that its backend makes one after the other.

## Why it matters
The threads load versions of models, one each. Instances of one model are no work for them: however many threads there
are, TensorRT, PyTorch and OpenVINO make them one by one, and up to 23.07 so do Python and ONNX Runtime. The start does
not get faster.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=10"
# --triton 22.12
# tokenizer/config.pbtxt
backend: "python"
instance_group { count: 10 kind: KIND_CPU }
```

## Good
```
# --launch "tritonserver --model-repository=/models"
# --triton 24.05
# tokenizer/config.pbtxt
backend: "python"
instance_group { count: 10 kind: KIND_CPU }
```

## What Triton says
Nothing.

## Evidence
Measured with four instances of a Python model that take 2 s each, and 10 threads: ready after 14 s on 22.11 and 12 s on
23.07, after 5 s on 23.10 and 24.10. Core `backend_model.cc` `PrepareInstances`, read in the branches up to 26.06: one
after the other unless the backend announces more, which TensorRT, PyTorch and OpenVINO do not. core #235,
python_backend #284 and onnxruntime_backend #208 (about 23.08). Report server#5342.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV043",
    name="idle-load-threads",
    title="More load threads than there are models to load",
    severity=Severity.INFO,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("instance_group", "version_policy"),
    since=(22, 7),
    evidence=("measured on 22.11-24.10 for Python", "core src/backend_model.cc PrepareInstances, 26.06", "server#5342"),
)

ALWAYS = frozenset(("tensorrt", "pytorch", "openvino"))
UNTIL_23_07 = frozenset(("python", "onnxruntime"))


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    threads = launch.load_threads
    if not launch.all("model-load-thread-count") or threads is None or len(launch.all("model-repository")) > 1:
        return
    models = [one for one in repository.served.values() if not one.is_ensemble and not one.broken]
    loads = sum(max(1, len(one.loaded)) for one in models)
    slow = [one for one in models if one.least_instances > 1 and _one_by_one(one)]
    if threads <= loads or threads > 2**31 or not slow:
        return
    one = slow[0]
    yield RULE.finding(
        repository.place("flag:model-load-thread-count"),
        f"{threads} threads are to load {loads} version{'s' if loads > 1 else ''} of models; the instances of "
        f"`{one.name}` are made one after the other all the same",
        help="the flag counts models and their versions; nothing makes instances of this backend faster"
        if one.backend.name in ALWAYS
        else "from 23.08 on the instances of Python and ONNX models are made in parallel",
        related=[Related("made one after the other", one.at("instance_group"))],
    )


def _one_by_one(model: Model) -> bool:
    release = model.launch.release
    old = release is not None and release[:2] <= (23, 7)
    return model.backend.name in ALWAYS or (old and model.backend.name in UNTIL_23_07)
