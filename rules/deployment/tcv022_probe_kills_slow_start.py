"""# TCV022 probe-kills-slow-start

## What it finds
A probe that restarts the container while its models still load: a liveness probe of Kubernetes without a start-up
probe, or a health check of Docker that a watcher such as `autoheal` acts upon, where both give up within five
minutes.

## Why it matters
The server opens its endpoints only after every model was attempted; until then each probe fails. A start that takes
longer than the probe waits is cut off and begins again, for ever. And with CUDA graphs it hides the load race: the
container is started until a start wins.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    labels: { autoheal: "true" }
    healthcheck:
      test: curl -f http://localhost:8000/v2/health/live
      interval: 10s
      retries: 3
  autoheal:
    image: willfarrell/autoheal
# detector/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    labels: { autoheal: "true" }
    healthcheck:
      test: curl -f http://localhost:8000/v2/health/live
      interval: 10s
      retries: 3
      start_period: 15m
  autoheal:
    image: willfarrell/autoheal
# detector/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## What Triton says
Nothing: while it loads, connections are refused. Kubernetes: «Liveness probe failed: … connect: connection refused»,
then «Container triton failed liveness probe, will be restarted».

## Evidence
server `main.cc`, 22.11 to 26.08: `TRITONSERVER_ServerNew` returns only after every model of the start was attempted,
then the endpoints are started. Measured on 22.11 to 24.10: connections are refused until then. Kubernetes,
documentation of probes, 1.20 to 1.34: a liveness probe is asked from the start unless there is a start-up probe.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV022",
    name="probe-kills-slow-start",
    title="A probe restarts the server while its models still load",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    evidence=("server src/main.cc, 22.11-26.08", "measured on 22.11-24.10: no endpoint until all models were tried"),
)

PATIENT = 300  # seconds; large engines take minutes to load


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the first such probe."""
    launch = repository.launch
    if launch.one_by_one and launch.flags_known:
        return  # nothing is loaded before the endpoints open
    shielded = launch.probe("startup") is not None
    for probe in launch.probes:
        patience = probe.patience
        if not probe.kills or patience is None or patience >= PATIENT or (shielded and probe.kind == "liveness"):
            continue
        models = len(repository.models)
        loaded = "the model was loaded" if models == 1 else f"all {models} models were loaded"
        what = "the health check" if probe.kind == "healthcheck" else f"the {probe.kind} probe"
        cure = {
            "liveness": "add a start-up probe with `failureThreshold` × `periodSeconds` above the longest start",
            "startup": "raise `failureThreshold` × `periodSeconds` above the longest start",
        }.get(probe.kind, "raise `start_period` above the longest start")
        yield RULE.finding(
            repository.place(f"probe:{probe.kind}"),
            f"{what} can restart the container {patience:g} s after its start, and it fails until {loaded}",
            help=cure,
        )
        return
