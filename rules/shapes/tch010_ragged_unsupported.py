"""# TCH010 ragged-unsupported

## What it finds
`allow_ragged_batch: true` on an OpenVINO model.

## Why it matters
The backend does not join ragged inputs into one tensor, but the scheduler puts requests of different shapes into one
batch, and they fail together. (A Python model gets the requests as they are and may join them itself.)

## Bad
```
# net/config.pbtxt
backend: "openvino"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## Good
```
# net/config.pbtxt
backend: "openvino"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
```

## What Triton says
Nothing.

## Evidence
openvino_backend sources, which read neither `allow_ragged_batch` nor `batch_input`, 22.12 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCH010",
    name="ragged-unsupported",
    title="Ragged batching on a backend that does not join such inputs",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=("input", "max_batch_size", "backend", "platform"),
    evidence=("openvino_backend src/openvino.cc, 22.12-26.06",),
    only_with=("input",),
)


def check(model: Model) -> Iterator[Finding]:
    """Every ragged input of such a model, where there are batches at all."""
    if model.backend.name != "openvino" or not model.config.max_batch_size:
        return
    for index, tensor in enumerate(model.config.input):
        if tensor.allow_ragged_batch:
            yield RULE.finding(
                model.at("input", index, "allow_ragged_batch"),
                f"the openvino backend does not join ragged inputs: requests with different shapes of `{tensor.name}`"
                " fail together",
                help="delete `allow_ragged_batch`",
            )
