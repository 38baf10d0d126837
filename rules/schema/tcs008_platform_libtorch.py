"""# TCS008 platform-libtorch

## What it finds
`platform: "libtorch"`.

## Why it matters
Triton refuses the model, on every release. Up to 26.03 there is no such platform. From 26.04 on it is filled in to
`backend: "pytorch"`, but the table of pairs does not know it, so the model is refused all the same.

## Bad
```
# resnet/config.pbtxt
platform: "libtorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# resnet/config.pbtxt
platform: "pytorch_libtorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
«unexpected platform type 'libtorch' for resnet»; from 26.04 on, or with `backend: "pytorch"`, «unexpected 'platform'
and 'backend' pair, got:libtorch, pytorch»

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields` and `ValidateModelConfig`, 20.01 to 26.06; loaded on real
servers 22.11 to 24.10. With another backend it loads, unread.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS008",
    name="platform-libtorch",
    title='`platform: "libtorch"` is refused by every release',
    severity=Severity.ERROR,
    reads=("platform", "backend"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("platform",),
)


def check(model: Model) -> Iterator[Finding]:
    """The spelling that looks right and is not."""
    if model.config.platform != "libtorch" or getattr(model.config, "backend", "") not in ("", "pytorch"):
        return
    place = model.value_at("platform")
    yield RULE.finding(
        model.at("platform"),
        "no release of Triton loads a model of platform `libtorch`",
        help='write `platform: "pytorch_libtorch"`, or only `backend: "pytorch"`',
        fix=Fix(
            'platform: "pytorch_libtorch"',
            (Edit(place.path, place.start, place.end, '"pytorch_libtorch"'),),
            safe=True,
        ),
    )
