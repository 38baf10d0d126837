"""# TCV050 tensorrt-reinstalled

## What it finds
A Dockerfile that installs TensorRT with `pip` into an image of Triton, unless in the very version that the image has.

## Why it matters
A plan that a Python program builds with the new one is of another version than the server reads, and the model is
refused.

## Bad
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:24.05-py3
RUN pip install tensorrt
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## Good
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:24.05-py3
RUN pip install pillow
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# net/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## What Triton says
«The engine plan file is not compatible with this version of TensorRT, expecting library version … got …»

## Evidence
Report triton_cli#59, where a maintainer names the second TensorRT as the cause; the versions of TensorRT in the images
20.03 to 26.08 are in `tritoncheck/data/releases.json`.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV050",
    name="tensorrt-reinstalled",
    title="A second TensorRT is installed into the image of the server",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    evidence=("triton_cli#59", "TensorRT of the images 20.03-26.08"),
)

NAMES = frozenset(
    (
        *("tensorrt", "tensorrt-cu11", "tensorrt-cu12", "tensorrt-cu13", "nvidia-tensorrt", "tensorrt-libs"),
        *("tensorrt-cu12-libs", "tensorrt-cu13-libs"),
    )
)


def check(repository: Repository) -> Iterator[Finding]:
    """Each such package."""
    launch = repository.launch
    facts = launch.facts
    for name, version in launch.packages:
        if name not in NAMES:
            continue
        own = facts.tensorrt if facts else ""
        if version and (not own or own == version or own.startswith(f"{version}.")):
            continue
        yield RULE.finding(
            repository.place(f"package:{name}"),
            f"`pip` installs TensorRT {version or 'of the newest version'} beside the {own or 'one'} of the image: the "
            "server reads plans of its own only",
            help=f"leave `{name}` out and build plans with the image's own TensorRT (`trtexec`)"
            + (f", or write `{name}=={own}`" if own else ""),
        )
