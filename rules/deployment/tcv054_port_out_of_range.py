"""# TCV054 port-out-of-range

## What it finds
A port of an endpoint that is none: above 65535, or negative. Endpoints that are switched off are left out.

## Why it matters
The server takes the number, prints it as if it listened there, and keeps its lowest 16 bits: for 70000 it listens on
4464, for -1 on 65535. With a negative port of gRPC it does not start.

## Bad
```
# --launch "tritonserver --model-repository=/models --http-port=70000"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --http-port=7000"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«Started HTTPService at 0.0.0.0:70000», and for gRPC «failed to start GRPC service: Unavailable - Socket '0.0.0.0:-1'
already in use».

## Evidence
Measured on the servers of 22.11 and 24.10: 70000 for each of the three endpoints, -1 for HTTP and gRPC. A negative port
of the metrics was not measured; server `http_server.cc` opens it as that of HTTP.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV054",
    name="port-out-of-range",
    title="A port that no endpoint can have",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("measured on 22.11 and 24.10: 70000 is 4464, -1 is 65535, and gRPC refuses a negative one",),
)

ENDPOINTS = {"http": "HTTP", "grpc": "gRPC", "metrics": "metrics"}
PORTS = 1 << 16
READ_AS_INT = 1 << 31  # beyond it the server reads no number


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each endpoint."""
    launch = repository.launch
    for name, shown in ENDPOINTS.items():
        value = launch.last(f"{name}-port")
        if not re.fullmatch(r"-?[0-9]{1,10}", value) or not launch.switch(f"allow-{name}", True):
            continue
        port = int(value)
        if 0 <= port < PORTS or abs(port) >= READ_AS_INT:
            continue
        refused = name == "grpc" and port < 0
        so = (
            "the server does not start"
            if refused
            else f"the server listens on {port % PORTS or 'any free one'}, and prints {port}"
        )
        yield RULE.finding(
            repository.place(f"flag:{name}-port"),
            f"`--{name}-port={value}` is no port for {shown}: {so}",
            help="write a port from 1 to 65535",
            severity=Severity.ERROR if refused else Severity.WARNING,
            refused=refused,
        )
