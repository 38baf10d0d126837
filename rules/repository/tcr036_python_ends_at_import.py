"""# TCR036 python-ends-at-import

## What it finds
A `model.py` whose import ends in an error whatever the data: a name that is read while the file is imported (a base
class, a decorator, a default, a constant) and that nothing in the file binds, or a `raise` outside of any block.

## Why it matters
The Python backend imports the file when the model is loaded. An exception there is a refused model. Names that may come
from elsewhere (`import *`, `exec`, `globals()`) are left alone, and so is all that stands in `if`, `try`, `with` or a
loop.

## Bad
```
# --deployed
# text/1/model.py
class TritonPythonModel(Base):
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
from base import Base


class TritonPythonModel(Base):
    def execute(self, requests):
        return []
# text/base.py
class Base:
    pass
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«NameError: name 'Base' is not defined», or the words of the exception that is raised

## Evidence
python_backend `src/pb_stub.cc` `StubSetup`; measured on real servers 22.11 to 24.10: all six refuse both.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR036",
    name="python-ends-at-import",
    title="A `model.py` that cannot be imported: an unknown name, or a `raise`",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("python_backend src/pb_stub.cc StubSetup, measured on 22.11-24.10",),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the module of each version that loads."""
    for file in model.opened.modules:
        for one in file.content.failures:
            if one.name:
                what = f"`{one.name}` is read while the file is imported, and nothing in it defines that name"
                help_ = f"import or define `{one.name}` above"
            else:
                what = "this `raise` runs whenever the file is imported"
                help_ = "delete it, or put it below a condition or into a method"
            yield RULE.finding(file.span(one.line, one.column), f"{what}: Triton refuses the model", help=help_)
