"""# TCR028 python-method

## What it finds
A class `TritonPythonModel` without the method `execute`, or with a method that cannot be called as the Python backend
calls it: `execute(self, requests)`, `initialize(self, args)`, `finalize(self)`, and a constructor without arguments.
Also `async def initialize`, which is called but never run, and up to 24.03 `async def execute` of a decoupled model.

## Why it matters
A constructor or an `initialize` that takes other arguments is a refused model. Nobody looks at `execute` before the
first request: the model loads, is ready, and every request fails.

## Bad
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def initialize(self):
        self.size = 3

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
    def initialize(self, args):
        self.size = 3

    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«TypeError: TritonPythonModel.initialize() takes 1 positional argument but 2 were given» for `initialize`. Of
`execute` the model's load says nothing.

## Evidence
python_backend `src/pb_stub.cc` `Initialize`, `ProcessRequests`; measured on real servers 22.11 to 24.10: a class
without `execute`, or with `execute(self)`, loads on all six. So does one whose `async def initialize` raises. A warmup
shows what requests meet: `async def execute` serves on all six, but of a decoupled model only on 24.10; up to 24.03 it
is «using the decoupled mode and the execute function must return None».
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Method, Model, ModelClass, OpenedFile, PythonModule, Rule, Severity

RULE = Rule(
    code="TCR028",
    name="python-method",
    title="A method of `TritonPythonModel` is missing or takes other arguments",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("python_backend src/pb_stub.cc, measured on 22.11-24.10",),
    backends=("python",),
)

# Method, how it is to be written, the number of arguments it is called with, and what follows if it cannot be.
_CALLED = (
    ("__init__", "__init__(self)", 0, "Triton refuses the model"),
    ("initialize", "initialize(self, args)", 1, "Triton refuses the model"),
    ("execute", "execute(self, requests)", 1, "the model loads, but every request fails"),
    ("finalize", "finalize(self)", 0, "it fails when the model is unloaded"),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the class in the module of each version that loads."""
    for file in model.opened.modules:
        found = file.content.model_class
        if file.content.fault or found is None:
            continue
        if found.plain and found.method("execute") is None:
            yield RULE.finding(
                file.span(found.line, found.column),
                "`TritonPythonModel` has no method `execute`: the model loads, but every request fails",
                help="write `def execute(self, requests):`, which returns one `InferenceResponse` for each request",
                severity=Severity.WARNING,
                refused=False,
            )
        yield from _methods(file, found)
        yield from _awaited(model, file, found)


def _methods(file: OpenedFile[PythonModule], found: ModelClass) -> Iterator[Finding]:
    for name, wanted, count, outcome in _CALLED:
        method = found.method(name)
        if method is None or _fits(method, count) or (name == "__init__" and not found.plain):
            continue
        refused = "refuses" in outcome
        yield RULE.finding(
            file.span(method.line, method.column),
            f"`{name}` is called with {'one argument' if count else 'no argument'}, which this one cannot take:"
            f" {outcome}",
            help=f"write `def {wanted}:`",
            severity=Severity.ERROR if refused else Severity.WARNING,
            refused=refused,
        )


def _awaited(model: Model, file: OpenedFile[PythonModule], found: ModelClass) -> Iterator[Finding]:
    """Coroutines: nobody runs that of `initialize`; that of `execute` is taken for a returned value if decoupled."""
    release = model.launch.release
    for name in ("initialize", "execute"):
        method = found.method(name)
        if method is None or not method.awaited or method.kind == "unknown":
            continue
        if name == "initialize":
            tried = release is not None and (22, 11) <= release[:2] <= (24, 10)
            what, sure = "`async def initialize` is never run: the model loads as if it had none", tried
        elif model.config.model_transaction_policy.decoupled and release is not None and release[:2] <= (24, 3):
            what = "`async def execute` of a decoupled model: this release refuses every request, a warmup too"
            sure = release[:2] >= (22, 11)
        else:
            continue
        yield RULE.finding(
            file.span(method.line, method.column),
            what,
            help=f"write `def {name}`, without `async`",
            severity=Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            refused=False,
        )


def _fits(method: Method, count: int) -> bool:
    return method.kind == "unknown" or method.takes(count if method.kind == "static" else count + 1)
