"""# TCV025 load-model-missing

## What it finds
`--load-model=NAME` in explicit mode where the only repository of the server has no model of that name. Where the server
reads one that is filled elsewhere (a bucket, a volume that an init container fills) nothing is said.

## Why it matters
The server does not start; with `--exit-on-error=false` it starts without the model.

## Bad
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=detectr"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=explicit --load-model=detector"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
«failed to poll model 'detectr': model not found in any model repository.», then «error: creating server: Internal -
failed to load all models».

## Evidence
core `model_repository_manager.cc`, `LoadUnloadModels`, 22.11 to 26.08. Measured on 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Launch, Repository, Rule, Severity

RULE = Rule(
    code="TCV025",
    name="load-model-missing",
    title="`--load-model` names a model that is not in the repository",
    severity=Severity.ERROR,
    scope="repository",
    needs=("repository", "launch"),
    refused=True,
    evidence=("core src/model_repository_manager/model_repository_manager.cc, 22.11-26.08", "measured on 24.10"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each name; silent where the server reads several repositories, or one that is not here."""
    launch = repository.launch
    paths = set(launch.all("model-repository"))
    if launch.control_mode != "explicit" or len(paths) > 1 or any(_elsewhere(launch, path) for path in paths):
        return
    folders = {folder.name for folder in repository.folder.models}
    if not folders or repository.folder.error:
        return
    for name in dict.fromkeys(launch.load_models):
        if name in folders or not name or any(char in name for char in "*$<{`"):
            continue
        yield RULE.finding(
            repository.place("flag:load-model"),
            f"`--load-model={name}` names no model of the repository `{repository.path.rsplit('/', 1)[-1]}`",
            help=f"models there are {', '.join(f'`{one}`' for one in sorted(folders)[:5])}"
            + (" and others" if len(folders) > 5 else ""),
            refused=launch.switch("exit-on-error", True),
        )


def _elsewhere(launch: Launch, path: str) -> bool:
    """Whether what the server reads need not be the folder that was given: a bucket, or a place in the container on
    which something is mounted that others fill, of which the folder may be a part or an older state."""
    if "://" in path or any(char in path for char in "$<{`"):
        return True
    mount = launch.mount_of(path)
    return mount is not None and mount.kind != "bind"
