"""# TCV038 invalid-image

## What it finds
An image reference that Docker cannot read: a control character or a space in it, a tag of more than 128 characters,
capital letters in the repository's name, `https://` before it. A placeholder such as `${TAG}` is left alone.

## Why it matters
No engine pulls or starts it; and nothing else here can tell which release it is.

## Bad
```
# --image nvcr.io/nvidia/TritonServer:24.05-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:24.05-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing. Docker: «invalid reference format».

## Evidence
distribution/reference `regexp.go`, the grammar of references; Docker 28.2 refuses each kind (measured).
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV038",
    name="invalid-image",
    title="The image reference is none that Docker can read",
    severity=Severity.ERROR,
    scope="repository",
    needs=("launch",),
    evidence=("distribution/reference regexp.go", "measured: refused by Docker 28.2"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    fault = repository.fit.fault if repository.launch.image else ""
    if not fault:
        return
    shown = repository.launch.image[:80].encode("unicode_escape").decode("ascii")
    yield RULE.finding(
        repository.place("image"),
        f"`{shown}` is no image reference: {fault}",
        help="write `registry/repository:tag`, such as `nvcr.io/nvidia/tritonserver:24.05-py3`",
    )
