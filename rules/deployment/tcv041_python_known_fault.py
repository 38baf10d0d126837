"""# TCV041 python-known-fault

## What it finds
A release with a fault of the Python backend that was reported in public, where the set-up has what the fault needs. The
release is known by `--triton`, `--image` or the deployment file.

- up to 22.12: Python models with `--log-verbose`; the start can stand still, since the stub's parent logs between fork
  and exec (server#5211).
- 22.12 to 23.11: Python models in poll mode; when one fails to load, nothing is polled any more (server#6710, #6534).
- 23.03 and 23.04: several instances of Python models on a slow machine; a stub is declared dead before it could answer
  (python_backend#238).
- up to 25.07: a Python model that fails in `initialize` can hang the start, and no probe ends it (python_backend#408).
- 24.06 to 25.11: a stub that dies is not started again, and a readiness probe does not see it (server#8604, #7347).

## Why it matters
Such faults look like faults of one's own set-up, and come and go.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=poll"
# --triton 23.06
# tokenizer/config.pbtxt
backend: "python"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=poll"
# --triton 24.05
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
What is quoted above; nothing in the other cases.

## Evidence
The reports named, and where a maintainer or the history of the code gives the cause: python_backend #204 (log call
before the fork), #408 (wait without end); server#6534 (reproduced). Cases without a known cause
have low confidence. None was measured here.
"""

from collections.abc import Iterator

from tritoncheck.known_faults import FIRST, Known, Met, findings, served
from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV041",
    name="python-known-fault",
    title="A fault of this release that Python models meet",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch", "repository"),
    evidence=(
        "python_backend #204, #408: history of the stub, 22.12-25.08",
        "public reports of server and python_backend, 2023-2026",
    ),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Every fault of the release that is met."""
    yield from findings(RULE, KNOWN, repository)


def _python_logged(repository: Repository) -> Met | None:
    models = served(repository, "python")
    if not models or repository.launch.number("log-verbose", 0) < 1:
        return None
    return Met(repository.place("flag:log-verbose"), models)


def _python_polled(repository: Repository) -> Met | None:
    models = served(repository, "python")
    if not models or repository.launch.control_mode != "poll":
        return None
    return Met(repository.place("flag:model-control-mode"), models)


def _many_stubs(repository: Repository) -> Met | None:
    models = served(repository, "python")
    return Met(repository.place("image"), models) if sum(one.least_instances for one in models) >= MANY else None


def _unended(repository: Repository) -> Met | None:
    """Python models in a pod, and probes of which none ends the server. Docker's health check never does, and there is
    no other: what cannot be had is not asked for."""
    models, launch = served(repository, "python"), repository.launch
    probes = [one for one in launch.probes if one.kind != "healthcheck"]
    if not models or not probes or any(one.kills for one in probes):
        return None
    return Met(repository.place(f"probe:{probes[0].kind}"), models)


def _asked_ready(repository: Repository) -> Met | None:
    models = served(repository, "python")
    for probe in repository.launch.probes:
        asks = "/v2/health/" in " ".join((probe.path, *probe.command))
        if (
            models
            and asks
            and (probe.kind in ("liveness", "readiness") or (probe.kind == "healthcheck" and probe.kills))
        ):
            return Met(repository.place(f"probe:{probe.kind}"), models)
    return None


MANY = 4  # the report speaks of many instances; with fewer there is nothing to be said


KNOWN = (
    Known(
        FIRST,
        (22, 12),
        _python_logged,
        "up to 22.12 a start of {models} can stand still while the server logs much (server#5211)",
        "leave `--log-verbose` out, or use 23.01 or later",
    ),
    Known(
        (22, 12),
        (23, 11),
        _python_polled,
        "when one of {models} fails to load, Triton {release} stops to poll the repository (server#6710)",
        "use explicit mode, or a later release",
    ),
    Known(
        (23, 3),
        (23, 4),
        _many_stubs,
        "Triton {release} may take a stub of {models} for dead that is only slow to start (python_backend#238)",
        "use 23.05 or later where the machine is slow or busy at the start",
        Severity.INFO,
        Confidence.LOW,
    ),
    Known(
        FIRST,
        (25, 7),
        _unended,
        "up to 25.07 a start can hang for ever when {models} fails in `initialize`, and no probe here would end it"
        " (python_backend#408)",
        "add a start-up probe with the time that a good start takes, or use 25.08 or later",
        Severity.INFO,
    ),
    Known(
        (24, 6),
        (25, 11),
        _asked_ready,
        "Triton {release} does not start a dead stub of {models} again, and still answers this probe (server#8604)",
        "probe with an inference, or watch the log for `Stub process is not healthy`",
        Severity.INFO,
    ),
)
