"""# TCR012 wrong-kind-of-file

## What it finds
A model file that begins like something else: an ONNX model named `model.plan`, a TensorRT plan named `model.onnx`, a
pointer of Git LFS, an HTML page that was saved in place of the model, an empty file, zeros, a TensorRT plan that is
shorter than its header. A checkpoint of `torch.save` for libtorch, which reads TorchScript, unless a `runtime` or a
`model.py` shows that Python runs the model. A pipe, a socket or a device. Only the first bytes are read, of a zip
archive the names in it, and nothing of what is no regular file.

## Why it matters
The backend cannot read the file and the model is refused, with a message that seldom says why. An empty file or a
pointer in a source tree is only mentioned, once for all models: weights are often fetched later.

## Bad
```
# resnet/1/model.onnx
<!DOCTYPE html><html><body>Sign in to download</body></html>
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
TensorRT: «Magic tag does not match»; ONNX Runtime: «Protobuf parsing failed»; PyTorch: «PytorchStreamReader failed
locating file constants.pkl: file not found».

## Evidence
tensorrt_backend `loader.cc` `LoadPlan`, 20.01 to 26.06; TensorRT issue 1384, tensorrt-insight issue 65; PyTorch
`torch/csrc/jit/serialization/import.cpp`, 1.4 to 2.9.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, VersionFolder

RULE = Rule(
    code="TCR012",
    name="wrong-kind-of-file",
    title="A file is not what its place asks for",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository", "files", "modelfile"),
    refused=True,
    evidence=("tensorrt_backend src/loader.cc LoadPlan, 20.01-26.06",),
)

_TEXTS = ("an HTML page", "a JSON file", "a PDF", "a picture", "a program or library", "a NumPy array")
_PACKED = ("a zip archive", "a gzip archive", "an HDF5 file", "a Python pickle")
_ZEROS = "a file that begins with zeros"
_CHECKPOINT = "a checkpoint of `torch.save`"
# The header alone of a plan has more bytes (tensorrt `samples/common/sampleEngines.cpp`, 8.6 on; older ones no less).
_HEADER, _SHORT = 24, "shorter than the header of a TensorRT plan"
_PLANS = ("a TensorRT plan", "a TensorRT plan behind a JSON header")
# What certainly is no model of a backend; what is not listed may be one. The ending of the usual name is asked for
# too, since OpenVINO and others read several formats under other names.
_WRONG = {
    "tensorrt": (".plan", (*_TEXTS, _ZEROS, _SHORT, *_PACKED, "an ONNX model", "an XML file", _PLANS[1])),
    "onnxruntime": (".onnx", (*_TEXTS, _ZEROS, *_PACKED, *_PLANS, "an XML file")),
    "pytorch": (".pt", (*_TEXTS, _ZEROS, *_PLANS, "an ONNX model", "an XML file", "an HDF5 file", "a gzip archive")),
    "openvino": (".xml", (*_TEXTS, _ZEROS, *_PACKED, *_PLANS, "an ONNX model")),
    "python": (
        ".py",
        ("an HTML page", "a zip archive", "a gzip archive", "a program or library", "a picture", "a PDF"),
    ),
}
_PENDING = {"empty": "empty", "a Git LFS pointer": "a Git LFS pointer, not the file itself"}


def check(repository: Repository) -> Iterator[Finding]:
    """Look at the first bytes of every model file that a backend would open."""
    pending: list[tuple[Model, VersionFolder, str]] = []
    for model in repository.models:
        if model.variant:
            continue
        name = model.default_file
        if not name or not model.versions or model.unknown("default_model_filename") or model.unknown("backend"):
            continue
        for version in model.loaded:
            file = version.entry(name)
            if file is not None and file.kind == "folder" and model.backend.name == "python":
                yield _finding(model, version, name, "a folder")
            if file is not None and file.kind == "other" and model.backend.name in _WRONG:
                yield _no_file(model, version, name)
            if file is None or file.kind != "file":
                continue
            kind = _kind(model, version, name, file.size)
            ending, wrong = _WRONG.get(model.backend.name, ("", ()))
            if kind in _PENDING:
                if repository.deployed:
                    yield _finding(model, version, name, _PENDING[kind])
                else:
                    pending.append((model, version, kind))
            elif kind == _CHECKPOINT or (kind in wrong and name.endswith(ending)):
                yield _finding(model, version, name, kind)
    if pending:
        yield _remark(repository, pending)


def _kind(model: Model, version: VersionFolder, name: str, size: int) -> str:
    """What it is, as far as the first bytes, the size, and the names in an archive of PyTorch tell."""
    kind, path = model.kind_of(version, name) if size else "empty", model.path(version, name)
    if model.backend.name == "pytorch" and kind in ("a Python pickle", "a zip archive"):
        if kind == "a Python pickle":
            return _CHECKPOINT if model.opened.by_libtorch else kind
        if any(one.path == path and one.content.checkpoint for one in model.opened.archives):
            return _CHECKPOINT
    if model.backend.name == "tensorrt" and not kind and size < _HEADER and model.contents.is_binary(path):
        return _SHORT
    return kind


def _no_file(model: Model, version: VersionFolder, name: str) -> Finding:
    return RULE.finding(
        model.file_span(version.name, name),
        f"`{name}` is a pipe, a socket or a device: the {model.backend.name} backend hangs or fails when it reads it",
        help=f"put the model itself there as `{name}`, as a regular file or a link to one",
        model=model.name,
        refused=False,
    )


def _finding(model: Model, version: VersionFolder, name: str, kind: str) -> Finding:
    help_ = f"put the model itself there as `{name}`"
    if kind in _PLANS and model.backend.name != "tensorrt":
        help_ = 'write `backend: "tensorrt"` and name the file `model.plan`, or put the right file there'
    elif kind == "a TensorRT plan behind a JSON header":
        help_ = "take the header off: it is what Ultralytics puts before the engine, 4 bytes of length and that text"
    elif kind == "an ONNX model":
        help_ = 'write `backend: "onnxruntime"` and name the file `model.onnx`, or build an engine of it (`trtexec`)'
    elif kind == _CHECKPOINT:
        help_ = "save a TorchScript instead: `torch.jit.script(model).save(…)`, or `torch.jit.trace`"
    elif kind.startswith("a Git LFS pointer"):
        help_ = "run `git lfs pull` before the repository is copied or served"
    return RULE.finding(
        model.file_span(version.name, name),
        f"`{name}` is {kind}: the {model.backend.name} backend cannot read it and refuses the model",
        help=help_,
        model=model.name,
        confidence=Confidence.MEDIUM if kind == _CHECKPOINT else Confidence.HIGH,
    )


def _remark(repository: Repository, pending: list[tuple[Model, VersionFolder, str]]) -> Finding:
    pointers = sum(kind != "empty" for _, _, kind in pending)
    what = "empty" if not pointers else "Git LFS pointers" if pointers == len(pending) else "empty or Git LFS pointers"
    if len(pending) == 1:
        model, _, kind = pending[0]
        subject = f"the model file of `{model.name}` is {_PENDING[kind]}"
    else:
        names = ", ".join(f"`{model.name}`" for model, _, _ in pending[:3])
        more = f" and {len(pending) - 3} more" if len(pending) > 3 else ""
        subject = f"{len(pending)} model files are {what} ({names}{more})"
    places = [("this one", model.file_span(version.name, model.default_file)) for model, version, _ in pending[:3]]
    return RULE.finding(
        repository.span(),
        f"{subject}; no backend can read that",
        help="fetch the files before the repository is served" + (" (`git lfs pull`)" if pointers else ""),
        severity=Severity.INFO,
        refused=False,
        related=[Related(text, span) for text, span in places],
    )
