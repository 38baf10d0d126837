"""# TCV026 probe-wrong-port

## What it finds
A probe that asks `/v2/health/…` on a port on which the server does not answer HTTP, since `--http-port` says another.

## Why it matters
The probe never succeeds: the container is never ready, or is restarted without end.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models --http-port=9000
    volumes: [".:/models"]
    healthcheck:
      test: curl -f http://localhost:8000/v2/health/ready
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models --http-port=9000
    volumes: [".:/models"]
    healthcheck:
      test: curl -f http://localhost:9000/v2/health/ready
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing; the probe gets «connection refused».

## Evidence
server `http_server.cc` and `command_line_parser.cc`, 22.11 to 26.08: `/v2/health/live` and `/v2/health/ready` are
answered on the HTTP port, 8000 unless `--http-port` says another; the metrics port answers `/metrics` only.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV026",
    name="probe-wrong-port",
    title="A probe asks for health on a port that does not answer it",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("server src/http_server.cc and command_line_parser.cc, 22.11-26.08",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each probe; needs the whole command line."""
    launch = repository.launch
    port = launch.last("http-port", "8000")
    if not launch.flags_known or not port.isdigit():
        return
    vertex = launch.switch("allow-vertex-ai", False) or launch.switch("allow-sagemaker", False)
    for probe in launch.probes:
        if not probe.path.startswith("/v2/health") or probe.port is None or vertex:
            continue
        off = not launch.switch("allow-http", True)
        if not off and probe.port == int(port):
            continue
        why = "`--allow-http=false` switches HTTP off" if off else f"the server answers HTTP on port {port}"
        yield RULE.finding(
            repository.place(f"probe:{probe.kind}"),
            f"the {probe.kind} probe asks for `{probe.path}` on port {probe.port}, but {why}",
            help="let HTTP on, or ask over gRPC" if off else f"ask on port {port}",
        )
