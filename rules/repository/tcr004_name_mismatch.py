"""# TCR004 name-mismatch

## What it finds
A `name` in `config.pbtxt` that differs from the name of the model's folder.

## Why it matters
Triton names a model by its folder and refuses a configuration that says otherwise; the model never appears, not
even in the summary table. Leaving `name` out is allowed and cannot go wrong. In a source tree the folder may get
another name when it is deployed (`TensorRT/`, `model/`), so this is a warning for a model that has its version folder
there, and an info for one that has none, unless the folder plainly is a repository: several models with their versions
and nothing else, or a neighbour that has the wanted name already. Model Analyzer's variants (`resnet50_config_3` with
the name `resnet50`) are left alone, and so is the root of a project, whose folder has any name.

## Bad
```
# --deployed
# resnet/1/model.onnx
(the weights)
# resnet/config.pbtxt
name: "resnet50"
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --deployed
# resnet/1/model.onnx
(the weights)
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

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Related, Rule, Severity

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

# How Model Analyzer names the variants that it makes of one model.
_ANALYZED = re.compile(r"_config_(?:\d+|default)")


def check(model: Model) -> Iterator[Finding]:
    """Compare the two names."""
    written = model.config.name
    if not written or written == model.name:
        return
    if not model.deployed and _ANALYZED.fullmatch(model.name.removeprefix(written)):
        return
    if not model.deployed and model.repository.folder.alone:
        return
    span = model.value_at("name")
    twin = model.repository.by_name.get(written)
    source = model.repository.source
    message = f"`name` is `{written}`, but the folder is `{model.name}`"
    fix: Fix | None
    sure = model.deployed or source.is_evident or (twin is not None and source.is_repository)
    if sure:
        message += ": Triton refuses the model"
    else:
        message += f": Triton refuses the model unless it is deployed in a folder `{written}`"
    related = [Related(f"`{written}` is this model", twin.file_span())] if twin and not model.variant else []
    caller = model.repository.ensembles.callers.get(written)
    if caller and not twin:
        help_, fix = f"rename the folder to `{written}`: the ensemble `{caller}` calls the model so", None
    elif sure:
        help_ = f'write `name: "{model.name}"`, or delete the line: the folder names the model'
        fix = Fix(f'name: "{model.name}"', (Edit(span.path, span.start, span.end, f'"{model.name}"'),), safe=True)
    else:
        help_ = "delete the line: the folder names the model, here and where it is deployed"
        cut = model.deletion("name")
        fix = Fix("delete `name`", cut, safe=False) if cut else None
    yield RULE.finding(
        span,
        message,
        help=help_,
        related=related,
        severity=Severity.ERROR if sure else Severity.WARNING if model.versions else Severity.INFO,
        confidence=Confidence.HIGH if sure else Confidence.LOW,
        refused=sure,
        fix=fix,
    )
