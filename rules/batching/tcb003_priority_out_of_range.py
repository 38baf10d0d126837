"""# TCB003 priority-out-of-range

## What it finds
`priority_levels: N` with a `default_priority_level` that is not between 1 and N or is left out, or with a key of
`priority_queue_policy` that is not between 1 and N.

## Why it matters
Triton refuses the model. Levels count from 1, the highest; a default that is left out is 0, which is no level.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { priority_levels: 3 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { priority_levels: 3 default_priority_level: 2 }
```

## What Triton says
«default priority level must be in range [1, 3] for resnet», «priority queue policy must have priority level in range
[1, 3] for resnet»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.03 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator
from itertools import count

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB003",
    name="priority-out-of-range",
    title="A priority level that is not between 1 and `priority_levels`",
    severity=Severity.ERROR,
    reads=("dynamic_batching",),
    only_with=("dynamic_batching",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.03-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """The default first, then the key of every policy."""
    block = model.config.dynamic_batching
    levels = getattr(block, "priority_levels", 0)  # 20.02 has no priorities
    if levels == 0:
        return
    place = model.at("dynamic_batching", "priority_levels")
    if not 1 <= block.default_priority_level <= levels:
        yield _default(model, levels)
    if all(1 <= key <= levels for key in block.priority_queue_policy):
        return
    for index in count():
        path = ("dynamic_batching", "priority_queue_policy", index)
        if not model.written(*path):
            return
        level = _key(model, *path)
        if level is not None and not 1 <= level <= levels:
            yield RULE.finding(
                model.value_at(*path, "key"),
                f"`priority_queue_policy` is given for priority level {level}, but the levels are 1 to {levels}: "
                "Triton refuses the model",
                help=f"write a key from 1 to {levels}, or raise `priority_levels`",
                related=[Related("so many levels", place)],
            )


def _default(model: Model, levels: int) -> Finding:
    written = model.written("dynamic_batching", "default_priority_level")
    place = model.value_at("dynamic_batching", "default_priority_level" if written else "priority_levels")
    if written:
        edit = Edit(place.path, place.start, place.end, str(levels))
        what = f"`default_priority_level` is {model.config.dynamic_batching.default_priority_level}"
        related = [Related("so many levels", model.at("dynamic_batching", "priority_levels"))]
    else:
        edit = Edit(place.path, place.end, place.end, f" default_priority_level: {levels}")
        what = f"{levels} priority levels without a `default_priority_level`"
        related = []
    return RULE.finding(
        place if written else model.at("dynamic_batching", "priority_levels"),
        f"{what}: Triton refuses the model",
        help=f"write `default_priority_level`, from 1 (the highest) to {levels}: what requests without a priority get",
        related=related,
        fix=Fix(f"default_priority_level: {levels}", (edit,)),
    )


def _key(model: Model, *path: str | int) -> int | None:
    """The key of a map entry as written; None where it cannot be read."""
    if not model.written(*path, "key"):
        return 0
    span = model.value_at(*path, "key")
    text = model.text[span.start : span.end]
    try:
        return int(text, 8 if text.startswith("0") and text.isdigit() else 0)
    except ValueError:
        return None
