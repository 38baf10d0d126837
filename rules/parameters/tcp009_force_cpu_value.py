"""# TCP009 force-cpu-value

## What it finds
`FORCE_CPU_ONLY_INPUT_TENSORS` of a Python model with another value than exactly `yes` or `no`.

## Why it matters
The Python backend refuses the model.

## Bad
```
# net/config.pbtxt
backend: "python"
parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" value { string_value: "true" } }
```

## Good
```
# net/config.pbtxt
backend: "python"
parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" value { string_value: "yes" } }
```

## What Triton says
«Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: true»

## Evidence
python_backend `python_be.cc` `ModelState`, 21.08 to 26.06; refused by the real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCP009",
    name="force-cpu-value",
    title="`FORCE_CPU_ONLY_INPUT_TENSORS` is neither `yes` nor `no`",
    severity=Severity.ERROR,
    reads=("parameters", "backend", "platform"),
    refused=True,
    evidence=("python_backend src/python_be.cc ModelState, 21.08-26.06", "measured on 22.11-24.10"),
    only_with=("parameters",),
)

KEY = "FORCE_CPU_ONLY_INPUT_TENSORS"
SPELLINGS = {"yes": "yes", "true": "yes", "1": "yes", "on": "yes", "no": "no", "false": "no", "0": "no", "off": "no"}


def check(model: Model) -> Iterator[Finding]:
    """The value."""
    if model.backend.name != "python" or KEY not in model.config.parameters:
        return
    value = model.config.parameters[KEY].string_value
    if value in ("yes", "no") or "${" in value:
        return
    place = model.value_at("parameters", KEY, "value", "string_value")
    meant = SPELLINGS.get(value.strip().lower(), "")
    written = model.text[place.start : place.end].strip("\"'") == value
    yield RULE.finding(
        place,
        f"`{KEY}` must be exactly `yes` or `no`, not `{value}`: the python backend refuses the model",
        help=f"write `{meant}`" if meant else "write `yes` or `no`",
        fix=Fix(f"write `{meant}`", (Edit(place.path, place.start, place.end, f'"{meant}"'),), safe=True)
        if meant and written
        else None,
    )
