"""# TCZ004 pickle

## What it finds
A pickle in the version folder of a model: `.pkl`, `.pickle`, `.joblib`, or a file that begins like one.

## Why it matters
Whoever unpickles a file runs the code that is in it. A model from a source that you do not trust should come as ONNX or
safetensors.

## Bad
```
# churn/1/forest.pkl
(a pickle)
# churn/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# churn/config.pbtxt
backend: "python"
max_batch_size: 8
```

## Good
```
# churn/1/forest.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# churn/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# churn/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
The format is that of Python's `pickle`; python_backend runs `model.py` as any release from 20.08 to 26.06 does.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCZ004",
    name="pickle",
    title="A model's folder holds a pickle, which runs code when it is read",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    needs=("files", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    evidence=("python_backend src/pb_stub.cc, 20.08-26.06",),
)

_ENDINGS = (".pkl", ".pickle", ".joblib")


def check(model: Model) -> Iterator[Finding]:
    """Look at the names in the versions that load."""
    if model.variant:
        return
    for version in model.loaded:
        found = [one.name for one in version.entries if one.kind == "file" and one.name.lower().endswith(_ENDINGS)]
        if found:
            yield RULE.finding(
                model.file_span(version.name, found[0]),
                f"{listing(found)} can run any code when read: a pickle is a program",
                help="take pickles from nobody but yourself; ONNX and safetensors hold data only",
            )
