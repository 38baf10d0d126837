"""# TCR029 python-auto-complete

## What it finds
A method `auto_complete_config` that the Python backend cannot call, or that returns nothing; and a configuration
that leaves out a type or dims which only such a method could fill in, where the class has none.

## Why it matters
With auto-complete, the default since 22.07, the backend calls `TritonPythonModel.auto_complete_config(config)` on the
class, before there is an object, and takes the configuration that it returns. A method with `self` lacks an
argument then; one that only changes what it was given, and returns nothing, is refused too.

## Bad
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    def auto_complete_config(self, config):
        config.set_max_batch_size(8)
        return config

    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
```

## Good
```
# --deployed
# text/1/model.py
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.set_max_batch_size(8)
        return config

    def execute(self, requests):
        return []
# text/config.pbtxt
backend: "python"
```

## What Triton says
«TypeError: TritonPythonModel.auto_complete_config() missing 1 required positional argument: 'config'»,
«auto_complete_config function in model 'text' must return a valid pb.ModelConfig object», or «model input 'a' must
specify 'data_type' for text».

## Evidence
python_backend `src/pb_stub.cc` `AutoCompleteModelConfig` and core `model_config_utils.cc` `ValidateModelIOConfig`,
22.07 to 26.06; measured on real servers 22.11 to 24.10: a method without `self` and without `@staticmethod`, and a
class method, load.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, ModelClass, OpenedFile, PythonModule, Related, Rule, Severity

RULE = Rule(
    code="TCR029",
    name="python-auto-complete",
    title="`auto_complete_config` is wrong, or missing where it is needed",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    refused=True,
    since=(22, 7),
    evidence=("python_backend src/pb_stub.cc, measured on 22.11-24.10",),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the class in the module of each version that loads."""
    if model.launch.autocomplete is False:
        return
    for file in model.opened.modules:
        found = file.content.model_class
        if file.content.fault or found is None:
            continue
        if found.method("auto_complete_config") is not None:
            yield from _method(file, found)
        elif found.plain:
            yield from _gaps(model, file, found)


def _method(file: OpenedFile[PythonModule], found: ModelClass) -> Iterator[Finding]:
    method = found.method("auto_complete_config")
    if method is None or method.kind == "unknown":
        return
    span = file.span(method.line, method.column)
    if not method.takes(2 if method.kind == "class" else 1):
        yield RULE.finding(
            span,
            "`auto_complete_config` is called on the class, with one argument, which this one cannot take: Triton"
            " refuses the model",
            help="write `@staticmethod` and `def auto_complete_config(auto_complete_model_config):`",
        )
    elif not method.returns:
        yield RULE.finding(
            span,
            "`auto_complete_config` returns nothing: Triton refuses the model",
            help="end it with `return` and the configuration that it was given",
        )


def _gaps(model: Model, file: OpenedFile[PythonModule], found: ModelClass) -> Iterator[Finding]:
    """The first tensor that stays incomplete; the rest follows from it."""
    for field in ("input", "output"):
        for index, tensor in enumerate(getattr(model.config, field)):
            lacking = "data_type" if not tensor.data_type else "dims" if not tensor.dims else ""
            if not lacking or model.unknown(field):
                continue
            yield RULE.finding(
                model.at(field, index),
                f"{field} `{tensor.name}` has no `{lacking}`, and nothing fills it in: `TritonPythonModel` in"
                f" `{file.name}` has no `auto_complete_config`; Triton refuses the model",
                help=f"write `{lacking}`, or a static method `auto_complete_config` that adds this {field}",
                related=[Related("this class", file.span(found.line, found.column))],
            )
            return
