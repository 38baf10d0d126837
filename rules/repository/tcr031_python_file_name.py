"""# TCR031 python-file-name

## What it finds
A `default_model_filename` of a Python model that does not end in `.py`, or has another dot in the name of the file or
of a folder.

## Why it matters
The Python backend cuts `.py` off and imports the rest as a module; `my.model.py` would be the file `model.py` in a
folder `my`. Such a model is refused; on 23.07 the load can hang instead.

## Bad
```
# --deployed
# text/1/text.v2.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
default_model_filename: "text.v2.py"
```

## Good
```
# --deployed
# text/1/text_v2.py
class TritonPythonModel:
    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
max_batch_size: 8
default_model_filename: "text_v2.py"
```

## What Triton says
«Model name must end with '.py'. Model name is "text.sh".», or «ModuleNotFoundError: No module named '1.text'»

## Evidence
python_backend `src/pb_stub.cc` `StubSetup`; measured on real servers 22.11 to 24.10: `serve.py`, `my-model.py` and
`src/serve.py` load, `serve.sh`, `my.model.py` and `src.v2/serve.py` do not.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, has_hole

RULE = Rule(
    code="TCR031",
    name="python-file-name",
    title="`default_model_filename` is no name that Python can import",
    severity=Severity.ERROR,
    reads=("backend", "platform", "default_model_filename"),
    refused=True,
    evidence=("python_backend src/pb_stub.cc StubSetup, measured on 22.11-24.10",),
    only_with=("default_model_filename",),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the last part of the name."""
    if model.backend.name != "python" or not model.config.default_model_filename:
        return
    *folders, name = model.config.default_model_filename.split("/")
    span = model.value_at("default_model_filename")
    if has_hole(name):
        return
    if not name.endswith(".py"):
        yield RULE.finding(
            span,
            f"`{name}` does not end in `.py`: the Python backend refuses the model",
            help="name the file `model.py`, or another name that ends in `.py`",
        )
    elif "." in name.removesuffix(".py"):
        yield RULE.finding(
            span,
            f"`{name}` has a dot in its name, so Python looks for a package"
            f" `{name.partition('.')[0]}`: the Python backend refuses the model",
            help=f"name the file `{name.removesuffix('.py').replace('.', '_')}.py`",
        )
    elif any("." in one.strip(".") for one in folders):
        yield RULE.finding(
            span,
            f"`{'/'.join(folders)}` has a dot in its name, which Python takes for the end of a package's: the Python"
            " backend refuses the model",
            help="give the folder a name without a dot",
        )
