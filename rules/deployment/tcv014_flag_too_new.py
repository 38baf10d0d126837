"""# TCV014 flag-too-new

## What it finds
A flag that the release of the image does not have yet.

## Why it matters
The server prints its usage and exits with 1. It happens where an image is taken back to an older release, or a command
is copied from a newer one.

## Bad
```
# --triton 22.05
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --triton 22.07
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«tritonserver: unrecognized option '--model-load-thread-count=1'», and its usage.

## Evidence
server `command_line_parser.cc` and `main.cc`, 22.05 to 26.04; for flags of which only the neighbouring releases are
known the last one that was measured to lack it. Measured on 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity, release_tag

RULE = Rule(
    code="TCV014",
    name="flag-too-new",
    title="A flag that the image's release does not have yet",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc, 22.05-26.04", "measured on 22.11-24.10: usage, exit code 1"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each flag."""
    release = repository.launch.release
    for one in repository.launch.complaints:
        if one.kind != "too-new" or release is None:
            continue
        yield RULE.finding(
            repository.place(f"flag:{one.flag}"),
            f"the server of {release_tag(release)} has no `--{one.flag}` and does not start; {one.form} has it",
            help=f"take the flag out, or use an image of {one.form} or later",
        )
