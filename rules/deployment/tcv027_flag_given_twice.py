"""# TCV027 flag-given-twice

## What it finds
A flag that counts once, given twice with different values.

## Why it matters
The last one counts, without a word. A `--model-load-thread-count=1` in front of another is no cure for anything.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1 --model-load-thread-count=4"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing; the options table of the log shows the last value.

## Evidence
server `command_line_parser.cc`, `Parse`, 22.11 to 24.10: each occurrence overwrites the value. Measured on 22.11 to
24.10: `--model-control-mode explicit --model-control-mode=none` starts, and loads all.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV027",
    name="flag-given-twice",
    title="A flag that counts once is given twice",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("server src/command_line_parser.cc Parse, 22.11-24.10", "measured on 22.11-24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each such flag."""
    launch = repository.launch
    for name in dict.fromkeys(launch.single_flags):
        values = launch.all(name)
        if len(set(values)) < 2:
            continue
        yield RULE.finding(
            repository.place(f"flag:{name}"),
            f"`--{name}` is given {'twice' if len(values) == 2 else f'{len(values)} times'}: `{values[-1]}` counts, "
            f"`{values[0]}` does not",
            help="keep one of them",
        )
