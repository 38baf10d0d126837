"""# TCV052 no-drain

## What it finds
A pod of a Deployment, StatefulSet or DaemonSet with a readiness probe, whose container has no `preStop` hook. Said once
a file.

## Why it matters
When Kubernetes replaces a pod, it sends SIGTERM and takes the pod out of the Service at the same time. For some seconds
requests still arrive, while the server unloads its models already: they are answered with an error. A hook that sleeps
that long lets them finish.

## Bad
```
# pod.yaml
apiVersion: apps/v1
kind: Deployment
metadata: { name: triton }
spec:
  selector: { matchLabels: { app: triton } }
  template:
    metadata: { labels: { app: triton } }
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
apiVersion: apps/v1
kind: Deployment
metadata: { name: triton }
spec:
  selector: { matchLabels: { app: triton } }
  template:
    metadata: { labels: { app: triton } }
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
Report server#6939, where the reporter finds this cause. Measured on the servers of 22.11 and 24.10, stopped by a
signal: the models are unloaded at once when no request is in flight. No pod was replaced here.
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
    once=True,
    evidence=("measured on 22.11 and 24.10: models are unloaded at once", "server#6939"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch; a file that starts several is told once."""
    launch = repository.launch
    if launch.drains is not False or launch.probe("readiness") is None:
        return
    yield RULE.finding(
        repository.place("probe:readiness"),
        "without a `preStop` hook, requests may still arrive while the server of a replaced pod unloads its models",
        help='add `lifecycle: { preStop: { exec: { command: [sleep, "15"] } } }`, and a grace period that is longer',
    )
