"""# TCV009 load-model-without-explicit

## What it finds
`--load-model` without `--model-control-mode=explicit`.

## Why it matters
Newer servers refuse to start. Older ones ignore the flag and load every model of the repository, at once.

## Bad
```
# --launch "tritonserver --model-repository=/models --load-model=detector"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=detector"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well.», and it exits with 1. Up to
24.03 nothing.

## Evidence
server `command_line_parser.cc`, 24.10. Measured: 24.10 refuses to start; 22.11, 23.04, 23.07, 23.10 and 24.03 start and
ignore the flag.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV009",
    name="load-model-without-explicit",
    title="`--load-model` without explicit mode: refused, or ignored",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc, 24.10", "measured: 24.10 refuses, 22.11-24.03 ignore it"),
)

LAST_IGNORING, FIRST_REFUSING = (24, 3), (24, 10)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    if not launch.load_models or launch.control_mode not in ("none", "poll") or not launch.flags_known:
        return
    release = launch.release
    ignored = release is not None and release[:2] <= LAST_IGNORING
    sure = ignored or release is None or release[:2] >= FIRST_REFUSING
    what = "is ignored: every model is loaded" if ignored else "is refused: the server does not start"
    yield RULE.finding(
        repository.place("flag:load-model"),
        f"`--load-model` without `--model-control-mode=explicit` {what}",
        help="add `--model-control-mode=explicit`; or leave `--load-model` out, if all models are wanted",
        severity=Severity.WARNING if ignored else Severity.ERROR,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=not ignored,
    )
