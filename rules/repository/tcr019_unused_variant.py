"""# TCR019 unused-variant

## What it finds
Files in a `configs` folder that the server's flags do not make it read; and a `--model-config-name` that names a
file which no model has.

## Why it matters
`configs/<name>.pbtxt` replaces `config.pbtxt` only with `--model-config-name=<name>`, from 24.05 on. Without it, or
with another name, Triton reads `config.pbtxt` and says nothing.

## Bad
```
# --triton 24.10
# --launch "tritonserver --model-repository=/ --model-config-name=h100"
# resnet/configs/a100.pbtxt
backend: "onnxruntime"
max_batch_size: 32
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --triton 24.10
# --launch "tritonserver --model-repository=/ --model-config-name=a100"
# resnet/configs/a100.pbtxt
backend: "onnxruntime"
max_batch_size: 32
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing.

## Evidence
core `model_config_utils.cc` `GetModelConfigFullPath`, 24.05 to 26.06.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCR019",
    name="unused-variant",
    title="A configuration in `configs` is not the one that the flags choose",
    severity=Severity.INFO,
    scope="repository",
    needs=("repository", "files", "launch"),
    evidence=("core src/model_config_utils.cc GetModelConfigFullPath, 24.05-26.06",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """Compare the names of the variants with the flag."""
    variants: dict[str, list[Model]] = {}
    for model in repository.models:
        if model.variant:
            variants.setdefault(model.name, []).append(model)
    launch = repository.launch
    if not variants or not launch.flags_known:
        return
    chosen, release = launch.last("model-config-name"), launch.release
    if release is not None and release < (24, 5):
        return  # there is no such flag, which is said of the flag
    if chosen and not any(one.variant == chosen for found in variants.values() for one in found):
        names = sorted({one.variant for found in variants.values() for one in found})
        yield RULE.finding(
            repository.place("flag:model-config-name"),
            f"no model has a `configs/{chosen}.pbtxt`: with `--model-config-name={chosen}` every model is served by its"
            " `config.pbtxt`",
            help=f"the names that there are: {listing(names)}",
            severity=Severity.WARNING,
        )
    elif not chosen:
        names = list(variants)
        one = variants[names[0]][0]
        yield RULE.finding(
            one.file_span("configs"),
            f"the files in `configs` of {listing(names)} are not read without `--model-config-name`",
            help=f"start the server with `--model-config-name={one.variant}` if that one is meant",
        )
