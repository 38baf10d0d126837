"""# TCV020 listener-port-clash

## What it finds
Two of the server's endpoints (HTTP 8000, gRPC 8001, metrics 8002 by default) on the same port and address.

## Why it matters
The server does not start. Up to 22.03 it does not look: it may start without a word, and which endpoint a client gets
is not known.

## Bad
```
# --launch "tritonserver --model-repository=/models --http-port=8001"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --http-port=9000"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«The server cannot listen to HTTP requests and GRPC requests at the same address and port 0.0.0.0:8001», behind its
usage.

## Evidence
server `command_line_parser.cc`, `CheckPortCollision`, 22.11 to 24.10; server#4071, which added the check, for 22.04.
Measured on the servers of 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10.
"""

from collections.abc import Iterator
from itertools import combinations

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV020",
    name="listener-port-clash",
    title="Two endpoints of the server on one port",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc CheckPortCollision, 22.11-24.10", "measured on 22.11-24.10"),
)

ENDPOINTS = (("HTTP", "http", 8000), ("gRPC", "grpc", 8001), ("metrics", "metrics", 8002))
EVERYWHERE = "0.0.0.0"
CHECKED_SINCE = (22, 4)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each pair; needs the whole command line."""
    launch = repository.launch
    if not launch.flags_known:
        return
    listening = []
    for shown, name, default in ENDPOINTS:
        port = launch.last(f"{name}-port", str(default))
        if launch.switch(f"allow-{name}", True) and port.isdigit() and port != "0":
            address = launch.last(f"{name}-address")
            if name == "metrics":
                address = address or launch.last("http-address")
            listening.append((shown, f"{name}-port", int(port), address or EVERYWHERE))
    for one, other in combinations(listening, 2):
        if one[2] != other[2] or (one[3] != other[3] and EVERYWHERE not in (one[3], other[3])):
            continue
        keys = [f"flag:{name}" for _, name, _, _ in (other, one) if launch.all(name)]
        old = launch.release is not None and launch.release[:2] < CHECKED_SINCE
        end = "and up to 22.03 the server may start so without a word" if old else "so the server does not start"
        yield RULE.finding(
            repository.place(*keys, "command"),
            f"{one[0]} and {other[0]} are both to listen on port {one[2]}, {end}",
            help=f"give one of them another port: `--{one[1]}` or `--{other[1]}`",
            refused=not old,
        )
