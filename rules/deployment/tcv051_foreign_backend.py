"""# TCV051 foreign-backend

## What it finds
A Dockerfile that copies a backend from an image of one release of Triton into an image of another one.

## Why it matters
A backend is built against the C++ runtime and the libraries of its own image. In another one its library may not load,
and then every model of it is refused.

## Bad
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:22.12-py3
COPY --from=nvcr.io/nvidia/tritonserver:24.05-py3 /opt/tritonserver/backends/dali /opt/tritonserver/backends/dali
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# net/config.pbtxt
backend: "dali"
```

## Good
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:24.05-py3-min
COPY --from=nvcr.io/nvidia/tritonserver:24.05-py3 /opt/tritonserver/backends/dali /opt/tritonserver/backends/dali
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# net/config.pbtxt
backend: "dali"
```

## What Triton says
«unable to load shared library: …»

## Evidence
Report server#5460 (2023; no release is named), where a C++ runtime was too old for a backend of another image, and a
maintainer asks for a build in the same container. Not measured: which pairs of releases work is not known.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, release_tag

RULE = Rule(
    code="TCV051",
    name="foreign-backend",
    title="A backend is copied from an image of another release",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    scope="repository",
    needs=("launch",),
    evidence=("server#5460; not measured",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Each such backend."""
    launch = repository.launch
    for name, image in launch.backends:
        theirs = launch.release_of(image)
        if theirs is None or launch.release is None or theirs[:2] == launch.release[:2]:
            continue
        yield RULE.finding(
            repository.place(f"backend:{name}"),
            f"the backend `{name}` is of {release_tag(theirs[:2])}, and the server that is to load it of "
            f"{release_tag(launch.release[:2])}",
            help="copy it from an image of the same release",
        )
