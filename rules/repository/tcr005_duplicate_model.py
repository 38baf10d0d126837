"""# TCR005 duplicate-model

## What it finds
Two model repositories of one server that hold a folder of the same name. Only where the server's command line names
several repositories: that two repositories lie in one tree does not mean that one server reads both.

## Why it matters
Triton loads neither of the two, and the start fails.

## Bad
```
# --launch "tritonserver --model-repository=/base --model-repository=/extra"
# base/resnet/1/model.onnx
(the weights)
# base/resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
# extra/resnet/1/model.onnx
(the weights)
# extra/resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --launch "tritonserver --model-repository=/base --model-repository=/extra"
# base/resnet/1/model.onnx
(the weights)
# base/resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
# extra/resnet_int8/1/model.onnx
(the weights)
# extra/resnet_int8/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«failed to poll model 'resnet': not unique across all model repositories»; the index shows it as UNAVAILABLE, «model
appears in two or more repositories».

## Evidence
core `model_repository_manager.cc` `Poll` and `RepositoryIndex`, 20.01 to 26.06; namespaces since 23.03.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Launch, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCR005",
    name="duplicate-model",
    title="Two repositories of one server hold a model of the same name",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository", "launch"),
    refused=True,
    evidence=("core src/model_repository_manager/model_repository_manager.cc Poll, 20.01-26.06",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Compare with the other repositories that the command line names."""
    if not repository.together or repository.launch.switch("model-namespacing", False):
        return
    for other in repository.together:
        if other.path <= repository.path:
            continue
        names = {folder.name for folder in other.folder.models}
        for folder in repository.folder.models:
            if folder.name in names:
                yield from _finding(repository, other, folder.name, repository.launch)


def _finding(repository: Repository, other: Repository, name: str, launch: Launch) -> Iterator[Finding]:
    asked = launch.load_models
    quiet = launch.control_mode == "explicit" and name not in asked and "*" not in asked
    yield RULE.finding(
        repository.span(name),
        f"`{name}` is in two of the repositories that this server reads: Triton loads neither of the two",
        help="rename one of the two folders, delete one, or start the server with `--model-namespacing=true` (23.03)",
        model=name,
        related=[Related("the other one", other.span(name))],
        severity=Severity.WARNING if quiet else Severity.ERROR,
    )
