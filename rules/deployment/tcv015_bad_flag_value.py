"""# TCV015 bad-flag-value

## What it finds
A flag whose value the server cannot read: a word where a number is wanted, `yes` for `true`, a value that is missing, a
value for a flag that takes none, `<backend>,<key>=<value>` in another form.

## Why it matters
The server exits with 1 before it looks at a model; up to 23.07 a word for a number aborts it. A flag that lacks its
value takes the next word for it, whatever that is.

## Bad
```
# --launch "tritonserver --model-repository=/models --strict-readiness=no"
# detector/config.pbtxt
backend: "onnxruntime"
```
```
# --launch "tritonserver --model-repository=/models --exit-on-error --log-verbose=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --strict-readiness=false --exit-on-error=true --log-verbose=1"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«Bad option: "--strict-readiness". invalid value for bool option: no», behind its usage; «option '--exit-on-error'
requires an argument»; «option '--disable-auto-complete-config' doesn't allow an argument». Up to 23.07 for a number
«terminate called after throwing an instance of 'std::invalid_argument'».

## Evidence
server `command_line_parser.cc`, `ParseOption` and `ParseBoolOption`, 22.11 to 24.10. Measured on the servers of 22.11,
23.04, 23.07, 23.10, 24.03 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV015",
    name="bad-flag-value",
    title="A value that the server cannot read",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    refused=True,
    evidence=("server src/command_line_parser.cc ParseOption, 22.11-24.10", "measured on 22.11-24.10: exit code 1"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each flag."""
    for one in repository.launch.complaints:
        place = repository.place(f"flag:{one.flag}")
        if one.kind == "takes-none":
            yield RULE.finding(
                place,
                f"`--{one.flag}` takes no value, so the server refuses `{one.shown_value}`",
                help=f"write `--{one.flag}` alone, or leave it out",
            )
        elif one.kind == "no-value":
            taken = f": it takes the next word, `{one.shown_value}`, for it" if one.value else ""
            yield RULE.finding(
                place,
                f"`--{one.flag}` has no value, and the server refuses that{taken}",
                help=f"write `--{one.flag}=…` with {one.form}",
            )
        elif one.kind == "bad-value":
            yield RULE.finding(
                place,
                f"`--{one.flag}` takes {one.form}; the server refuses `{one.shown_value}` and does not start",
                help=f"write {one.form}",
            )
