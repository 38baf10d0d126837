"""# TCV018 wildcard-not-alone

## What it finds
`--load-model=*` together with another `--load-model`.

## Why it matters
The server refuses to start. `*` is no pattern either: it stands for all models, and nothing else than `*` does.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=* --load-model=detector"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=*"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«error: creating server: Invalid argument - Wildcard model name '*' must be the ONLY startup model if specified at all.»

## Evidence
core `server.cc`, `Init`, 22.05 to 26.08. Measured on 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV018",
    name="wildcard-not-alone",
    title="`--load-model=*` beside another `--load-model`",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    since=(22, 5),
    evidence=("core src/server.cc Init, 22.05-26.08", "measured on 24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    others = [name for name in launch.load_models if name != "*"]
    if launch.control_mode != "explicit" or not others or len(others) == len(launch.load_models):
        return
    yield RULE.finding(
        repository.place("flag:load-model"),
        f"`--load-model=*` loads all models and must stand alone; beside `--load-model={others[0]}` the server does "
        "not start",
        help="keep `--load-model=*`, or the names",
    )
