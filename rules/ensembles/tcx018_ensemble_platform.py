"""# TCX018 ensemble-platform

## What it finds
`ensemble_scheduling` in a model whose `platform` is not `ensemble`, and `platform: "ensemble"` without
`ensemble_scheduling`.

## Why it matters
Triton refuses the model. It does not take `ensemble_scheduling` alone as a sign, and `backend: "ensemble"` is none
either.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image" value: "image" }
    output_map { key: "box" value: "box" }
  }
}
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "image" value: "image" }
    output_map { key: "box" value: "box" }
  }
}
```

## What Triton says
Without `platform` «Could not determine backend for model 'pipeline' with no backend in model configuration»; with
another, or a `backend`, «ensemble scheduling cannot be set for model 'pipeline' whose platform is not ensemble»;
without steps «ensemble scheduling must be set for ensemble pipeline whose platform is ensemble».

## Evidence
core `model_config_utils.cc` `ValidateModelConfig` and `AutoCompleteBackendFields`, 20.07 to 26.06; loaded on real
servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity, has_hole

RULE = Rule(
    code="TCX018",
    name="ensemble-platform",
    title="`ensemble_scheduling` and `platform` do not agree",
    severity=Severity.ERROR,
    reads=("ensemble_scheduling", "platform", "backend"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.07-26.06", "measured on 22.11-24.10"),
    only_with=("ensemble_scheduling", "platform"),
)


def check(model: Model) -> Iterator[Finding]:
    """One without the other."""
    config = model.config
    named, platform = getattr(config, "backend", ""), config.platform
    scheduled = config.WhichOneof("scheduling_choice") == "ensemble_scheduling"
    if has_hole(named + platform):
        return
    if scheduled and platform != "ensemble":
        related = [Related("the backend", model.at("backend"))] if named else []
        yield RULE.finding(
            model.at("platform") if platform else model.at("ensemble_scheduling"),
            f'`platform` is "{platform}" in a model with `ensemble_scheduling`: Triton refuses it'
            if platform
            else "a model with `ensemble_scheduling` needs `platform`: Triton refuses it",
            help='write `platform: "ensemble"`' + (" and no `backend`" if named else ""),
            related=related,
            fix=_fix(model, bool(platform)) if not named else None,
        )
    elif platform == "ensemble" and not scheduled:
        yield RULE.finding(
            model.at("platform"),
            "an ensemble without `ensemble_scheduling`: Triton refuses it",
            help="add `ensemble_scheduling { step { … } }`",
        )


def _fix(model: Model, written: bool) -> Fix:
    """Change the platform, or write it on a line before the scheduling."""
    if written:
        span = model.value_at("platform")
        return Fix('platform: "ensemble"', (Edit(span.path, span.start, span.end, '"ensemble"'),))
    span = model.at("ensemble_scheduling")
    line = model.text.rfind("\n", 0, span.start) + 1
    before = model.text[line : span.start]
    gap = " " if before.strip(" \t") else "\n" + before
    return Fix('platform: "ensemble"', (Edit(span.path, span.start, span.start, f'platform: "ensemble"{gap}'),))
