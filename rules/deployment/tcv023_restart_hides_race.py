"""# TCV023 restart-hides-race

## What it finds
A restart policy (`restart: always`, `unless-stopped`, `on-failure`; the one of Kubernetes, which restarts by default)
around a server whose models race while they load (TCG001), and that ends when a model failed (`--exit-on-error`, on by
default).

## Why it matters
The server is started again until a start happens to win. Nobody sees the failures, only starts that sometimes take
long; and the start that «won» may have lost CUDA graphs, whose models are READY without them.

## Bad
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.10-py3
    command: tritonserver --model-repository=/models
    volumes: [".:/models"]
    restart: always
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## Good
```
# compose.yaml
services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.10-py3
    command: tritonserver --model-repository=/models --model-load-thread-count=1
    volumes: [".:/models"]
    restart: always
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## What Triton says
«error: creating server: Internal - failed to load all models», exit code 1; then the log begins again.

## Evidence
server `main.cc`, 22.11 to 26.08: a failed start exits with 1. Measured on an H200 (24.10 core): 10 to 20 of 20 starts
with racing models fail, and the others come up with lost graphs.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV023",
    name="restart-hides-race",
    title="A restart policy starts the server until the load race is won",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs",),
    since=(23, 4),
    evidence=("server src/main.cc, 22.11-26.08", "measured: failed starts and lost graphs, H200"),
)

NEVER = ("", "no", "none", "never")
RELATED = 4


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if launch.restart.lower() in NEVER or not launch.flags_known or not launch.switch("exit-on-error", True):
        return
    capturers = [race.capturer.model for race in repository.start_races if race.sure]
    if not capturers:
        return
    shown = capturers[:RELATED]
    yield RULE.finding(
        repository.place("restart", "service"),
        f"`{launch.restart}` restarts the server until {listing(one.name for one in capturers)} "
        f"{'happens' if len(capturers) == 1 else 'happen'} to load beside the others: the failed starts of the load "
        "race stay unseen, and a start that comes up may have lost CUDA graphs",
        help="start the server with `--model-load-thread-count=1`; the restart policy may stay",
        related=[Related("captures while others load", one.at("optimization", "cuda", "graphs")) for one in shown],
    )
