"""# TCS015 pinned-memory-empty

## What it finds
`input_pinned_memory { }` or `output_pinned_memory { }` in `optimization`, without `enable`.

## Why it matters
It turns pinned memory off. Left out altogether, it is on; written as an empty block, `enable` is read as `false`, and
copies between host and GPU become slower without a word.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
optimization { input_pinned_memory { } }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
optimization { input_pinned_memory { enable: true } }
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` `NormalizeModelConfig`, 20.02 to 26.06: the default is written only where the block is
absent.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS015",
    name="pinned-memory-empty",
    title="An empty pinned-memory block turns pinned memory off",
    severity=Severity.WARNING,
    reads=("optimization",),
    evidence=("core src/model_config_utils.cc NormalizeModelConfig, 20.02-26.06",),
    only_with=("optimization",),
)

BLOCKS = ("input_pinned_memory", "output_pinned_memory")


def check(model: Model) -> Iterator[Finding]:
    """Blocks that are there and say nothing."""
    optimization = model.config.optimization
    if model.config.platform == "ensemble":
        return
    for name in BLOCKS:
        if name not in optimization.DESCRIPTOR.fields_by_name or not optimization.HasField(name):
            continue
        if getattr(optimization, name).enable or model.written("optimization", name, "enable"):
            continue
        yield RULE.finding(
            model.at("optimization", name),
            f"an empty `{name}` turns pinned memory off; left out, it is on",
            help="write `enable: true`, or delete the block; write `enable: false` if that is what is meant",
            fix=_fix(model, name),
        )


def _fix(model: Model, name: str) -> Fix | None:
    """Write it into the block: between its braces, which `at` gives as the place of the opening one."""
    span = model.at("optimization", name)
    brace = model.text.find("{", span.start)
    if brace < 0 or model.text[brace + 1 :].lstrip()[:1] != "}":
        return None
    return Fix("enable: true", (Edit(span.path, brace + 1, brace + 1, " enable: true"),))
