"""# TCZ002 stub-in-model

## What it finds
A `triton_python_backend_stub` in the folder of a Python model.

## Why it matters
It is run instead of the server's own. That is how a model gets another version of Python, and how whoever can write
into the model repository runs anything on the server. The stub must be built for exactly this release of Triton and
this version of Python: with another the load hangs or the model crashes later.

## Bad
```
# text/triton_python_backend_stub
(a program)
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## Good
```
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
python_backend `src/stub_launcher.cc`, 20.12 to 26.06; a stub that is no program hung the load on 24.10 (measured);
server issues 4132 and 6144.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ002",
    name="stub-in-model",
    title="A Python model brings the program along that runs it",
    severity=Severity.WARNING,
    needs=("files", "config", "modelfile"),
    reads=("backend", "platform", "default_model_filename"),
    evidence=("python_backend src/stub_launcher.cc, 20.12-26.06",),
    backends=("python",),
)

_NAME = "triton_python_backend_stub"


def check(model: Model) -> Iterator[Finding]:
    """Look for the program in the folders of Python models."""
    if model.variant or model.backend.name != "python" or model.entry(_NAME) is None:
        return
    yield RULE.finding(
        model.file_span(_NAME),
        "this program is run in the place of the server's own, and must be built for this very release of Triton",
        help="build it anew for each release, or take it away if the image's Python will do",
    )
