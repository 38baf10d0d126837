"""# TCB021 warmup-above-max

## What it finds
A `model_warmup` sample of a Python model whose `batch_size` is above `max_batch_size`. A model that does not batch
takes samples of 1.

## Why it matters
The sample is run while the model loads. The Python backend refuses a batch that is larger than the model says, so that
the warmup fails, and with it the load. (Before 22.06 a failing warmup was only logged.)

## Bad
```
# --deployed
# resize/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# resize/config.pbtxt
backend: "python"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 3 ] }
model_warmup {
  name: "zeros"
  batch_size: 16
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] zero_data: true } }
}
```

## Good
```
# --deployed
# resize/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# resize/config.pbtxt
backend: "python"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 3 ] }
model_warmup {
  name: "zeros"
  batch_size: 8
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3 ] zero_data: true } }
}
```

## What Triton says
«failed to run warmup sample 'zeros': batch size 16 for 'resize_0', max allowed is 8»

## Evidence
Measured on real servers 22.11 to 24.10 with their Python backend; server issue 4412. The core itself does not check it:
it is the backend that does, and what others do was not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCB021",
    name="warmup-above-max",
    title="A warmup sample of a Python model is larger than `max_batch_size`",
    severity=Severity.ERROR,
    reads=("model_warmup", "max_batch_size", "backend", "platform", "instance_group"),
    only_with=("model_warmup",),
    refused=True,
    evidence=("measured on 22.11-24.10 with python_backend", "server issue 4412"),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """Samples that are run, on an instance that is not passive."""
    groups = model.config.instance_group
    if groups and all(getattr(group, "passive", False) for group in groups):
        return
    most = max(1, model.config.max_batch_size)
    for index, sample in enumerate(model.config.model_warmup):
        if sample.batch_size > most:
            yield _finding(model, index, sample.batch_size, most)


def _finding(model: Model, index: int, size: int, most: int) -> Finding:
    release = model.launch.release
    fatal = release is None or release >= (22, 6)
    exact = model.part.exact
    tried = release is not None and (22, 11) <= release[:2] <= (24, 10)
    limit = f"`max_batch_size: {most}`" if model.config.max_batch_size > 0 else "1, for the model does not batch"
    outcome = "the load fails" if fatal else "the warmup fails, which this release only logs"
    unless = "" if exact else ", unless `auto_complete_config` raises it"
    written = model.written("max_batch_size")
    return RULE.finding(
        model.at("model_warmup", index, "batch_size"),
        f"a warmup sample of {size} is above {limit}{unless}: {outcome}",
        help=f"write `batch_size: {most}`" + ("" if model.config.max_batch_size > 0 else ", or set `max_batch_size`"),
        related=[Related("the limit", model.at("max_batch_size"))] if written else [],
        severity=Severity.ERROR if fatal and exact else Severity.WARNING,
        confidence=Confidence.HIGH if exact and tried else Confidence.MEDIUM,
        refused=fatal and exact,
    )
