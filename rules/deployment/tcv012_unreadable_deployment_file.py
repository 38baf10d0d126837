"""# TCV012 unreadable-deployment-file

## What it finds
A file near the repository that starts a Triton server, or one given by `--deployment`, that cannot be read or is wrong
by itself: no YAML, a key that stands twice, services that extend each other in a circle, a file that is not there, a
line of no variable in a file of variables, what Docker or Kubernetes refuses, a hook that waits longer than its pod
has. Files that are larger or deeper than any that starts a server are not read either.

## Why it matters
What is wrong by itself starts no server. And what the file says of it (image, flags, GPUs, shared memory) is not known
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
YAML 1.2.2, section 3.2.1.1: the keys of a mapping are unique; section 7.1: an alias stands for a node before it.
A circle has no end that anything could be made of, whoever reads it. Lines of `--env-file` with a space in the name,
without a name or not in UTF-8 were refused by docker 20.10.24 and 28.2.2. What Kubernetes refuses: its documentation,
*Pod Lifecycle* and *Jobs* (restart policies), *Resource Management for Pods and Containers* (quantities, extended
resources), *Schedule GPUs* (limits and requests), *Container Lifecycle Hooks* (the grace period counts from before the
hook), and `pkg/apis/core/validation/validation.go`, 1.20 to 1.34. What
`CMD` and `ENTRYPOINT` make of each other: Dockerfile reference, *Understand how CMD and ENTRYPOINT interact*. Which
lines Compose takes in a file of variables, and which keys of a device exclude or need each other, is its documented
syntax, not tried here. That a file of 50 MB, or one whose
aliases unfold without end, ends with this finding is measured by this project's tests.
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
    evidence=(
        "YAML 1.2.2, 3.2.1.1 and 7.1; Kubernetes validation, 1.20-1.34",
        "measured: docker 20.10.24 and 28.2.2 with files of variables; hostile files, tests/deployment",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each fault."""
    for fault in repository.faults:
        yield RULE.finding(fault.span, fault.message, help=fault.help)
