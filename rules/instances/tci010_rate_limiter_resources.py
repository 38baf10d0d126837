"""# TCI010 rate-limiter-resources

## What it finds
A resource of the rate limiter that is `global` in one place and one per device in another, in the same model or in two
of them; and one of which an instance needs more than `--rate-limit-resource` gives.

## Why it matters
With `--rate-limit=execution_count` Triton refuses the model whose instance comes second, which depends on the order of
the loads; 22.11 may also crash. As soon as one `--rate-limit-resource` is given, resources that no such flag names have
a count of 0.

## Bad
```
# --launch "tritonserver --model-repository=/models --rate-limit=execution_count"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" count: 2 } } }
# bert/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" global: true count: 1 } } }
```

## Good
```
# --launch "tritonserver --model-repository=/models --rate-limit=execution_count"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" count: 2 } } }
# bert/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU rate_limiter { resources { name: "memory" count: 1 } } }
```

## What Triton says
«Resource "memory" is present as both global and device-specific resource in the model configuration.», «Resource count
for "memory" is limited to 1 which will prevent scheduling of one or more model instances, the minimum required count is
2»

## Evidence
core `rate_limiter.cc` `ResourceManager`, 21.09 to 26.06; loaded on real servers 22.11 and 24.10, with and without the
flags.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tritoncheck.rule import Confidence, Finding, Launch, Model, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCI010",
    name="rate-limiter-resources",
    title="Resources of the rate limiter that contradict each other or the flags",
    severity=Severity.ERROR,
    scope="repository",
    needs=("config", "repository", "launch"),
    refused=True,
    since=(21, 9),
    evidence=("core src/rate_limiter.cc ResourceManager, 21.09-26.06", "measured on 22.11 and 24.10"),
)


class _Use(NamedTuple):
    """A resource as one group of a model needs it."""

    model: Model
    path: tuple[str | int, ...]
    resource: Any


def check(repository: Repository) -> Iterator[Finding]:
    """All uses of all models; nothing where it is known that rate limiting is off."""
    launch = repository.launch
    on = launch.last("rate-limit", "off") == "execution_count"
    if launch.flags_known and not on:
        return
    first: dict[tuple[str, bool], _Use] = {}
    told: set[tuple[str, str]] = set()
    for use in _uses(repository):
        name = use.resource.name
        if on and (name, use.model.name) not in told:
            yield from _limit(launch, use)
        first.setdefault((name, bool(getattr(use.resource, "global"))), use)
        other = first.get((name, not getattr(use.resource, "global")))
        if other is not None and (name, use.model.name) not in told:
            told.add((name, use.model.name))
            yield _conflict(use, other, on)


def _uses(repository: Repository) -> Iterator[_Use]:
    for model in repository.served.values():
        if model.is_ensemble or (model.broken and model.unknown("instance_group")):
            continue
        for index, group in enumerate(model.config.instance_group):
            if getattr(group, "passive", False) or not hasattr(group, "rate_limiter"):
                continue
            for number, resource in enumerate(group.rate_limiter.resources):
                yield _Use(model, ("instance_group", index, "rate_limiter", "resources", number), resource)


def _conflict(use: _Use, other: _Use, on: bool) -> Finding:
    here, there = ("global", "per device") if getattr(use.resource, "global") else ("per device", "global")
    where = "in this model too" if other.model is use.model else f"in `{other.model.name}`"
    return RULE.finding(
        use.model.at(*use.path, "name"),
        f"resource `{use.resource.name}` is {here} here and {there} {where}: "
        + ("one of them is refused" if on else "with `--rate-limit=execution_count` one of them is refused"),
        help="write `global: true` in all places or in none, or use two names",
        model=use.model.name,
        related=[Related(f"{there}", other.model.at(*other.path, "name"))],
        severity=Severity.ERROR if on else Severity.WARNING,
        confidence=Confidence.HIGH if on else Confidence.LOW,
        refused=on,
    )


def _limit(launch: Launch, use: _Use) -> Iterator[Finding]:
    """A demand above what the flags allow: `NAME:COUNT` or `NAME:COUNT:DEVICE`."""
    given = [value.split(":") for value in launch.all("rate-limit-resource")]
    if not given:
        return
    counts = [parts[1] for parts in given if parts[0] == use.resource.name and len(parts) > 1]
    if not all(count.isdecimal() for count in counts):
        return
    limit = max(map(int, counts), default=0)
    if use.resource.count <= limit:
        return
    place = launch.place("flag:rate-limit-resource", "command")
    yield RULE.finding(
        use.model.at(*use.path, "count"),
        f"an instance needs {use.resource.count} of `{use.resource.name}`, and `--rate-limit-resource` "
        + (f"gives {limit}" if counts else "does not name it, which means 0")
        + ": Triton refuses the model",
        help=f"start the server with `--rate-limit-resource={use.resource.name}:{use.resource.count}`, or need less",
        model=use.model.name,
        related=[Related("the limit", place)] if place else [],
    )
