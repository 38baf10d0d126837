"""# TCS019 unknown-enum-value

## What it finds
A word that the field does not know: `TYPE_FLOAT32` or `FP32` for `TYPE_FP32`, `GPU` for `KIND_GPU`, `NCHW`
for `FORMAT_NCHW`. A value that exists, but only in newer releases, is TCS003.

## Why it matters
Triton refuses the file. The names of data types differ between the protocol, which says `FP32`, and the
configuration, which says `TYPE_FP32`, so what is copied from an answer of the server does not work here.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
input { name: "image" data_type: FP32 dims: [ 3, 224, 224 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 2:39: Unknown enumeration value of "FP32" for field
"data_type".», with the place of what follows the value.

## Evidence
protobuf `text_format.cc`, `ConsumeFieldValue`, the same in 22.11 to 24.10 (six servers measured). A number
that stands for no value is read without complaint and is not meant here.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS019",
    name="unknown-enum-value",
    title="A word that is no value of its field, such as FP32 for TYPE_FP32",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "common protobuf/model_config.proto, every release 20.03-26.10",
        "protobuf text_format.cc ConsumeFieldValue, measured on six servers, 22.11-24.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each value."""
    for fault in model.problems_of("enum-value"):
        fix = None
        if fault.instead:
            edit = Edit(fault.span.path, fault.span.start, fault.span.end, fault.instead)
            fix = Fix(f"write `{fault.instead}`", (edit,))
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related, fix=fix)
