"""# TCR027 python-class-missing

## What it finds
A `model.py` that defines no class `TritonPythonModel`.

## Why it matters
The Python backend takes that class from the file, by this very name, and refuses the model if it is not there. It may
be imported from another file or assigned; a file that does so in a way that cannot be followed is left alone.

## Bad
```
# --deployed
# text/1/model.py
class TextModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## Good
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«load failed for model 'text': version 1 is at UNAVAILABLE state: Internal: AttributeError: module '1.model' has no
attribute 'TritonPythonModel'»

## Evidence
python_backend `src/pb_stub.cc`; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR027",
    name="python-class-missing",
    title="A `model.py` without the class `TritonPythonModel`",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("python_backend src/pb_stub.cc, measured on 22.11-24.10",),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the module of each version that loads."""
    for file in model.opened.modules:
        module = file.content
        if module.fault or not module.known or module.model_class is not None:
            continue
        help_ = "write `class TritonPythonModel:` with a method `execute(self, requests)`"
        line = column = 1
        if len(module.classes) == 1:
            name, line, column = module.classes[0]
            help_ = f"name the class `{name}` `TritonPythonModel`, or add `TritonPythonModel = {name}`"
        yield RULE.finding(
            file.span(line, column),
            f"`{file.name}` defines no class `TritonPythonModel`: Triton refuses the model",
            help=help_,
        )
