"""# TCS020 removed-field

## What it finds
A field that an old release had and the target release has not. There is one so far: `allow_inexact_match` in
`optimization { cuda { … } }`, of release 20.09 alone.

## Why it matters
A server of any other release takes it for a misspelt name and refuses the whole file.

## Bad
```
# resnet/config.pbtxt
backend: "tensorrt"
optimization { cuda { graphs: true allow_inexact_match: true } }
```

## Good
```
# resnet/config.pbtxt
backend: "tensorrt"
optimization {
  cuda {
    graph_spec {
      batch_size: 8
      graph_lower_bound { batch_size: 4 }
    }
  }
}
```

## What Triton says
«Message type "inference.ModelOptimizationPolicy.Cuda" has no field named "allow_inexact_match".»

## Evidence
common `model_config.proto` (before 21.05: server), compared over every release 20.03 to 26.10. What it did is
done by `graph_lower_bound` since 20.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS020",
    name="removed-field",
    title="A field that Triton had once and has no more",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "server src/core/model_config.proto, 20.09 and 20.10",
        "common protobuf/model_config.proto, every release 21.05-26.10",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each field."""
    for fault in model.problems_of("removed"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
