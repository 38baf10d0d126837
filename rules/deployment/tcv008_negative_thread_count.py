"""# TCV008 negative-thread-count

## What it finds
A negative `--model-load-thread-count`.

## Why it matters
The number is stored without its sign: the server tries to make some four thousand million threads and dies before it
reads a model. It does not mean «as many as there are cores».

## Bad
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=-1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing: the process is aborted (signal 6, exit code 134 in Docker).

## Evidence
core `model_lifecycle.h`, 22.07 to 26.08: the count is an unsigned number. Measured: the servers of 22.11, 23.04, 23.07,
23.10, 24.03 and 24.10 abort with `--model-load-thread-count=-1`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV008",
    name="negative-thread-count",
    title="A negative number of load threads ends the server",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    since=(22, 7),
    evidence=("core src/model_repository_manager/model_lifecycle.h, 22.07-26.08", "measured on 22.11-24.10: signal 6"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    count = repository.launch.number("model-load-thread-count", 0)
    if count >= 0:
        return
    yield RULE.finding(
        repository.place("flag:model-load-thread-count"),
        f"`--model-load-thread-count={count}` is read as {2**32 + count} threads; the server is aborted before it "
        "loads a model",
        help="write 1 to load one model after the other, or leave the flag out for the default of 4",
    )
