"""# TCB020 timeout-without-time

## What it finds
A queue policy with a `timeout_action`, but with neither `default_timeout_microseconds` nor `allow_timeout_override`.

## Why it matters
Requests never time out: the default is 0, which means no limit, and what clients ask for is ignored. A queue that was
meant to be kept short grows.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { default_queue_policy { timeout_action: REJECT } }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 100000 } }
```

## What Triton says
Nothing.

## Evidence
core `scheduler_utils.cc` `PolicyQueue`, 20.03 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB020",
    name="timeout-without-time",
    title="A timeout action without a timeout",
    severity=Severity.INFO,
    reads=("dynamic_batching",),
    only_with=("dynamic_batching",),
    since=(20, 3),
    evidence=("core src/scheduler_utils.cc PolicyQueue, 20.03-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Only the policy that every request falls under, and only where the action is written."""
    path = ("dynamic_batching", "default_queue_policy")
    block = model.config.dynamic_batching
    if not block.HasField("default_queue_policy"):
        return
    policy = block.default_queue_policy
    if policy.default_timeout_microseconds or policy.allow_timeout_override:
        return
    if not policy.timeout_action and not model.written(*path, "timeout_action"):
        return
    yield RULE.finding(
        model.at(*path, "timeout_action"),
        "requests never time out: neither `default_timeout_microseconds` nor `allow_timeout_override` is set",
        help="write `default_timeout_microseconds`, or `allow_timeout_override: true`; or delete `timeout_action`",
    )
