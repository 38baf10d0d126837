"""# TCR013 two-candidates

## What it finds
A model without `backend` and `platform` whose first version folder holds two files by which Triton tells the backend,
such as `model.py` beside `model.onnx`.

## Why it matters
Triton takes the first that it finds in an order of its own (SavedModel, GraphDef, plan, ONNX, OpenVINO, TorchScript,
Python), without a word. Which of the files is served is then decided by that order: a `model.py` that loads the
`model.onnx` beside it never runs.

## Bad
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
# text/config.pbtxt
max_batch_size: 8
```

## Good
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,3])
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` `AutoCompleteBackendFields`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, listing

RULE = Rule(
    code="TCR013",
    name="two-candidates",
    title="Two files tell the backend, and no `backend` is written",
    severity=Severity.WARNING,
    needs=("files", "config"),
    reads=("backend", "platform", "default_model_filename"),
    evidence=("core src/model_config_utils.cc AutoCompleteBackendFields, 20.01-26.06",),
)


def check(model: Model) -> Iterator[Finding]:
    """Count the files that Triton recognises in the folder that it looks into."""
    if model.variant or model.backend.source != "files":
        return
    first = model.folder.folders[0]
    found = model.recognised(first)
    if len(found) < 2:
        return
    (served, backend), *rest = found
    yield RULE.finding(
        model.at("backend") if model.config_path else model.file_span(first.name, served),
        f"version {first.name} holds {listing(name for name, _ in found)}, and no `backend` is written: Triton serves"
        f" `{served}` by {backend}",
        help=f'write `backend: "{backend}"`, or `backend: "{rest[0][1]}"` if `{rest[0][0]}` is meant',
        related=[Related("never opened by Triton", model.file_span(first.name, name)) for name, _ in rest],
    )
