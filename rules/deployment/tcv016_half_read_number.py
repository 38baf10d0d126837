"""# TCV016 half-read-number

## What it finds
A number with something behind it, as in `--pinned-memory-pool-byte-size=1G` or `--model-load-thread-count=1.5`.

## Why it matters
The server reads the digits at the beginning and drops the rest without a word: `1G` is one byte.

## Bad
```
# --launch "tritonserver --model-repository=/models --pinned-memory-pool-byte-size=1G"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --pinned-memory-pool-byte-size=1073741824"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing; the options table of the log shows what was read: «pinned_memory_pool_byte_size | 1».

## Evidence
server `command_line_parser.cc`, `ParseOption`, 22.11 to 24.10: `std::stoi` and its like. Measured: the servers of
22.11 to 24.10 start with `1G`, `1x` and `1.5`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV016",
    name="half-read-number",
    title="A number of which the server reads the beginning only",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("server src/command_line_parser.cc ParseOption, 22.11-24.10", "measured on 22.11-24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each flag."""
    for one in repository.launch.complaints:
        if one.kind == "half-read":
            yield RULE.finding(
                repository.place(f"flag:{one.flag}"),
                f"the server reads `--{one.flag}={one.shown_value}` as {one.form} and drops the rest",
                help="write the number alone, without unit" if one.value[-1].isalpha() else "write a whole number",
            )
