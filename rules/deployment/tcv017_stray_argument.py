"""# TCV017 stray-argument

## What it finds
A word behind `tritonserver` that is neither a flag nor a flag's value. What was meant as a comment, inside of a text
that is all command, is one finding.

## Why it matters
The server refuses it and exits with 1. Often it is the value of a flag that takes none
(`--disable-auto-complete-config false`), a path without its flag, or two words for want of quotes.

## Bad
```
# --launch "tritonserver /models --http-port=8000"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --http-port=8000"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«Unexpected argument: /models», behind its usage.

## Evidence
server `command_line_parser.cc`, 22.11 to 24.10. Measured on the servers of 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV017",
    name="stray-argument",
    title="A word that belongs to no flag",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc, 22.11-24.10", "measured on 22.11-24.10: exit code 1"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each word; one for all of what was meant as a comment."""
    launch = repository.launch
    strays = [one for one in launch.complaints if one.kind == "stray"]
    comment = next((at for at, one in enumerate(strays) if one.flag.startswith("#")), len(strays))
    for one in strays[:comment]:
        help = "take it out"
        keys = [f"word:{one.flag}", "command"]
        if one.flag.lower() in ("true", "false", "0", "1") and launch.all("disable-auto-complete-config"):
            help = "`--disable-auto-complete-config` takes no value: write it alone, or leave it out"
            keys = ["flag:disable-auto-complete-config"]
        elif "/" in one.flag:
            help = f"write `--model-repository={one.shown}`, if that is meant"
        yield RULE.finding(
            repository.place(*keys),
            f"the word `{one.shown}` belongs to no flag, and the server refuses it",
            help=help,
        )
    if comment < len(strays):
        more = len(strays) - comment - 1
        behind = f" with the {more} words behind it" if more > 1 else " with the word behind it" if more else ""
        yield RULE.finding(
            repository.place(f"word:{strays[comment].flag}", "command"),
            f"`{strays[comment].shown}` begins no comment here: the server gets it{behind}, and refuses them"
            if more
            else f"`{strays[comment].shown}` is no comment here: the server gets it, and refuses it",
            help="take it out; a comment of the file stands outside of the command's text",
        )
