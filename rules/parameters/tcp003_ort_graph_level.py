"""# TCP003 ort-graph-level

## What it finds
`optimization { graph { level: … } }` of an ONNX model with another number than -1 or 1.

## Why it matters
The numbers do not rise: -1 is basic, 1 is extended, 2 switches all optimisation **off** (since 24.01), and anything
else, 0 and 3 included, is the default, which is all of them. Who writes 2 to get more gets none.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { graph { level: 2 } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { graph { level: 1 } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `onnxruntime.cc` `ModelState`, and its README, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP003",
    name="ort-graph-level",
    title="A graph optimisation level of ONNX Runtime that means something else",
    severity=Severity.WARNING,
    reads=("optimization", "backend", "platform", "default_model_filename"),
    evidence=("onnxruntime_backend src/onnxruntime.cc ModelState, 22.12-26.06",),
    only_with=("optimization",),
)

OFF_SINCE = (24, 1)


def check(model: Model) -> Iterator[Finding]:
    """The level, where it is not one of the two that mean what they say."""
    if model.backend.name != "onnxruntime" or not model.config.optimization.HasField("graph"):
        return
    level = model.config.optimization.graph.level
    release = model.launch.release
    if level == 2 and (release is None or release >= OFF_SINCE):
        yield RULE.finding(
            model.at("optimization", "graph", "level"),
            "level 2 switches all graph optimisation of ONNX Runtime off"
            + (" (since Triton 24.01)" if release is None else ""),
            help="write `level: 1` for extended, `level: -1` for basic, or delete `graph` for all",
        )
    elif level not in (-1, 1, 2, 0) or (level == 0 and model.written("optimization", "graph", "level")):
        yield RULE.finding(
            model.at("optimization", "graph", "level"),
            f"ONNX Runtime has no level {level}: Triton takes the default, which is all optimisations",
            help="write `level: 1` for extended, `level: -1` for basic, or delete `graph` for all",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
        )
