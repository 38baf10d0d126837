"""# TCH021 openvino-io-mismatch

## What it finds
An input or output in a configuration whose name no input or output of the OpenVINO `.xml` has.

## Why it matters
The backend takes only the names of the model, and refuses a configuration with another one. Names get lost when a
model is converted, or become numbers. Types and shapes are not compared here.

## Bad
```
# resnet/1/model.xml
<?xml version="1.0"?>
<net name="resnet" version="11">
  <layers>
    <layer id="0" name="images" type="Parameter" version="opset1">
      <data shape="?,3,224,224" element_type="f32" />
      <output><port id="0" precision="FP32" names="images" /></output>
    </layer>
  </layers>
</net>
# resnet/config.pbtxt
backend: "openvino"
max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## Good
```
# resnet/1/model.xml
<?xml version="1.0"?>
<net name="resnet" version="11">
  <layers>
    <layer id="0" name="images" type="Parameter" version="opset1">
      <data shape="?,3,224,224" element_type="f32" />
      <output><port id="0" precision="FP32" names="images" /></output>
    </layer>
  </layers>
</net>
# resnet/config.pbtxt
backend: "openvino"
max_batch_size: 8
input { name: "images" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] }
```

## What Triton says
«unexpected inference input 'image', allowed inputs are: images»

## Evidence
openvino_backend `openvino.cc` `ValidateInputs`, `ValidateOutputs` and backend `backend_common.cc`
`CheckAllowedModelInput`, 21.10 to 26.06; names as OpenVINO 2026.4 gives them.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Network, OpenedFile, Related, Rule, Severity, has_hole

RULE = Rule(
    code="TCH021",
    name="openvino-io-mismatch",
    title="Inputs or outputs are not those of the OpenVINO model",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("config", "files", "modelfile"),
    reads=("backend", "platform", "default_model_filename", "version_policy", "input", "output"),
    refused=True,
    evidence=("openvino_backend src/openvino.cc ValidateInputs, ValidateOutputs, 21.10-26.06",),
    only_with=("input", "output"),
    backends=("openvino",),
)


def check(model: Model) -> Iterator[Finding]:
    """Compare names with the network of each version that loads; before version 11 tensors had none of their own."""
    for file in model.opened.networks:
        if file.content.fault or file.content.version < 11:
            continue
        yield from _names(model, file, "input")
        yield from _names(model, file, "output")


def _names(model: Model, file: OpenedFile[Network], field: str) -> Iterator[Finding]:
    tensors = file.content.inputs if field == "input" else file.content.outputs
    if not tensors or not all(one.names for one in tensors):
        return
    there = {name for one in tensors for name in one.names}
    for index, tensor in enumerate(getattr(model.config, field)):
        if tensor.name and tensor.name not in there and not has_hole(tensor.name):
            shown = ", ".join(f"`{one.names[0]}`" for one in tensors[:6]) + (", …" if len(tensors) > 6 else "")
            yield RULE.finding(
                model.value_at(field, index, "name"),
                f"`{file.name}` has no {field} `{tensor.name}`: Triton refuses the model",
                help=f"the {field}s of the model are {shown}",
                related=[Related("the model", file.span())],
            )
