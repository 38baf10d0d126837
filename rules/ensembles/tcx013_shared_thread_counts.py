"""# TCX013 shared-thread-counts

## What it finds
PyTorch models of one server with different values of `INTRA_OP_THREAD_COUNT`, or of `INTER_OP_THREAD_COUNT`.

## Why it matters
Both counts are one setting for the whole process: the model that loads first sets them for all, and the other values
are dropped. Which model loads first changes from start to start.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
parameters { key: "INTRA_OP_THREAD_COUNT" value { string_value: "4" } }
# track/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
parameters { key: "INTRA_OP_THREAD_COUNT" value { string_value: "1" } }
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
parameters { key: "INTRA_OP_THREAD_COUNT" value { string_value: "4" } }
# track/config.pbtxt
backend: "pytorch"
input { name: "x__0" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y__0" data_type: TYPE_FP32 dims: [ 4 ] }
parameters { key: "INTRA_OP_THREAD_COUNT" value { string_value: "4" } }
```

## What Triton says
Nothing about a value that is not used.

## Evidence
pytorch_backend `libtorch.cc` `ParseParameters`, 22.12 to 26.05.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCX013",
    name="shared-thread-counts",
    title="PyTorch models of one server want different thread counts",
    severity=Severity.WARNING,
    scope="repository",
    needs=("config", "repository"),
    reads=("parameters",),
    evidence=("pytorch_backend src/libtorch.cc ParseParameters, 22.12-26.05",),
)

COUNTS = ("INTRA_OP_THREAD_COUNT", "INTER_OP_THREAD_COUNT")


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each of the two counts that is not the same everywhere."""
    models = [model for model in repository.served.values() if _reads(model)]
    for name in COUNTS:
        wanted = {model.name: model.config.parameters[name].string_value for model in models if _sets(model, name)}
        own = [model for model in models if model.name in wanted and model.repository is repository]
        values = sorted(set(wanted.values()))
        if len(values) < 2 or not own:
            continue
        first = own[0]
        others = [model for model in models if model.name in wanted and wanted[model.name] != wanted[first.name]]
        yield RULE.finding(
            first.at("parameters", name, "value"),
            f"`{name}` is one setting for the whole server, but its PyTorch models want {listing(values, most=5)}: the"
            " model that loads first wins, and that changes from start to start",
            help=f"write the same `{name}` in all of them",
            model=first.name,
            related=[
                Related(f"`{model.name}` wants `{wanted[model.name]}`", model.at("parameters", name, "value"))
                for model in others[:6]
            ],
        )


def _reads(model: Model) -> bool:
    return bool(model.config.parameters) and model.backend.name == "pytorch" and not model.unknown("parameters")


def _sets(model: Model, name: str) -> bool:
    """Whether it has a number there; anything else is for another rule."""
    return name in model.config.parameters and model.config.parameters[name].string_value.strip().isdigit()
