"""# TCI006 profile

## What it finds
A `profile` of an instance group of a model that is not one of TensorRT, or one that is not the number of an
optimization profile: not a number, negative, empty, or too large.

## Why it matters
Triton refuses the model. A number above 2147483647 **crashes the whole server**, with every other model. What follows a
number is ignored: "1a" and "1.5" are 1.

## Bad
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
instance_group { kind: KIND_GPU profile: [ "first" ] }
```

## Good
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
instance_group { kind: KIND_GPU profile: [ "0" ] }
```

## What Triton says
«and platform onnxruntime_onnx specifies profile field which is only supported for TensorRT models», «specifies invalid
profile -1. The field should contain the string representation of a non-negative integer.», «unable to parse 'first':
stoi», «profile name must not be empty»; too large: «what():  stoi», signal 6

## Evidence
core `model_config_utils.cc` `ValidateInstanceGroup`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCI006",
    name="profile",
    title="An optimization profile that Triton does not take",
    severity=Severity.ERROR,
    reads=("instance_group", "backend", "platform", "default_model_filename"),
    only_with=("instance_group",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateInstanceGroup, 20.01-26.06", "measured on 22.11-24.10"),
)

# As `std::stoi` reads a number, whatever follows it.
_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")


def check(model: Model) -> Iterator[Finding]:
    """Every profile of every group."""
    backend = model.backend.name
    if not backend or model.is_ensemble:
        return
    for index, group in enumerate(model.config.instance_group):
        if not group.profile:
            continue
        if backend != "tensorrt":
            cut = model.deletion("instance_group", index, "profile")
            yield RULE.finding(
                model.at("instance_group", index, "profile"),
                f"only TensorRT models have profiles, and this one is served by `{backend}`: Triton refuses it",
                help="delete `profile`",
                fix=Fix("delete `profile`", cut, safe=True) if cut else None,
            )
            continue
        for place, text in enumerate(group.profile):
            fault = _fault(text)
            if fault:
                crash = "crash" in fault
                yield RULE.finding(
                    model.at("instance_group", index, "profile", place),
                    f'`profile: "{text}"` {fault}',
                    help='write the number of the profile in the engine, such as `profile: "0"`',
                    refused=not crash,
                )


def _fault(text: str) -> str:
    """What is wrong with a profile; "" for nothing."""
    found = _NUMBER.match(text)
    if found is None:
        return f"is {'no number' if text else 'empty'}: Triton refuses the model"
    number = int(found.group(1)[:20])
    if not -(2**31) <= number < 2**31:
        return "is too large a number, and the whole server crashes while it loads the model"
    return "is negative: Triton refuses the model" if number < 0 else ""
