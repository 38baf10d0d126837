"""# TCV021 published-port-unused

## What it finds
A port that the container publishes, as 8000:8000, on which the server does not listen, since its flags say another.

## Why it matters
Clients get no answer, although the server is well: nothing in its log says so.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models --http-port=9000
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
    command: tritonserver --model-repository=/models --http-port=9000
    ports: ["8000:9000"]
    volumes: [".:/models"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«Started HTTPService at 0.0.0.0:9000».

## Evidence
server `command_line_parser.cc` and `main.cc`, 22.11 to 24.10: ports 8000, 8001 and 8002 unless flags say others. Only
these three are judged: on others something else in the container may listen.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV021",
    name="published-port-unused",
    title="A published port on which the server does not listen",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("server src/command_line_parser.cc and main.cc, 22.11-24.10",),
)

ENDPOINTS = {8000: "http", 8001: "grpc", 8002: "metrics"}
# Off unless a flag switches them on. Source: server command_line_parser.cc, 22.11-24.10.
OTHERS = {"sagemaker": "8080", "vertex-ai": "8080"}


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each port; needs the whole command line."""
    launch = repository.launch
    if not launch.flags_known or not launch.ports:
        return
    on = {name: launch.switch(f"allow-{name}", True) for name in ENDPOINTS.values()}
    ports = {launch.last(f"{name}-port", str(default)) for default, name in ENDPOINTS.items() if on[name]}
    ports |= {
        launch.last(f"{other}-port", default)
        for other, default in OTHERS.items()
        if launch.switch(f"allow-{other}", False)
    }
    if not all(port.isdigit() and int(port) < 65536 for port in ports):
        return
    for port in launch.ports:
        name = ENDPOINTS.get(port.container)
        if name is None or port.protocol != "tcp":
            continue
        flag = f"{name}-port"
        off = not on[name]
        if str(port.container) in ports:
            continue
        why = f"`--allow-{name}=false` switches that endpoint off" if off else f"`--{flag}={launch.last(flag)}`"
        yield RULE.finding(
            repository.place(f"port:{port.container}"),
            f"port {port.container} of the container is published, but the server does not listen on it: {why}",
            help="take the port out" if off else f"publish {launch.last(flag)}, or take `--{flag}` out",
        )
