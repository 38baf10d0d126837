"""# TCR018 stray-config

## What it finds
A configuration where Triton does not read it: in a version folder, in the repository's folder beside the models, or
with a name that only looks like `config.pbtxt` in a model that has none.

## Why it matters
Only `<model>/config.pbtxt` is read, by exactly that name. The model then loads with what the backend completes by
itself, or not at all, and what was written has no effect.

## Bad
```
# --deployed
# resnet/1/config.pbtxt
backend: "onnxruntime"
max_batch_size: 32
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --deployed
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` `GetModelConfigFullPath`, 20.01 to 26.06; server issue 2687.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCR018",
    name="stray-config",
    title="A configuration lies where Triton does not read it",
    severity=Severity.WARNING,
    scope="repository",
    needs=("repository", "files"),
    evidence=("core src/model_config_utils.cc GetModelConfigFullPath, 20.01-26.06",),
)

_NAME = "config.pbtxt"
_ALIKE = frozenset(
    (
        *("config.pbtxt.txt", "config.txt", "config.pbtext", "config.pbtx", "config.pdtxt", "config.pbxt"),
        *("config.prototxt", "config.textproto", "config.pb.txt", "config", "config.protobuf", "configs.pbtxt"),
        *("model.pbtxt", "model_config.pbtxt", "conf.pbtxt", "config.ptxt", "config..pbtxt"),
    )
)


def check(repository: Repository) -> Iterator[Finding]:
    """Look at the names of files, in the repository, its models and their versions."""
    models = [model for model in repository.models if not model.variant]
    entry = next((one for one in repository.folder.entries if one.name == _NAME), None)
    if entry is not None and entry.kind == "file" and models and repository.source.is_repository:
        yield RULE.finding(
            repository.span(_NAME),
            f"`{_NAME}` lies in the repository's folder, beside the models: Triton does not read it",
            help="make a folder for this model, with its configuration and a version folder in it",
        )
    for model in models:
        for version in model.versions:
            if version.entry(_NAME) is not None:
                yield RULE.finding(
                    model.file_span(version.name, _NAME),
                    f"Triton does not read a `{_NAME}` in a version folder; one configuration serves all versions",
                    help=f"move what it says to `{model.name}/{_NAME}`, and delete it",
                    model=model.name,
                )
    for folder in repository.folder.models:
        if folder.entry(_NAME) is not None or not any(one.number is not None for one in folder.folders):
            continue
        alike = [one.name for one in folder.entries if one.kind == "file" and one.name.lower() in (_NAME, *_ALIKE)]
        if len(alike) == 1:
            yield RULE.finding(
                repository.span(folder.name, alike[0]),
                f"Triton reads `{_NAME}` and nothing else: `{folder.name}` has no configuration",
                help=f"rename `{alike[0]}` to `{_NAME}`",
                model=folder.name,
                confidence=Confidence.HIGH if alike[0].lower() == _NAME else Confidence.MEDIUM,
            )
