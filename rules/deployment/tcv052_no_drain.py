"""# TCV052 no-drain

## What it finds
A pod with a readiness probe whose container has no `preStop` hook.

## Why it matters
When Kubernetes replaces a pod, it sends SIGTERM and takes the pod out of the Service at the same time. For some seconds
requests still arrive, while the server unloads its models already: they are answered with an error. A hook that sleeps
that long lets them finish.

## Bad
```
# pod.yaml
apiVersion: v1
kind: Pod
metadata: { name: triton }
spec:
  containers:
    - name: triton
      image: nvcr.io/nvidia/tritonserver:24.05-py3
      args: [tritonserver, --model-repository=/models]
      readinessProbe: { httpGet: { path: /v2/health/ready, port: 8000 } }
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# pod.yaml
apiVersion: v1
kind: Pod
metadata: { name: triton }
spec:
  containers:
    - name: triton
      image: nvcr.io/nvidia/tritonserver:24.05-py3
      args: [tritonserver, --model-repository=/models]
      readinessProbe: { httpGet: { path: /v2/health/ready, port: 8000 } }
      lifecycle: { preStop: { exec: { command: [sleep, "15"] } } }
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«version 1 is not at ready state», behind «Waiting for in-flight requests to complete»

## Evidence
core `server.cc` `Stop`, 22.01 to 26.06: on SIGTERM the server waits for requests in flight and unloads all models at
once. server#6939, where the reporter finds this cause; Kubernetes, documentation of the termination of pods, 1.20 to
1.34.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV052",
    name="no-drain",
    title="A pod that is replaced gets requests while it unloads its models",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    scope="repository",
    needs=("launch",),
    evidence=("core src/server.cc Stop, 22.01-26.06: models are unloaded at once", "server#6939"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if launch.drains is not False or launch.probe("readiness") is None:
        return
    yield RULE.finding(
        repository.place("probe:readiness"),
        "when this pod is replaced, requests still arrive for some seconds while the server unloads its models",
        help='add `lifecycle: { preStop: { exec: { command: [sleep, "15"] } } }`, and a grace period that is longer',
    )
