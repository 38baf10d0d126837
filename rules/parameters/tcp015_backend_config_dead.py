"""# TCP015 backend-config-dead

## What it finds
A key of `--backend-config` that its backend does not read, and a backend under a name that it does not have: `onnx`,
`trt`.

## Why it matters
Nothing is said: the setting is taken, shown in the log's table, and does nothing.
`--backend-config=python,shm-size=…` is a favourite; it is `shm-default-byte-size`.

## Bad
```
# --launch "tritonserver --model-repository=/models --backend-config=python,shm-size=67108864"
# tokenizer/config.pbtxt
backend: "python"
```

## Good
```
# --launch "tritonserver --model-repository=/models --backend-config=python,shm-default-byte-size=67108864"
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
Nothing; the table of backends in the log shows the key.

## Evidence
python_backend `python_be.cc`, tensorrt_backend `tensorrt.cc`, onnxruntime_backend `onnxruntime.cc`, 22.11 to 26.06: the
options that each reads. Measured: the Python backend of 22.11 and 24.10 starts with a key that it does not know. Other
backends are not judged. Report of a user: server issue 4869.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCP015",
    name="backend-config-dead",
    title="A key of `--backend-config` that no backend reads",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    since=(20, 8),
    evidence=("python_be.cc, tensorrt.cc, onnxruntime.cc, 22.11-26.06", "measured on 22.11 and 24.10"),
)

# What the core passes to every backend, and takes for all of them.
COMMON = ("default-max-batch-size", "auto-complete-config", "backend-directory", "min-compute-capability")
READ = {
    "python": (
        *("shm-default-byte-size", "shm-growth-byte-size", "shm_message_queue_size", "shm-region-prefix-name"),
        *("stub-timeout-seconds", "thread-pool-size"),
    ),
    "tensorrt": ("coalesce-request-input", "plugins", "execution-policy", "version-compatible"),
    "onnxruntime": ("enable-global-threadpool", "intra_op_thread_count", "inter_op_thread_count"),
}
MEANT = {
    "onnx": "onnxruntime",
    "ort": "onnxruntime",
    "onnxruntime_onnx": "onnxruntime",
    "trt": "tensorrt",
    "tensorrt_plan": "tensorrt",
    "torch": "pytorch",
    "libtorch": "pytorch",
    "pytorch_libtorch": "pytorch",
    "tf": "tensorflow",
}


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each key."""
    for value in repository.launch.all("backend-config"):
        named = re.match(r"([\w-]+),([\w.-]+)=", value)
        if not named:
            continue
        backend, key = named.groups()
        place = repository.place("flag:backend-config")
        if backend in MEANT:
            yield RULE.finding(
                place,
                f"`--backend-config={backend},…` is for a backend of the name `{backend}`, so `{key}` does nothing",
                help=f"write `--backend-config={MEANT[backend]},{key}=…`",
            )
        elif backend in READ and key not in READ[backend] and key not in COMMON:
            near = like(key, READ[backend])
            yield RULE.finding(
                place,
                f"the {backend} backend reads no `{key}` from `--backend-config`, so it does nothing",
                help=f"did you mean `{near}`?"
                if near
                else f"it reads {', '.join(f'`{one}`' for one in READ[backend])}",
                confidence=Confidence.HIGH if near else None,
            )


def like(key: str, names: tuple[str, ...]) -> str:
    """The key that is written almost so, or that has all words of this one; "" if none is."""
    words = set(re.split("[-_]", key.lower()))
    for name in names:
        others = set(re.split("[-_]", name))
        if words <= others or len(words & others) * 2 > len(others):
            return name
    return ""
