"""# TCI015 memory-tracker

## What it finds
`triton-backend-memory-tracker=true` in `--backend-config`, and a model with several instances.

## Why it matters
In a public report, open when it was read, every model with more than one instance, or on more than one GPU, was
refused with this option.

## Bad
```
# --launch "tritonserver --model-repository=/models --backend-config=triton-backend-memory-tracker=true"
# detector/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU count: 2 }
```

## Good
```
# --launch "tritonserver --model-repository=/models"
# detector/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU count: 2 }
```

## What Triton says
«MemoryUsage record is invalid»

## Evidence
Report server#6405, of 2023; a cause is not named there. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI015",
    name="memory-tracker",
    title="The memory tracker is reported to refuse several instances",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    needs=("config", "launch"),
    reads=("instance_group",),
    evidence=("server#6405, open; not measured",),
    only_with=("instance_group",),
)


def check(model: Model) -> Iterator[Finding]:
    """The first group with several."""
    values = model.launch.all("backend-config")
    if not any(value.rpartition(",")[2].lower() == "triton-backend-memory-tracker=true" for value in values):
        return
    for index, group in enumerate(model.config.instance_group):
        if group.count > 1 or len(group.gpus) > 1:
            yield RULE.finding(
                model.at("instance_group", index, "count" if group.count > 1 else "gpus"),
                "with `triton-backend-memory-tracker` a model with several instances is reported to be refused",
                help="leave the option out of `--backend-config`",
            )
            return
