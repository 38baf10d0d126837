"""# TCI008 unknown-host-policy

## What it finds
A `host_policy` that no `--host-policy` flag of the server's command line defines.

## Why it matters
Triton applies nothing and says nothing: the instances are bound to no NUMA node and no cores.

## Bad
```
# --launch "tritonserver --model-repository=/models --host-policy=left,numa-node=0"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 1 host_policy: "right" }
```

## Good
```
# --launch "tritonserver --model-repository=/models --host-policy=left,numa-node=0"
# resnet/config.pbtxt
backend: "onnxruntime"
instance_group { kind: KIND_CPU count: 1 host_policy: "left" }
```

## What Triton says
Nothing.

## Evidence
core `backend_model_instance.cc` and server `command_line_parser.cc`, 21.06 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCI008",
    name="unknown-host-policy",
    title="A `host_policy` that no flag defines",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=("instance_group",),
    only_with=("instance_group",),
    since=(21, 6),
    evidence=("core src/backend_model_instance.cc, 21.06-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Needs the whole command line."""
    if not model.launch.flags_known:
        return
    for index, group in enumerate(model.config.instance_group):
        if not group.host_policy:
            continue
        defined = sorted({value.partition(",")[0] for value in model.launch.all("host-policy")})
        if group.host_policy in defined:
            continue
        known = f"it defines {listing(defined)}" if defined else "it defines none"
        yield RULE.finding(
            model.at("instance_group", index, "host_policy"),
            f"host policy `{group.host_policy}` is not defined by the server's command line ({known}), and nothing is "
            "applied",
            help=f"start the server with `--host-policy={group.host_policy},numa-node=…`, or delete the line",
        )
