"""# TCV024 host-port-clash

## What it finds
A port of the host that the Triton service and another service of the same Compose file both publish: surely a fault on
the same address, likely one where only one of them names an address, since the other takes them all. Where one of the
two has a profile and the other has none, it is a warning: both run once that profile is on, unless somebody starts one
of them by its name.

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
to is the kernel's to say (`EADDRINUSE`, bind(2)) and was not tried: medium confidence. Services without a profile are
always started, those with one where it is on: compose-spec `05-services.md` and `15-profiles.md`.
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

CURE = "give one of them another port of the host"


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each port."""
    for port, service, span, same_address, profile in repository.launch.clashes:
        when = f"with the profile `{profile}` on, " if profile else ""
        yield RULE.finding(
            repository.place(f"port:{port.container}"),
            f"port {port.host} of the host is published by the service `{service}` too; {when}one of the two does not "
            "start",
            help="give one of them another port of the host, or each a profile of its own" if profile else CURE,
            severity=Severity.WARNING if profile else Severity.ERROR,
            confidence=Confidence.HIGH if same_address and not profile else Confidence.MEDIUM,
            related=[Related(f"`{service}` publishes it here", span)],
        )
