"""# TCR001 stray-folder

## What it finds
A folder in the repository that is no model: hidden ones such as `.git` or `.ipynb_checkpoints`, `__pycache__`,
`lost+found`, the `..data` of a Kubernetes volume; with `--deployed` any folder without configuration and without a
version.

## Why it matters
Triton takes every folder in a repository as a model, whatever its name. It finds neither configuration nor backend
for such a one, and by default a server ends when one model fails to load. Without `--deployed`, in the root of a
project, this is only mentioned: what is served is usually a copy without these folders.

## Bad
```
# --deployed
# .ipynb_checkpoints/
# resnet/1/model.onnx
(the weights)
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
«Could not determine backend for model '.ipynb_checkpoints' with no backend in model configuration», then «failed to
load all models» and the end of the server. A name with a dot inside is taken for `name.backend`: `.git` is refused
with «Not loaded: No model version was found».

## Evidence
core `filesystem/implementations/local.h` `GetDirectorySubdirs` and `model_repository_manager.cc` `Poll`, 20.01 to
26.06; server issue 6989.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity

RULE = Rule(
    code="TCR001",
    name="stray-folder",
    title="A folder in the repository that is no model",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository",),
    refused=True,
    evidence=("core src/filesystem/implementations/local.h GetDirectorySubdirs, 20.01-26.06",),
)

_KNOWN = ("__pycache__", "lost+found")
# Only a volume that is mounted somewhere has these.
_VOLUME = ("lost+found", "..data")


def check(repository: Repository) -> Iterator[Finding]:
    """Tell the folders that are no models from those that are."""
    names = [
        folder.name
        for folder in repository.folder.models
        if folder.name not in repository.by_name and not folder.error and folder.entry("configs") is None
    ]
    if not names:
        return
    hidden = [name for name in names if name.startswith(".") or name in _KNOWN]
    if repository.deployed:
        shown = names
    elif not hidden:
        return
    else:
        shown = hidden
    launch, on_demand = repository.launch, "only when it is asked for"
    explicit = launch.control_mode == "explicit" and "*" not in launch.load_models
    goes_on = not launch.switch("exit-on-error", True)
    listed = ", ".join(f"`{name}`" for name in shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
    many = len(shown) > 1
    are, models = ("are folders", "models") if many else ("is a folder", "a model")
    outcome = "the start fails"
    severity, confidence = Severity.ERROR, Confidence.HIGH
    if explicit:
        outcome, severity = f"each is refused {on_demand}" if many else f"it is refused {on_demand}", Severity.INFO
    elif goes_on:
        outcome, severity = "refuses them" if many else "refuses it", Severity.WARNING
    message = f"{listed} {are} beside the models: Triton takes {'them' if many else 'it'} for {models}, and {outcome}"
    if not repository.deployed and severity is Severity.ERROR and not any(name in _VOLUME for name in shown):
        if repository.source.is_project:
            severity, confidence = Severity.INFO, Confidence.LOW
            message = (
                f"this repository is the root of a project, with {listed}: a server started on this very folder "
                f"takes {'them' if many else 'it'} for {models}, and {outcome}"
            )
        elif not repository.source.is_evident:
            severity, confidence = Severity.WARNING, Confidence.MEDIUM
    yield RULE.finding(
        repository.span(shown[0]),
        message,
        help="keep only models in the folder that `--model-repository` names: move what else there is one level up, "
        "or serve a subfolder",
        related=[Related("this one too", repository.span(name)) for name in shown[1:4]],
        severity=severity,
        confidence=confidence,
        refused=severity is Severity.ERROR,
    )
