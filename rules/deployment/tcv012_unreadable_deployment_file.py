"""# TCV012 unreadable-deployment-file

## What it finds
A file near the repository that starts a Triton server, or one given by `--deployment`, that cannot be read or is wrong
by itself: no YAML, a key that stands twice, services that extend each other in a circle, a file that is not there.

## Why it matters
`docker compose up` refuses such a file. And what it says of the server (image, flags, GPUs, shared memory) is not known
here, so findings that depend on it are missing or less sure.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    image: nvcr.io/nvidia/tritonserver:24.06-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing: it is not started.

## Evidence
YAML 1.2.2, section 3.2.1.3: the keys of a mapping are unique. compose-go `loader/extends.go` and `loader/include.go`,
2.0 to 2.9: circles are refused. That a file of 50 MB, or one whose aliases unfold without end, ends with this finding
within a second is measured by this project's tests.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV012",
    name="unreadable-deployment-file",
    title="A file that starts the server cannot be read, or is wrong by itself",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("compose-go loader, 2.0-2.9; YAML 1.2.2", "measured: hostile files, tests/deployment/test_compose.py"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each fault."""
    for fault in repository.faults:
        yield RULE.finding(fault.span, fault.message, help=fault.help)
