"""# TCB005 priority-policy-unused

## What it finds
`priority_queue_policy` or `default_priority_level` without `priority_levels`.

## Why it matters
Without `priority_levels` there is one queue, which follows `default_queue_policy`. The model loads and what was
written for the priorities is ignored without a word.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching {
  priority_queue_policy { key: 1 value { max_queue_size: 100 } }
}
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching {
  default_queue_policy { max_queue_size: 100 }
}
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` `ValidateModelConfig` and `scheduler_utils.cc` `PriorityQueue`, 20.03 to 26.06; loads
without a word on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCB005",
    name="priority-policy-unused",
    title="Priorities without `priority_levels` are ignored",
    severity=Severity.WARNING,
    reads=("dynamic_batching",),
    only_with=("dynamic_batching",),
    evidence=("core src/scheduler_utils.cc PriorityQueue, 20.03-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Both fields, each on its own."""
    block = model.config.dynamic_batching
    if not hasattr(block, "priority_levels") or block.priority_levels:
        return
    conflict = block.preserve_ordering and any(
        policy.timeout_action == 1 and policy.default_timeout_microseconds
        for policy in block.priority_queue_policy.values()
    )
    for field in ("priority_queue_policy", "default_priority_level"):
        if field == "priority_queue_policy":
            # `priority_queue_policy: { }`, as a printed configuration has it, sets nothing; a conflict that Triton
            # refuses is told of elsewhere.
            if conflict or not any(policy.ByteSize() for policy in block.priority_queue_policy.values()):
                continue
        elif not block.default_priority_level:
            continue
        cut = model.deletion("dynamic_batching", field)
        yield RULE.finding(
            model.at("dynamic_batching", field),
            f"`{field}` is ignored, because `priority_levels` is not set: all requests are in one queue",
            help="set `priority_levels` and `default_priority_level`; or delete it and write `default_queue_policy`",
            fix=Fix(f"delete `{field}`", cut, safe=True) if cut else None,
        )
