"""# TCB004 preserve-order-conflict

## What it finds
`preserve_ordering: true` together with more than one priority level, or with a queue policy that delays requests
which have timed out (`timeout_action: DELAY` with a `default_timeout_microseconds`).

## Why it matters
Triton refuses the model: priorities and delayed requests change the order that is to be kept. A policy in
`priority_queue_policy` counts even where `priority_levels` is not set.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { preserve_ordering: true priority_levels: 2 default_priority_level: 1 }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { priority_levels: 2 default_priority_level: 1 }
```

## What Triton says
«Only one priority level is allowed when 'preserve_ordering' is true for resnet», «Queue policy can not have DELAY as
timeout action when 'preserve_ordering' is true for resnet»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.03 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB004",
    name="preserve-order-conflict",
    title="`preserve_ordering` with several priorities or with delayed requests",
    severity=Severity.ERROR,
    reads=("dynamic_batching",),
    only_with=("dynamic_batching",),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.03-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """The levels, then every policy."""
    block = model.config.dynamic_batching
    if not block.preserve_ordering or not hasattr(block, "priority_levels"):
        return
    order = [Related("the order is to be kept", model.at("dynamic_batching", "preserve_ordering"))]
    if block.priority_levels > 1:
        yield RULE.finding(
            model.at("dynamic_batching", "priority_levels"),
            f"{block.priority_levels} priority levels with `preserve_ordering: true`: Triton refuses the model",
            help="write `preserve_ordering: false`, or give up the priorities",
            related=order,
        )
    paths: list[tuple[str | int, ...]] = []
    if _delays(block.default_queue_policy):
        paths.append(("default_queue_policy",))
    paths += [("priority_queue_policy",) for policy in block.priority_queue_policy.values() if _delays(policy)][:1]
    for path in paths:
        yield RULE.finding(
            model.at("dynamic_batching", *path),
            f"`{path[0]}` delays requests that have timed out, with `preserve_ordering: true`: Triton refuses "
            "the model",
            help="write `timeout_action: REJECT`, or `preserve_ordering: false`",
            related=order,
        )


def _delays(policy: Any) -> bool:
    """Whether the policy is DELAY with a timeout."""
    return bool(policy.timeout_action == 1 and policy.default_timeout_microseconds)
