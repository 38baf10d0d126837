"""# TCP014 openvino-parameter

## What it finds
A parameter of an OpenVINO model with a value that the backend refuses, or a switch that is on in another spelling than
`yes`.

## Why it matters
A wrong word or number refuses the model. The three switches `SKIP_OV_DYNAMIC_BATCHSIZE`, `ENABLE_BATCH_PADDING` and
`RESHAPE_IO_LAYERS` know only `yes`: with `true` or `1` they are off, without a word.

## Bad
```
# net/config.pbtxt
backend: "openvino"
parameters { key: "ENABLE_BATCH_PADDING" value { string_value: "true" } }
parameters { key: "PERFORMANCE_HINT" value { string_value: "FAST" } }
```

## Good
```
# net/config.pbtxt
backend: "openvino"
parameters { key: "ENABLE_BATCH_PADDING" value { string_value: "yes" } }
parameters { key: "PERFORMANCE_HINT" value { string_value: "LATENCY" } }
```

## What Triton says
«expected the parameter 'PERFORMANCE_HINT' to be …»; of the switches, nothing.

## Evidence
openvino_backend `openvino.cc` `ParseParameter`, `ParseBoolParameter`, 22.12 to 26.06.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCP014",
    name="openvino-parameter",
    title="A parameter value that OpenVINO's backend refuses or takes for off",
    severity=Severity.ERROR,
    reads=("parameters", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("openvino_backend src/openvino.cc ParseParameter, 22.12-26.06",),
    only_with=("parameters",),
)

_NUMBER = re.compile(r"\s*[+-]?\d+")
FORMS = {
    "INFERENCE_NUM_THREADS": (_NUMBER, "a number"),
    "COMPILATION_NUM_THREADS": (_NUMBER, "a number"),
    "HINT_BF16": (re.compile(r"(?i:yes)"), "`YES`"),
    "NUM_STREAMS": (re.compile(r"(?i:auto|numa)|\s*[+-]?\d+"), "`AUTO`, `NUMA` or a number"),
    "PERFORMANCE_HINT": (
        re.compile(r"(?i:latency|throughput|cumulative_throughput)"),
        "`LATENCY`, `THROUGHPUT` or `CUMULATIVE_THROUGHPUT`",
    ),
}
SWITCHES = ("SKIP_OV_DYNAMIC_BATCHSIZE", "ENABLE_BATCH_PADDING", "RESHAPE_IO_LAYERS")


def check(model: Model) -> Iterator[Finding]:
    """Every value that does not fit, every switch that is meant to be on and is not."""
    if model.backend.name != "openvino":
        return
    for key in sorted(model.config.parameters):
        value = model.config.parameters[key].string_value
        if not value or "${" in value:
            continue
        place = model.value_at("parameters", key, "value", "string_value")
        if key in FORMS and not FORMS[key][0].match(value):
            yield RULE.finding(
                place,
                f"the openvino backend cannot read `{value}` for `{key}`: it refuses the model",
                help=f"write {FORMS[key][1]}",
            )
        elif key in SWITCHES and value.lower() in ("true", "1", "on", "y"):
            written = model.text[place.start : place.end].strip("\"'") == value
            edit = Edit(place.path, place.start, place.end, '"yes"')
            yield RULE.finding(
                place,
                f"`{key}` knows only `yes`: with `{value}` it is off, without a word",
                help="write `yes`",
                severity=Severity.WARNING,
                refused=False,
                fix=Fix("write `yes`", (edit,)) if written else None,
            )
