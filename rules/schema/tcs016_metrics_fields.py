"""# TCS016 metrics-fields

## What it finds
A `metric_control` in `model_metrics` that lacks what Triton wants of it: `metric_identifier` with a `family`, and
`histogram_options` with `buckets`.

## Why it matters
Triton refuses the model. The field exists since 24.11, and so far it can change the buckets of histograms only.

## Bad
```
# --triton 25.06
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_metrics { metric_control { metric_identifier { family: "nv_inference_first_response_histogram_ms" } } }
```

## Good
```
# --triton 25.06
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_metrics {
  metric_control {
    metric_identifier { family: "nv_inference_first_response_histogram_ms" }
    histogram_options { buckets: [ 100, 500, 2000 ] }
  }
}
```

## What Triton says
«metric control must specify», «metric identifier must specify non-empty 'family'», «histogram options must specify
non-empty 'buckets'»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 24.11 to 26.06, by reading.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCS016",
    name="metrics-fields",
    title="`model_metrics` lacks the name or the buckets of a metric",
    severity=Severity.ERROR,
    reads=("model_metrics",),
    refused=True,
    since=(24, 11),
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 24.11-26.06",),
    only_with=("model_metrics",),
)


def check(model: Model) -> Iterator[Finding]:
    """What each metric control lacks first."""
    if not hasattr(model.config, "model_metrics"):
        return
    for number, control in enumerate(model.config.model_metrics.metric_control):
        path: tuple[str | int, ...] = ("model_metrics", "metric_control", number)
        if not control.HasField("metric_identifier"):
            lacking, place = "metric_identifier { family: … }", path
        elif not control.metric_identifier.family:
            lacking, place = "family", (*path, "metric_identifier")
        elif not control.HasField("histogram_options"):
            lacking, place = "histogram_options { buckets: [ … ] }", path
        elif not control.histogram_options.buckets:
            lacking, place = "buckets", (*path, "histogram_options")
        else:
            continue
        yield RULE.finding(
            model.at(*place),
            f"this metric control has no `{lacking.split(' ')[0]}`: Triton refuses the model",
            help=f"add `{lacking}`" if "{" in lacking else f"give `{lacking}` a value",
        )
