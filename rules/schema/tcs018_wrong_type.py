"""# TCS018 wrong-type

## What it finds
A value of the wrong kind: text where a number is due, a number without quotes where text is due, `TRUE` or
`yes` for `true`, a number that is too large, a list for a field that is none, a block for a value or a value
for a block.

## Why it matters
Triton converts nothing; it refuses the file. Values in `parameters` are the usual trap: each is a text in
quotes inside a block, `value: { string_value: "1" }`.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: "8"
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 2:17: Expected integer, got: "8"». Likewise «Expected
string», «Expected identifier», «Invalid value for boolean field», «Integer out of range».

## Evidence
protobuf `text_format.cc`, `ConsumeFieldValue`, the same in 22.11 to 24.10 (six servers measured). Triton
takes `true`, `True`, `t` and `1`, but not `TRUE`; `010` is 8; `8.0` is no whole number.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS018",
    name="wrong-type",
    title="A value that does not fit its field",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
        "protobuf text_format.cc ConsumeFieldValue, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each value."""
    for fault in model.problems_of("wrong-type"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
