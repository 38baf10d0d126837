"""# TCR026 python-syntax-error

## What it finds
A `model.py` that Python cannot read.

## Why it matters
The Python backend imports the file when the model loads. With auto-complete it does so in a process of its own
first; on 22.12 to 23.11 such a failure also ended the polling of the repository for good, and on 23.07 it can leave
the load hanging.

## Bad
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests)
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
«load failed for model 'text': version 1 is at UNAVAILABLE state: Internal: SyntaxError: expected ':' (model.py, line
2)»

## Evidence
python_backend `src/pb_stub.cc`; measured on real servers 22.11 to 24.10; server issues 6534 and 6710. With an image the
syntax is that of the Python in it: 3.8 from 20.12 on, 3.10 in 23.06 to 24.10, 3.12 from 24.11 on.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCR026",
    name="python-syntax-error",
    title="A `model.py` that Python cannot read",
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
        if not module.fault:
            continue
        span = file.span(module.line, module.column)
        if not module.newer:
            yield RULE.finding(
                span,
                f"Python cannot read `{file.name}`: {module.fault}; Triton refuses the model",
                help="mend it there, or just before",
            )
            continue
        newer = ".".join(map(str, module.newer))
        older = model.launch.facts is not None and "Python" in module.fault
        yield RULE.finding(
            span,
            f"only Python {newer} and later can read `{file.name}`: {module.fault}",
            help=f"make sure that Python {newer} or later runs it, or write it in another way",
            severity=Severity.ERROR if older else Severity.WARNING,
            confidence=Confidence.MEDIUM,
            refused=older,
        )
