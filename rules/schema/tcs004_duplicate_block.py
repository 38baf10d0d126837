"""# TCS004 duplicate-block

## What it finds
A block such as `optimization { … }`, or a field such as `max_batch_size`, that is given a second time
although it is no list. Fields that may be repeated (`input`, `output`, `instance_group`, `parameters`) are
not meant.

## Why it matters
Triton neither merges two blocks nor lets the last one win: it refuses the file. The second block is often
pasted in for one more option.

## Bad
```
# resnet/config.pbtxt
backend: "tensorrt"
optimization { priority: PRIORITY_MAX }
optimization { cuda { busy_wait_events: true } }
```

## Good
```
# resnet/config.pbtxt
backend: "tensorrt"
optimization {
  priority: PRIORITY_MAX
  cuda { busy_wait_events: true }
}
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 3:14: Non-repeated field "optimization" is specified
multiple times.», with the place of what follows the name.

## Evidence
core `filesystem/api.cc`, `ReadTextProto`, and protobuf `text_format.cc`, the same in 22.11 to 24.10 (six
servers measured). A number or text that equals its default (`max_batch_size: 0`) may be given again, and is
no finding.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS004",
    name="duplicate-block",
    title="A block or field is given twice where only one is allowed",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
        "protobuf text_format.cc ConsumeField, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each repetition, which points to the first one."""
    for fault in model.problems_of("duplicate-field"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
