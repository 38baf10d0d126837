"""# TCV013 unknown-flag

## What it finds
A flag that `tritonserver` does not have: a slip, `_` for `-`, a single dash or a typeset one (`–`), a flag and its
value in one item of a list, or a beginning that several flags share. An unambiguous beginning
(`--model-load-thread=1`) is fine.

## Why it matters
The server prints its usage and exits with 1 before it looks at a model.

## Bad
```
# --launch "tritonserver --model-repository=/models --model_load_thread_count=1"
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
«tritonserver: unrecognized option '--model_load_thread_count=1'», and its usage. For a single dash «invalid option --
'm'», for a beginning «option '--model-load=1' is ambiguous; possibilities: …».

## Evidence
Measured on the servers of 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10, whose `--help` lists all flags; the server reads
them with `getopt_long` (server `command_line_parser.cc`, 22.11 to 26.08). Flags that came after 24.10 are not all known
here: a name that is like no other is a warning there.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV013",
    name="unknown-flag",
    title="A flag that the server does not have",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc, 22.11-26.08", "measured on 22.11-24.10: usage, exit code 1"),
)

FIRST_LISTED, LAST_LISTED = (22, 11), (24, 10)  # of these releases every flag is known


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each flag."""
    release = repository.launch.release
    listed = release is not None and FIRST_LISTED <= release[:2] <= LAST_LISTED
    for one in repository.launch.complaints:
        place = repository.place(f"flag:{one.flag}", "command")
        names = listing((f"--{name}" for name in one.names), most=4)
        if one.kind == "typeset":
            meant = f"--{one.names[0] if len(one.names) == 1 else one.shown}"
            yield RULE.finding(
                repository.place(*_typeset(repository, one.flag), "command"),
                f"the dash before `{one.shown}` is a typeset one such as `–`, as copied text has it: the server sees "
                "no flag here and refuses the word",
                help=f"write `{meant}` with two hyphens of the keyboard",
            )
        elif one.kind == "joined":
            keys = [key for key in repository.launch.origins if key.startswith(f"flag:{one.flag} ")]
            yield RULE.finding(
                repository.place(*keys, "command"),
                f"`--{one.flag}` and `{one.shown_value}` are one word here, with a space, and no flag is called so",
                help=f"write `--{one.flag}={one.shown_value}`, or make it two items of the list",
            )
        elif one.kind == "dash":
            yield RULE.finding(
                place,
                f"`-{one.shown}` has one dash, so the server reads its letters as short options and prints its usage",
                help=f"write {names}" if len(one.names) == 1 else f"write `--{one.shown}`, if that is a flag",
            )
        elif one.kind == "ambiguous":
            yield RULE.finding(
                place,
                f"`--{one.shown}` may be {listing((f'--{name}' for name in one.names), most=8)}; the server prints its "
                "usage and exits",
                help="write the whole name",
            )
        elif one.kind == "unknown":
            slip = bool(one.names) and one.flag.lower().replace("_", "-") in one.names
            sure = listed or slip
            known = "is no flag of `tritonserver`, which prints its usage and exits"
            yield RULE.finding(
                place,
                f"`--{one.shown}` {known if sure else 'is no flag of `tritonserver` up to 24.10'}",
                help=f"did you mean {names}?" if names else "take it out, or look it up in `tritonserver --help`",
                severity=Severity.ERROR if sure or one.names else Severity.WARNING,
                confidence=Confidence.HIGH if sure else Confidence.MEDIUM if one.names else Confidence.LOW,
                refused=sure or bool(one.names),
            )


def _typeset(repository: Repository, name: str) -> list[str]:
    """The keys under which the word with such a dash may have its place: a flag, or a word of none."""
    kept = [key for key in repository.launch.origins if key.startswith(("word:", "flag:")) and name in key]
    return [key for key in kept if not key[len("word:") :][:1].isascii()]
