"""# TCV010 log-capture

## What it finds
A script that keeps only one of the server's two streams: `tritonserver … > log`, `2> log`, or a pipe without `2>&1`,
where the release is known and is 25.06 or newer.

## Why it matters
From 25.06 on lines of level INFO go to stdout, and warnings and errors to stderr; before, all went to stderr. Half of
the log is missing where it is kept, and it is the half that a search for the cause needs.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:25.09-py3
    command: bash -c "tritonserver --model-repository=/models 2> /logs/triton.log"
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:25.09-py3
    command: bash -c "tritonserver --model-repository=/models &> /logs/triton.log"
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing.

## Evidence
Triton's branches, read up to 26.08: from 25.06 on the logger writes INFO to stdout. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV010",
    name="log-capture",
    title="Half of the log is missing where it is kept",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    since=(25, 6),
    evidence=("the logger in the branches 25.06-26.08",),
)

KEPT = ("file", "pipe")


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    out, err = launch.streams
    if launch.release is None or (out in KEPT) == (err in KEPT):
        return
    lost = "warnings and errors" if out in KEPT else "lines of level INFO"
    yield RULE.finding(
        repository.place("command"),
        f"from 25.06 on {lost} go to {'stderr' if out in KEPT else 'stdout'}, which is not kept here",
        help="keep both: `> log 2>&1`, or `2>&1 | tee log`",
    )
