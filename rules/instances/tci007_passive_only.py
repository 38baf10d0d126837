"""# TCI007 passive-only

## What it finds
A model whose instance groups are all `passive`.

## Why it matters
Passive instances get no requests. The model becomes READY, and the first request to it **crashes the whole server**,
with every other model.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_GPU passive: true }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group [
  { kind: KIND_GPU },
  { kind: KIND_GPU passive: true }
]
```

## What Triton says
«Signal (11) received.» at the first request

## Evidence
core `backend_model.cc`, 21.06 to 26.06; measured on real servers 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10: each died
of one request to a Python model with `passive: true` and answered it without.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCI007",
    name="passive-only",
    title="A model with passive instances only, which crashes the server at a request",
    severity=Severity.ERROR,
    reads=("instance_group", "backend", "platform"),
    only_with=("instance_group",),
    since=(21, 6),
    evidence=("measured on 22.11-24.10: SIGSEGV at the first request",),
)


def check(model: Model) -> Iterator[Finding]:
    """All groups, at the first of them."""
    groups = model.config.instance_group
    if model.is_ensemble or not groups or not all(getattr(group, "passive", False) for group in groups):
        return
    only = "the only instance group is" if len(groups) == 1 else f"all {len(groups)} instance groups are"
    yield RULE.finding(
        model.at("instance_group", 0, "passive"),
        f"{only} `passive`: the model becomes READY, and the first request to it crashes the whole server",
        help="write `passive: false` for a group that is to serve requests",
    )
