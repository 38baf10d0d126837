"""# TCZ008 link-out

## What it finds
A symbolic link in a model that leads out of the tree that is checked.

## Why it matters
Triton follows it. What lies behind it is under nobody's review who reviews the repository, and in a container, where
only the repository is mounted, there is nothing behind it: the model is refused there.

## Bad
```
# resnet/1/model.onnx -> /etc/hostname
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing if there is something behind the link.

## Evidence
core `filesystem/implementations/local.h` follows links, 20.01 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Entry, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCZ008",
    name="link-out",
    title="A link leads out of the model repository",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("repository", "files"),
    evidence=("core src/filesystem/implementations/local.h, 20.01-26.06",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Collect the links of all models; one finding for each model."""
    for folder in repository.folder.models:
        found: list[tuple[tuple[str, ...], Entry]] = [((one.name,), one) for one in folder.entries if _is_out(one)]
        for version in folder.folders:
            found += [((version.name, one.name), one) for one in version.entries if _is_out(one)]
        if found:
            parts, entry = found[0]
            more = f", and {len(found) - 1} more links like it" if len(found) > 1 else ""
            yield RULE.finding(
                repository.span(folder.name, *parts),
                f"`{'/'.join(parts)}` is a link to `{entry.link}`, outside of the repository{more}",
                help="put the file itself there, or make sure that the server's machine or container has that path",
                model=folder.name if folder.name in repository.by_name else "",
                severity=Severity.WARNING if repository.deployed else Severity.INFO,
            )


def _is_out(entry: Entry) -> bool:
    return entry.outside and entry.kind in ("file", "folder")
