"""# TCR002 dangling-repository-link

## What it finds
A symbolic link in the repository's folder that leads to nothing, or in a circle; a link to a file counts too.

## Why it matters
Triton looks at every entry of the folder, and gives up the whole repository at the first that it cannot look at: no
model in it loads, and the call that lists the repository fails as well.

## Bad
```
# ./bert -> store/bert
# resnet/1/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«failed to poll model repository '/models': failed to stat file /models/bert»

## Evidence
core `filesystem/implementations/local.h` `LocalFileSystem::GetDirectorySubdirs` and `model_repository_manager.cc`
`Poll`, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCR002",
    name="dangling-repository-link",
    title="A link in the repository's folder leads to nothing",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository",),
    refused=True,
    evidence=("core src/filesystem/implementations/local.h GetDirectorySubdirs, 20.01-26.06",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Look for links without a target."""
    for entry in repository.folder.entries:
        if entry.kind != "dangling":
            continue
        message = (
            f"`{entry.name}` is a link to `{entry.link}`, which is not there: Triton gives up the whole repository"
        )
        severity, confidence = Severity.ERROR, Confidence.HIGH
        if not repository.deployed and "/annex/objects/" in entry.link:
            severity, message = Severity.WARNING, message + ", unless git-annex fetches it first"
        elif not repository.deployed and entry.outside:
            severity, confidence = Severity.WARNING, Confidence.MEDIUM
            message += ", unless the server's machine has that path"
        yield RULE.finding(
            repository.span(entry.name),
            message,
            help=f"delete `{entry.name}`, or make it point to something that exists where the server runs",
            severity=severity,
            confidence=confidence,
            refused=severity is Severity.ERROR,
            model=entry.name,
        )
