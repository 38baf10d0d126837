"""# TCV051 foreign-backend

## What it finds
A Dockerfile that copies a backend from an image of one release of Triton into an image of another one.

## Why it matters
A backend is linked against the C++ runtime, CUDA and the core of its own release. In another image its library may not
load, or it speaks another version of the backend API; then every model of it is refused.

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
«unable to load shared library: …»; or that the version of the backend API is not supported

## Evidence
server#5460, where a maintainer asks for a build in the same container; core `backend_manager.cc` and
`shared_library.cc`, 20.08 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, release_tag

RULE = Rule(
    code="TCV051",
    name="foreign-backend",
    title="A backend is copied from an image of another release",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    evidence=("core src/backend_manager.cc, src/shared_library.cc, 20.08-26.06", "server#5460"),
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
