"""# TCB014 openvino-padding

## What it finds
An OpenVINO model with `max_batch_size` above 1 and without the parameter `ENABLE_BATCH_PADDING`.

## Why it matters
If the batch dimension of the model is fixed, each batch must have exactly `max_batch_size` rows, and a smaller one
fails at request time; with `ENABLE_BATCH_PADDING: YES` it is filled up. A model with a variable batch dimension needs
neither.

## Bad
```
# resnet/config.pbtxt
backend: "openvino"
max_batch_size: 8
```

## Good
```
# resnet/config.pbtxt
backend: "openvino"
max_batch_size: 8
parameters { key: "ENABLE_BATCH_PADDING" value { string_value: "YES" } }
```

## What Triton says
At load nothing.

## Evidence
openvino_backend `openvino.cc`, 23.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCB014",
    name="openvino-padding",
    title="An OpenVINO model whose smaller batches may fail",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=("backend", "max_batch_size", "parameters"),
    only_with=("max_batch_size",),
    evidence=("openvino_backend src/openvino.cc, 23.01-26.06",),
    backends=("openvino",),
)


def check(model: Model) -> Iterator[Finding]:
    """The parameter in any spelling, since what its value means is for another rule; and what the model says."""
    if model.config.max_batch_size < 2 or model.backend.name != "openvino":
        return
    if "ENABLE_BATCH_PADDING" in model.config.parameters:
        return
    networks = [file.content for file in model.opened.networks if file.content.inputs]
    if networks and all(one.dims is not None and one.dims[:1] == (-1,) for net in networks for one in net.inputs):
        return  # the batch dimension varies
    yield RULE.finding(
        model.at("max_batch_size"),
        f"if the model's batch dimension is fixed, requests that do not fill a batch of {model.config.max_batch_size} "
        "fail",
        help='write `parameters { key: "ENABLE_BATCH_PADDING" value { string_value: "YES" } }`; a model with a '
        "variable batch dimension does not need it",
    )
