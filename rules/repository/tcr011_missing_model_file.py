"""# TCR011 missing-model-file

## What it finds
A version folder without the file that the backend opens there: `default_model_filename`, or the usual name
(`model.plan`, `model.onnx`, `model.pt`, `model.py`, `model.xml`, `model.savedmodel`).

## Why it matters
The backend finds no model and the model is refused. A Python model does worse: from 23.07 on its load never ends.
Weights are often kept out of version control, so in a source tree all such models together are one remark. It is an
error with `--deployed`, and where most neighbours of the same backend have their file and nothing explains the
difference (a placeholder, a `.gitignore`, Git LFS, a download script). Where one file of that kind lies there by
another name and nothing else does, it is a warning that says so.

## Bad
```
# --deployed
# resnet/1/resnet50.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --deployed
# resnet/1/resnet50.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
default_model_filename: "resnet50.onnx"
```

## What Triton says
TensorRT: «unable to find '…' for model instance»; Python up to 23.04: «model.py does not exist in the model
repository path», later only «Failed to preinitialize Python stub: Python model file not found» and silence.

## Evidence
The backends: tensorrt_backend `instance_state.cc`, onnxruntime_backend `onnxruntime.cc`, python_backend `pb_stub.cc`,
20.01 to 26.06; the Python backend was measured on 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Repository, Rule, Severity, VersionFolder

RULE = Rule(
    code="TCR011",
    name="missing-model-file",
    title="A version folder lacks the model file",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository", "files", "config"),
    refused=True,
    evidence=("tensorrt_backend src/instance_state.cc, 20.01-26.06", "measured on 22.11-24.10"),
)

# Backends that open one file of a known name. Others read their parameters, or search.
_OPEN_ONE = frozenset(("tensorrt", "onnxruntime", "pytorch", "python", "openvino", "tensorflow", "fil"))
_READS = (
    "backend",
    "platform",
    "default_model_filename",
    "cc_model_filenames",
    "version_policy",
    "runtime",
    "parameters",
)


def check(repository: Repository) -> Iterator[Finding]:
    """Sort the models without file into those that are wrong for sure and those that may be completed later."""
    open_ones, total = [], 0
    for model in repository.models:
        if not _is_checked(model):
            continue
        total += 1
        for version in model.loaded:
            if _has(model, version):
                continue
            finding = _sure(repository, model, version)
            if finding is None:
                open_ones.append(model)
                break
            yield finding
    if open_ones:
        yield _remark(repository, open_ones, total)


def _is_checked(model: Model) -> bool:
    if model.variant or not model.versions or model.backend.name not in _OPEN_ONE:
        return False
    if model.broken and (model.unreadable or any(model.unknown(field) for field in _READS)):
        return False
    return not hasattr(model.config, "runtime") or not model.config.runtime


def _has(model: Model, version: VersionFolder) -> bool:
    """Whether the file is there; a dangling link is told of by the rule for those, a misnamed folder too."""
    if not version.plain or version.error:
        return True
    names = [model.default_file, *model.config.cc_model_filenames.values()]
    # `weights/model.onnx`: what lies deeper is not listed, its first folder is.
    return any(version.entry(name.split("/")[0]) is not None for name in names if name) or not any(names)


def _sure(repository: Repository, model: Model, version: VersionFolder) -> Finding | None:
    name, example = model.default_file, None
    others = [entry for entry in version.entries if entry.kind == "file" and _ending(entry.name) == _ending(name)]
    lone = others[0] if len(others) == 1 else None
    # In a source tree, a file that is all there is, and has something in it, is the model by another name.
    alone = lone is not None and lone.size > 0 and all(entry is lone or entry.hidden for entry in version.entries)
    if not repository.deployed:
        example = repository.source.file_beside(model) if repository.source.is_repository else None
        if repository.source.explains(model, version, name) or (example is None and not alone):
            return None
    sure = repository.deployed or example is not None
    release = repository.launch.release
    hangs = model.backend.name == "python" and (release is None or release >= (23, 7))
    outcome = "the load hangs for ever" if hangs else "the backend finds no model and refuses it"
    cure = f"put `{name}` there"
    if lone is not None:
        cure = f'write `default_model_filename: "{lone.name}"`, or rename the file to `{name}`'
    return RULE.finding(
        model.file_span(version.name),
        f"version {version.name} of `{model.name}` has no `{name}`"
        + (f", only `{lone.name}`" if lone is not None and alone else "")
        + f": {outcome}"
        + ("" if sure else ", unless the deployment adds that file"),
        help=cure,
        model=model.name,
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if repository.deployed else Confidence.MEDIUM,
        refused=sure and not hangs,
        related=[Related(f"`{example.name}` has its file", example.file_span(example.versions[-1].name))]
        if example
        else [],
    )


def _ending(name: str) -> str:
    return name.rpartition(".")[2]


def _remark(repository: Repository, lacking: list[Model], total: int) -> Finding:
    shown = [f"`{model.name}`: `{model.default_file}`" for model in lacking[:3]]
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    if len(lacking) == 1:
        subject = f"the version folder of `{lacking[0].name}` has no `{lacking[0].default_file}`"
    else:
        subject = f"{len(lacking)} of {total} models have no model file in a version folder ({', '.join(shown)}{more})"
    return RULE.finding(
        repository.span(),
        f"{subject}; a server that reads this tree as it is cannot load {'it' if len(lacking) == 1 else 'them'}",
        help="if the deployment adds the files, there is nothing to do: check what is served with `--deployed`",
        severity=Severity.INFO,
        confidence=Confidence.LOW,
        refused=False,
    )
