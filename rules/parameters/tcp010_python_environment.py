"""# TCP010 python-environment

## What it finds
An `EXECUTION_ENV_PATH` of a Python model that leads to nothing: no such file (with `--deployed`), a
`$$TRITON_MODEL_DIRECTORY` that is spelled otherwise or does not stand at the beginning, a relative path, or a folder
that is no environment.

## Why it matters
The Python backend unpacks this archive, or takes this folder, before it starts the process that runs the model. Only
`$$TRITON_MODEL_DIRECTORY` at the very beginning stands for the model's folder; a relative path is looked for from
where the server was started.

## Bad
```
# text/env.tar.gz
(an archive)
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
parameters {
  key: "EXECUTION_ENV_PATH"
  value: { string_value: "$TRITON_MODEL_DIRECTORY/env.tar.gz" }
}
```

## Good
```
# text/env.tar.gz
(an archive)
# text/1/model.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
parameters {
  key: "EXECUTION_ENV_PATH"
  value: { string_value: "$$TRITON_MODEL_DIRECTORY/env.tar.gz" }
}
```

## What Triton says
«Failed to get the canonical path for …/text/env.tar.gz.», «archive_read_open_filename() failed.», or «Path
…/env/bin/activate does not exist. The Python environment should contain an 'activate' script.»

## Evidence
python_backend `src/pb_env.cc` `ExtractIfNotExtracted` and `src/python_be.cc`, 20.12 to 26.06; measured on real servers
22.11 to 24.10.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity, Span, has_hole

RULE = Rule(
    code="TCP010",
    name="python-environment",
    title="`EXECUTION_ENV_PATH` leads to nothing",
    severity=Severity.ERROR,
    needs=("config", "files"),
    reads=("backend", "platform", "default_model_filename", "parameters"),
    refused=True,
    evidence=("python_backend src/pb_env.cc, 20.12-26.06", "measured on 22.11-24.10"),
    only_with=("parameters",),
    backends=("python",),
)

_KEY = "EXECUTION_ENV_PATH"
_FOLDER = "$$TRITON_MODEL_DIRECTORY"
_MISSPELLED = re.compile(r"\$?\$?[{(]?TRITON_MODEL_(?:DIRECTORY|DIR|PATH)[)}]?|\$\$?[{(]?MODEL_DIR(?:ECTORY)?[)}]?")


def check(model: Model) -> Iterator[Finding]:
    """Look at the path and, as far as it is within the model's folder, at what is there."""
    if model.backend.name != "python" or _KEY not in model.config.parameters:
        return
    path = model.config.parameters[_KEY].string_value
    if not path or has_hole(path.replace("${TRITON_MODEL_DIRECTORY}", "")):
        return
    if path.startswith(_FOLDER):
        yield from _inside(model, path.removeprefix(_FOLDER).strip("/"))
        return
    if path.startswith("/") and _FOLDER not in path:
        return
    span = _span(model)
    if _FOLDER in path:
        yield RULE.finding(
            span,
            f"`{_FOLDER}` stands for the model's folder only at the beginning: Triton refuses the model",
            help=f"write `{path[path.index(_FOLDER) :]}`",
        )
    elif found := _MISSPELLED.match(path):
        right = _FOLDER + path[found.end() :]
        yield RULE.finding(
            span,
            f"`{found.group()}` stands for nothing, it is taken as it is: Triton refuses the model",
            help=f"write `{right}`",
            fix=_fix(span, right),
        )
    else:
        name = path.removeprefix("./")
        there = model.contents.exists(f"{model.folder.path}/{name}")
        right = f"{_FOLDER}/{name}"
        yield RULE.finding(
            span,
            f"`{path}` is looked for in the folder in which the server was started, not in the model's",
            help=f"write `{right}`" + ("" if there else ", or the whole path as the server sees it"),
            severity=Severity.WARNING,
            confidence=Confidence.HIGH if there else Confidence.MEDIUM,
            refused=False,
            fix=_fix(span, right) if there else None,
        )


def _span(model: Model) -> Span:
    return model.value_at("parameters", _KEY, "value", "string_value")


def _inside(model: Model, name: str) -> Iterator[Finding]:
    path = f"{model.folder.path}/{name}"
    if not model.contents.exists(path):
        elsewhere = next((one.name for one in model.versions if "/" not in name and one.entry(name)), "")
        if model.deployed or elsewhere:
            span = _span(model)
            yield RULE.finding(
                span,
                f"`{name}` is not in the model's folder"
                + (f", it lies in version {elsewhere}" if elsewhere else "")
                + ": Triton refuses the model",
                help=f"write `{_FOLDER}/{elsewhere}/{name}`" if elsewhere else "put the environment there",
                fix=_fix(span, f"{_FOLDER}/{elsewhere}/{name}") if elsewhere else None,
            )
    elif model.contents.is_folder(path):
        if model.deployed and not model.contents.exists(f"{path}/bin/activate"):
            yield RULE.finding(
                _span(model),
                f"`{name}` is a folder without `bin/activate`, no Python environment: Triton refuses the model",
                help="name an environment as `conda-pack` makes it, unpacked or as an archive",
            )
    elif model.deployed and model.contents.kind(path) in ("empty", "a Git LFS pointer", "an HTML page"):
        yield RULE.finding(
            _span(model),
            f"`{name}` is {model.contents.kind(path)}, no archive: Triton refuses the model",
            help="put the archive itself there",
        )


def _fix(span: Span, right: str) -> Fix:
    return Fix(f'"{right}"', (Edit(span.path, span.start, span.end, f'"{right}"'),))
