"""# TCV028 readiness-asks-live

## What it finds
A readiness probe that asks `/v2/health/live`, of a server that answers there although models did not load
(`--exit-on-error=false`).

## Why it matters
`/v2/health/live` says that the process answers, nothing of models. The pod gets requests for a model that did not load,
and they fail. `/v2/health/ready` says no as long as one of the models is not ready (`--strict-readiness`, on by
default); `/v2/models/NAME/ready` asks for one. To serve the rest without the failed model may be what is meant: then
nothing needs to change.

With `--exit-on-error` on, as it is by default, both say the same after the start: a failed model ends the server.

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
      args: [tritonserver, --model-repository=/models, --exit-on-error=false]
      readinessProbe:
        httpGet: { path: /v2/health/live, port: 8000 }
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
      args: [tritonserver, --model-repository=/models, --exit-on-error=false]
      readinessProbe:
        httpGet: { path: /v2/health/ready, port: 8000 }
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
200 to `/v2/health/live`, 400 to `/v2/health/ready`.

## Evidence
core `server.cc` `IsLive` and `IsReady`, 22.11 to 26.06. Measured on real servers, 22.11, 23.04, 23.07, 23.10, 24.03 and
24.10: with `--exit-on-error=false` and one of two models that does not load, `/v2/health/live` answers 200 and
`/v2/health/ready` 400.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV028",
    name="readiness-asks-live",
    title="A readiness probe asks whether the server lives, not whether it is ready",
    severity=Severity.INFO,
    scope="repository",
    needs=("launch",),
    evidence=("core src/server.cc IsLive, IsReady, 22.11-26.06", "measured on 22.11-24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    probe = launch.probe("readiness")
    if probe is None or not probe.path.rstrip("/").endswith("/v2/health/live"):
        return
    if launch.switch("exit-on-error", True):
        return
    yield RULE.finding(
        repository.place("probe:readiness"),
        "the readiness probe asks `/v2/health/live`, which says nothing of models, and with `--exit-on-error=false` "
        "the server lives although models did not load: requests for them arrive and fail",
        help="ask `/v2/health/ready`, or `/v2/models/NAME/ready` for one model",
    )
