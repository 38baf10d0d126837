"""# TCZ006 open-repository-api

## What it finds
A server in explicit mode whose HTTP or gRPC port others than its own host can reach, without a restriction of the model
repository API.

## Why it matters
Whoever reaches the port may load a model with files of his own (`file:` in the request): with the Python backend that
is code that runs in the server's place. Explicit mode is what opens this; in the other modes such a request is
refused.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models --model-control-mode=explicit
    ports: ["8000:8000"]
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models --model-control-mode=explicit
    ports: ["127.0.0.1:8000:8000"]
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing when it starts. To a restricted request «This API is restricted, expecting header '…'».

## Evidence
core `model_repository_manager.cc` and server `http_server.cc`, `HandleRepositoryControl`, 21.12 to 26.08: `file:`
parameters are written to a folder that is loaded as the model. `--http-restricted-api` since 23.11,
`--grpc-restricted-protocol` since 23.04; both measured on 24.03 and 24.10 in the form
`model-repository:<header>=<value>`. A firewall in front is not known here.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCZ006",
    name="open-repository-api",
    title="Anybody who reaches the port may load models of his own",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    since=(21, 12),
    evidence=("server src/http_server.cc HandleRepositoryControl, 21.12-26.08", "measured on 24.03-24.10: the flags"),
)

ENDPOINTS = (("http", "8000", "http-restricted-api", "23.11"), ("grpc", "8001", "grpc-restricted-protocol", "23.04"))


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each port; needs the whole command line."""
    launch = repository.launch
    if not launch.flags_known or launch.control_mode != "explicit":
        return
    for name, default, flag, since in ENDPOINTS:
        inside = launch.last(f"{name}-port", default)
        restricted = any("model-repository" in one.partition(":")[0] for one in launch.all(flag))
        if restricted or not launch.switch(f"allow-{name}", True) or launch.last(f"{name}-address").startswith("127."):
            continue
        for port in launch.ports:
            if str(port.container) != inside or port.host is None or not port.public or port.protocol != "tcp":
                continue
            place = launch.place("flag:model-control-mode")
            yield RULE.finding(
                repository.place(f"port:{port.container}"),
                f"port {port.host} is open to others, and in explicit mode whoever reaches it may load models of his "
                "own into the server",
                help=f"bind it to 127.0.0.1 (`127.0.0.1:{port.host}:{inside}`; on the network of the host "
                f"`--{name}-address=127.0.0.1`), or add `--{flag}=model-repository:<header>=<value>` (since {since})",
                related=[Related("explicit mode allows it", place)] if place else [],
            )
            break
