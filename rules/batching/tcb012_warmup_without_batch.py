"""# TCB012 warmup-without-batch

## What it finds
A `model_warmup` sample without `batch_size`, or with 0.

## Why it matters
Triton skips the sample without a word, so that the model is not warm when it is READY. A model that does not batch
needs `batch_size: 1` as well.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3, 224, 224 ] zero_data: true } }
}
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] }
model_warmup {
  name: "zeros"
  batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3, 224, 224 ] zero_data: true } }
}
```

## What Triton says
«Skipping batch 0 warmup sample 'zeros'», and that only with `--log-verbose=1`

## Evidence
core `backend_model_instance.cc` `GenerateWarmupData`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10, where a
sample that would be refused loads without `batch_size`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCB012",
    name="warmup-without-batch",
    title="A warmup sample without `batch_size` is skipped",
    severity=Severity.WARNING,
    reads=("model_warmup",),
    only_with=("model_warmup",),
    evidence=("core src/backend_model_instance.cc GenerateWarmupData, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """Every sample."""
    for index, sample in enumerate(model.config.model_warmup):
        if sample.batch_size:
            continue
        path = ("model_warmup", index)
        name = f" `{sample.name}`" if sample.name else ""
        if model.written(*path, "batch_size"):
            place = model.value_at(*path, "batch_size")
            edit = Edit(place.path, place.start, place.end, "1")
        elif sample.name:
            place = model.value_at(*path, "name")
            edit = Edit(place.path, place.end, place.end, " batch_size: 1")
        else:
            edit = None
        yield RULE.finding(
            model.at(*path, "batch_size"),
            f"warmup sample{name} is skipped without a word: its `batch_size` is 0",
            help="write `batch_size: 1`, also where the model does not batch",
            fix=Fix("batch_size: 1", (edit,)) if edit else None,
        )
