"""# TCR004 name-mismatch

## What it finds
A `name` in `config.pbtxt` that differs from the name of the model's folder.

## Why it matters
Triton names a model by its folder and refuses a configuration that says otherwise; the model never appears, not
even in the summary table. Leaving `name` out is allowed and cannot go wrong.

## Bad
```
# resnet/config.pbtxt
name: "resnet50"
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/config.pbtxt
name: "resnet"
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«unexpected directory name 'resnet' for model 'resnet50', directory name must equal model name»

## Evidence
core `model_repository_manager.cc`, `InitializeModelInfo`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCR004",
    name="name-mismatch",
    title="`name` differs from the name of the model's folder",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("name",),
    refused=True,
    evidence=("core src/model_repository_manager/model_repository_manager.cc InitializeModelInfo, 20.01-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare the two names."""
    written = model.config.name
    if not written or written == model.name:
        return
    span = model.value_at("name")
    yield RULE.finding(
        span,
        f"`name` is `{written}`, but the folder is `{model.name}`",
        help=f'write `name: "{model.name}"`, or delete the line: the folder names the model',
        fix=Fix(f'name: "{model.name}"', (Edit(span.path, span.start, span.end, f'"{model.name}"'),), safe=True),
    )
