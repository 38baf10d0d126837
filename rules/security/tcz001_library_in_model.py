"""# TCZ001 library-in-model

## What it finds
A library `libtriton_<backend>.so` in a model's or a version's folder.

## Why it matters
Triton looks for the library of a backend in the version's folder, then in the model's, and only then among those of
the server, and loads it into its own process. Who can write into the model repository can run anything there. For a
backend that a server has anyway, such as `onnxruntime`, a library in the model takes the place of the server's.

## Bad
```
# resnet/libtriton_onnxruntime.so
(a library)
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
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
Nothing; «unable to load shared library: …» for a file that is none.

## Evidence
core `backend_model.cc` `GetBackendLibrarySearchPaths`, 20.08 to 26.06.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ001",
    name="library-in-model",
    title="A backend's library lies in the model's folder",
    severity=Severity.WARNING,
    needs=("files", "modelfile"),
    evidence=("core src/backend_model.cc GetBackendLibrarySearchPaths, 20.08-26.06",),
)

_LIBRARY = re.compile(r"libtriton_(.+)\.so(?:\.\d+)*")
# Backends that the images bring along.
_SHIPPED = frozenset(
    ("onnxruntime", "tensorrt", "pytorch", "python", "openvino", "tensorflow", "dali", "fil", "identity", "tensorrtllm")
)


def check(model: Model) -> Iterator[Finding]:
    """Look at the names in the model's folder and in the versions that load."""
    if model.variant:
        return
    places = [(entry.name,) for entry in model.folder.entries if entry.name.startswith("libtriton_")]
    inside = [
        (version.name, entry.name)
        for version in model.loaded
        for entry in version.entries
        if entry.name.startswith("libtriton_")
    ]
    for place in (*places, *inside):
        found = _LIBRARY.fullmatch(place[-1])
        if not found:
            continue
        backend = found.group(1)
        shipped = backend in _SHIPPED
        serves = "instead of the server's own" if shipped else "from the model repository"
        if model.backend.name and backend != model.backend.name:
            continue
        span = model.file_span(*place)
        if model.deployed and model.contents.kind(span.path) != "a program or library":
            yield RULE.finding(
                span,
                f"Triton takes this file for the library of the `{backend}` backend, and it is none: Triton refuses the"
                " model",
                help="put the library itself there, or take the file away if the server has this backend",
                severity=Severity.ERROR,
                refused=True,
            )
            continue
        yield RULE.finding(
            span,
            f"Triton loads the `{backend}` backend {serves}, from this file, into its own process",
            help="keep libraries with the server, in its backends folder, and let nobody write into the repository who"
            " may not run code there",
            severity=Severity.WARNING if shipped else Severity.INFO,
        )
