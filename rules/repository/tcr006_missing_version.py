"""# TCR006 missing-version

## What it finds
A model without a version folder: a folder with a number for a name. Ensembles need one too, an empty one.

## Why it matters
Triton has nothing to load and refuses the model; it does not even appear in the repository index. Version control
keeps no empty folders and often no weights, so in a source tree all such models together are one remark. It is an
error with `--deployed`, and where most neighbours of the same backend have theirs and nothing explains the
difference (a `.gitignore`, Git LFS, a download script). Where the model file lies beside the configuration, it is a
warning that says so.

## Bad
```
# --deployed
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --deployed
# resnet/1/model.onnx
(the weights)
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«failed to load model 'resnet': at least one version must be available under the version policy of model 'resnet'»

## Evidence
core `model_lifecycle.cc` `AsyncLoad` and `VersionsToLoad`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10;
server issue 3623 (an ensemble).
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Entry, Finding, Model, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCR006",
    name="missing-version",
    title="A model has no version folder",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository", "files"),
    refused=True,
    evidence=("core src/model_lifecycle.cc AsyncLoad, VersionsToLoad, 20.01-26.06", "measured on 22.11-24.10"),
)

_ZERO = re.compile(r"0\d+")
_NUMBERED = re.compile(r"(?i)(?:v|ver|version)[-_. ]?(\d+)")


def check(repository: Repository) -> Iterator[Finding]:
    """Sort the models without version into those that are wrong for sure and those that may be completed later."""
    models = [model for model in repository.models if not model.variant]
    lacking = [model for model in models if not model.versions and not model.folder.error]
    # A folder `01` is told of by the rule for leading zeros.
    lacking = [model for model in lacking if not any(_ZERO.fullmatch(one.name) for one in model.folder.folders)]
    open_ones = []
    for model in lacking:
        finding = _sure(repository, model)
        if finding is None:
            open_ones.append(model)
        else:
            yield finding
    if open_ones:
        yield _remark(repository, open_ones, len(models))


def _sure(repository: Repository, model: Model) -> Finding | None:
    severity = Severity.ERROR
    misnamed = next((one for one in model.folder.folders if _NUMBERED.fullmatch(one.name)), None)
    lost = model.entry(model.default_file) if model.default_file else None
    example, place = None, model.file_span()
    if misnamed is not None and (repository.deployed or (model.default_file and misnamed.entry(model.default_file))):
        message = f"`{misnamed.name}` is no version folder to Triton, it must be a number: `{model.name}` has none"
        number = (_NUMBERED.fullmatch(misnamed.name) or [""])[1].lstrip("0") or "1"
        help_, place = f"rename `{misnamed.name}` to `{number}`", model.file_span(misnamed.name)
    elif lost is not None and lost.kind in ("file", "folder") and _is_meant(repository, model, lost):
        severity = Severity.ERROR if repository.deployed else Severity.WARNING
        message = f"`{model.default_file}` lies beside the configuration of `{model.name}`, not in a version folder"
        help_ = f"move it to `{model.name}/1/{model.default_file}`"
    elif repository.deployed:
        message = f"`{model.name}` has no version folder"
        help_ = f"make `{model.name}/1/`" + (
            ", empty: an ensemble needs one too" if model.is_ensemble else ", with the model file in it"
        )
    else:
        example = _neighbour(repository, model)
        if example is None:
            return None
        message = f"`{model.name}` has no version folder, unlike most `{model.backend.name}` models beside it"
        help_ = (
            f"keep an empty file in `{model.name}/1/`: version control keeps no empty folders"
            if model.is_ensemble
            else f"add `{model.name}/1/` with its model file"
        )
    related = []
    if example is not None:
        related = [Related(f"`{example.name}` has one", example.file_span(example.versions[0].name))]
    sure = severity == Severity.ERROR
    return RULE.finding(
        place,
        f"{message}: Triton refuses the model" + ("" if sure else ", unless the deployment moves the file"),
        help=help_,
        model=model.name,
        severity=severity,
        refused=sure,
        confidence=Confidence.MEDIUM if example or not sure else Confidence.HIGH,
        related=related,
    )


def _is_meant(repository: Repository, model: Model, lost: Entry) -> bool:
    """Whether the file beside the configuration is the model; in a source tree a step of the build may move it."""
    if repository.deployed:
        return True
    # A stand-in is no model, and a root of a project keeps files that are made into the model.
    content = lost.kind == "folder" or lost.size > 0
    return content and not repository.source.is_project and not repository.source.explains(model, None, lost.name)


def _neighbour(repository: Repository, model: Model) -> Model | None:
    """A model of the same backend that has what this one lacks, where most have it and nothing explains why not."""
    if model.is_ensemble:
        wanted = repository.source.versions_beside(model)
    elif model.default_file and not model.unknown("backend") and not model.unknown("default_model_filename"):
        wanted = repository.source.file_beside(model)
    else:
        return None
    if wanted is None or not repository.source.is_repository:
        return None
    return None if repository.source.explains(model, None, model.default_file) else wanted


def _remark(repository: Repository, lacking: list[Model], total: int) -> Finding:
    names = ", ".join(f"`{model.name}`" for model in lacking[:3])
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    if len(lacking) == 1:
        subject = f"{names} has no version folder"
    else:
        subject = f"{len(lacking)} of {total} models have no version folder ({names}{more})"
    return RULE.finding(
        repository.span(),
        f"{subject}; a server that reads this tree as it is refuses {'it' if len(lacking) == 1 else 'them'}",
        help="if the deployment adds them, there is nothing to do: check what is served with `--deployed`. "
        "If not, make `1/` in each, also for ensembles, with a file in it that version control keeps",
        severity=Severity.INFO,
        confidence=Confidence.LOW,
        refused=False,
    )
