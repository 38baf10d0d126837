"""# TCV024 host-port-clash

## What it finds
A port of the host that the Triton service and another service of the same Compose file both publish: surely a fault on
the same address, likely one where only one of them names an address, since the other takes them all.

## Why it matters
Whichever starts second does not start. Port 8000 is a favourite of many web servers.

## Bad
```
# compose.yaml
services:
  api:
    image: my/api
    ports: ["8000:80"]
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    ports: ["8000:8000"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# compose.yaml
services:
  api:
    image: my/api
    ports: ["8080:80"]
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    ports: ["8000:8000"]
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing. Docker: «Bind for 0.0.0.0:8000 failed: port is already allocated».

## Evidence
moby `libnetwork/portallocator/portallocator.go`, 20.10 to 28.2: one binding for each address, port and protocol; the
message stands so in the daemon's program, read in 20.10.24. What two bindings of which only one names its address come
to is the kernel's to say (`EADDRINUSE`, bind(2)) and was not tried: medium confidence.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCV024",
    name="host-port-clash",
    title="Two services of a file publish the same port of the host",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    evidence=("moby libnetwork/portallocator/portallocator.go, 20.10-28.2; its message in dockerd 20.10.24",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each port."""
    for port, service, span, same_address in repository.launch.clashes:
        yield RULE.finding(
            repository.place(f"port:{port.container}"),
            f"port {port.host} of the host is published by the service `{service}` too; one of the two does not start",
            help="give one of them another port of the host",
            confidence=Confidence.HIGH if same_address else Confidence.MEDIUM,
            related=[Related(f"`{service}` publishes it here", span)],
        )
