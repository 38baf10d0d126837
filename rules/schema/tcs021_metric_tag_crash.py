"""# TCS021 metric-tag-crash

## What it finds
A key in `metric_tags` that cannot be part of a label in Prometheus: with anything but ASCII letters, digits and `_`,
or with `_` in front.

## Why it matters
The whole server crashes when it loads the model, with all other models, also while it starts. With
`--allow-metrics=false` it does not up to 23.07, and from 23.10 on it does. Values may be anything.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
metric_tags { key: "my-team" value: "vision" }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
metric_tags { key: "my_team" value: "vision" }
```

## What Triton says
«terminate called after throwing an instance of 'std::invalid_argument'», «what(): Invalid label name»

## Evidence
core `metric_model_reporter.cc`, which puts `_` before each key, and prometheus-cpp `check_names.cc`; loaded on real
servers 22.11 to 24.10, alone and in an ensemble, with metrics on and off. An empty key and a digit in front load.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity, has_hole

RULE = Rule(
    code="TCS021",
    name="metric-tag-crash",
    title="A key of `metric_tags` that crashes the server",
    severity=Severity.ERROR,
    needs=("config", "launch"),
    reads=("metric_tags",),
    evidence=("core src/metric_model_reporter.cc, 20.01-26.06", "measured on 22.11-24.10"),
    only_with=("metric_tags",),
)

FITS = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_]*)?")
SPARED_UNTIL = (23, 7)


def check(model: Model) -> Iterator[Finding]:
    """Each key that is no label."""
    launch = model.launch
    off = not launch.switch("allow-metrics", True)
    if off and launch.release is not None and launch.release[:2] <= SPARED_UNTIL:
        return
    for key in model.config.metric_tags:
        if FITS.fullmatch(key) or has_hole(key):
            continue
        new = re.sub(r"[^A-Za-z0-9_]", "_", key).lstrip("_")
        place = model.value_at("metric_tags", key, "key")
        fix = None
        if new and new not in model.config.metric_tags:
            fix = Fix(f'key: "{new}"', (Edit(place.path, place.start, place.end, f'"{new}"'),))
        why = "begins with `_`" if key.startswith("_") else "holds more than letters, digits and `_`"
        yield RULE.finding(
            model.at("metric_tags", key, "key"),
            f"the whole server crashes when it loads this model: the metric tag `{key}` {why}",
            help=f"write `{new}`" if new else "write a name of letters, digits and `_`",
            fix=fix,
        )
