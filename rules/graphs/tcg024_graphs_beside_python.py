"""# TCG024 graphs-beside-python

## What it finds
A TensorRT model with `optimization { cuda { graphs: true } }` among models that it cannot hit while it loads: they run
in processes of their own (python, vllm) or on the CPU (openvino, `KIND_CPU`). It says so, and what would change it.

## Why it matters
There is no load race here, and TCG001 is silent with reason. A second model on the GPU inside the server's process,
graphs or not, would make the start a lottery, and nothing in that model's configuration would show it.

## Bad
```
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# tokenize/config.pbtxt
backend: "python"
max_batch_size: 4
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# tokenize/config.pbtxt
backend: "python"
max_batch_size: 4
```

## What Triton says
Nothing.

## Evidence
python_backend `stub_launcher.cc`, 20.12 to 26.08: a process for each instance; measured on an H200: one graph model
alone failed in 0 of 20 starts, beside one model without graphs in 10 of 40.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG024",
    name="graphs-beside-python",
    title="A model captures CUDA graphs, and no other model can be hit by it",
    severity=Severity.INFO,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs", "backend", "platform", "instance_group"),
    since=(23, 4),
    evidence=(
        "python_backend src/stub_launcher.cc, 20.12-26.08",
        "measured: 0 of 20 starts fail with one graph model alone, H200",
    ),
)

OWN_PROCESS = ("python", "vllm")
ON_THE_CPU = ("tensorrt", "onnxruntime", "pytorch", "tensorflow", "openvino")


def check(repository: Repository) -> Iterator[Finding]:
    """One finding, where one model captures and every other is known to be out of its reach."""
    parties = repository.gpu_parties
    if len(parties) != 1 or not parties[0].captures or repository.launch.serial or repository.races:
        return
    model = parties[0].model
    others = [one for one in repository.models if one is not model and not one.variant and not one.is_ensemble]
    if not others or not all(out_of_reach(one) for one in others):
        return
    where = "in a process of its own" if len(others) == 1 else "in processes of their own"
    yield RULE.finding(
        model.at("optimization", "cuda", "graphs"),
        f"`{model.name}` captures CUDA graphs while it loads, and no other model here can be hit: "
        f"{listing(one.name for one in others)} {'runs' if len(others) == 1 else 'run'} {where} or on the CPU",
        help="keep it so, or start the server with `--model-load-thread-count=1`: one more TensorRT, ONNX Runtime or "
        "PyTorch model on this GPU, with graphs or without, makes the start a lottery (TCG001)",
        model=model.name,
    )


def out_of_reach(model: Model) -> bool:
    """Whether a model that is no party is known to be none: its backend is known, and nothing is hidden."""
    if model.broken and any(model.unknown(field) for field in ("backend", "platform", "instance_group")):
        return False
    return model.backend.name in OWN_PROCESS or model.backend.name in ON_THE_CPU
