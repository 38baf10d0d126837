"""# TCR030 python-import

## What it finds
In a `model.py`, an import that leads nowhere: a relative one of a file that is not in the version folder, one with
two dots, or one of a file that lies where Python does not look: in another version, or in the repository's folder.

## Why it matters
The Python backend imports the file as part of a package that is named like the version (`1.model`), so `from .x`
is looked for in the version folder and `from ..x` leads out of the package. For plain imports Python looks into the
version folder, into the model's folder and among what is installed. A failed import is a refused model.

## Bad
```
# --deployed
# text/1/model.py
from .tokens import split


class TritonPythonModel:
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
from .tokens import split


class TritonPythonModel:
    def execute(self, requests):
        return []
# text/1/tokens.py
def split(text):
    return text.split()
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«ModuleNotFoundError: No module named '1.tokens'», «ImportError: attempted relative import beyond top-level package»

## Evidence
python_backend `src/pb_stub.cc` `StubSetup`; measured on real servers 22.11 to 24.10, with the imports that work: from
the version folder, relative and plain, and from the model's folder, plain.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Entry, Finding, Model, OpenedFile, PythonModule, Rule, Severity

RULE = Rule(
    code="TCR030",
    name="python-import",
    title="A `model.py` imports a file that is not where Python looks",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config", "repository"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("python_backend src/pb_stub.cc StubSetup, measured on 22.11-24.10",),
    backends=("python",),
)


_BUILT = (".so", ".pyc", ".pyd")


def check(model: Model) -> Iterator[Finding]:
    """Look at the imports of each version that loads and lies in no deeper folder."""
    for file in model.opened.modules:
        if file.content.fault or not file.flat:
            continue
        yield from _relative(model, file)
        yield from _absolute(model, file)


def _relative(model: Model, file: OpenedFile[PythonModule]) -> Iterator[Finding]:
    package = file.version.entry("__init__.py") is not None
    seen = set()
    for one in file.content.relative:
        first = one.module.partition(".")[0]
        if (first, one.level) in seen:
            continue
        seen.add((first, one.level))
        span = file.span(one.line, one.column)
        if one.level > 1:
            yield RULE.finding(
                span,
                f"`{'.' * one.level}{one.module}` leads out of the version's folder, which is the whole package: Triton"
                " refuses the model",
                help=f"put the file into the version folder and write `.{one.module}`, or into the model's folder and"
                f" write `{one.module}`",
            )
        elif not _holds(file.version.entries, first) and not (package and one.name):
            yield RULE.finding(
                span,
                f"`.{one.module}` is not there: version {file.version.name} has no `{first}.py`; Triton refuses the"
                " model" + ("" if model.deployed else ", unless the deployment adds it"),
                help=f"put `{first}.py` beside `{file.name}`",
                severity=Severity.ERROR if model.deployed else Severity.WARNING,
                confidence=Confidence.HIGH if model.deployed else Confidence.MEDIUM,
                refused=model.deployed,
            )


def _absolute(model: Model, file: OpenedFile[PythonModule]) -> Iterator[Finding]:
    seen = set()
    for one in file.content.absolute:
        first = one.module.partition(".")[0]
        if first in seen or _holds(file.version.entries, first) or _holds(model.folder.entries, first):
            continue
        seen.add(first)
        others = [other.name for other in model.versions if _is_file(other.entries, first)]
        where = ""
        if others:
            where = f"version {others[-1]} has a `{first}.py`, but version {file.version.name} has none"
        elif f"{first}.py" in model.repository.names:
            where = f"`{first}.py` lies in the repository's folder, where Python does not look"
        if where:
            yield RULE.finding(
                file.span(one.line, one.column),
                f"`{first}` is not found unless it is installed: {where}",
                help=f"put `{first}.py` beside `{file.name}`, or into the model's folder",
                severity=Severity.WARNING,
                confidence=Confidence.MEDIUM,
                refused=False,
            )


def _holds(entries: tuple[Entry, ...], name: str) -> bool:
    """Whether a module or a package of this name can be imported from a folder."""
    named = (name, f"{name}.py")
    return any(one.name in named or one.name.startswith(f"{name}.") and one.name.endswith(_BUILT) for one in entries)


def _is_file(entries: tuple[Entry, ...], name: str) -> bool:
    return any(one.name == f"{name}.py" for one in entries)
