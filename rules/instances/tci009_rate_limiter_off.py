"""# TCI009 rate-limiter-off

## What it finds
A `rate_limiter` in an instance group, and a command line without `--rate-limit=execution_count`.

## Why it matters
Rate limiting is off by default: resources and priorities of the instances are ignored without a word.

## Bad
```
# --launch "tritonserver --model-repository=/models"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" count: 2 } } }
```

## Good
```
# --launch "tritonserver --model-repository=/models --rate-limit=execution_count"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" count: 2 } } }
```

## What Triton says
Nothing.

## Evidence
core `rate_limiter.cc` and server `command_line_parser.cc`, 21.09 to 26.06; on real servers 22.11 to 24.10 resources
that are refused with the flag load without it.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCI009",
    name="rate-limiter-off",
    title="A rate limiter that the server does not use",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=("instance_group",),
    only_with=("instance_group",),
    since=(21, 9),
    evidence=("core src/rate_limiter.cc, 21.09-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Needs the whole command line; the first group says it for all."""
    launch = model.launch
    if not launch.flags_known or launch.last("rate-limit", "off") == "execution_count":
        return
    for index, group in enumerate(model.config.instance_group):
        if not group.HasField("rate_limiter"):
            continue
        place = launch.place("flag:rate-limit", "command")
        yield RULE.finding(
            model.at("instance_group", index, "rate_limiter"),
            "`rate_limiter` is ignored: the server is not started with `--rate-limit=execution_count`",
            help="start the server with `--rate-limit=execution_count`, or delete the block",
            related=[Related("how the server is started", place)] if place else [],
        )
        return
