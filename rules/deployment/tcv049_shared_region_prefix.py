"""# TCV049 shared-region-prefix

## What it finds
Several servers that `mpirun` starts from the same words (`mpirun -n 2 tritonserver …`), in one container, with Python
models.

## Why it matters
Each server numbers the regions of its Python models in `/dev/shm` from 1 on, behind a prefix that is the same for all
of them. Two servers then make, and remove, the same regions.

## Bad
```
# --launch "mpirun -n 2 tritonserver --model-repository=/models"
# tokenizer/config.pbtxt
backend: "python"
```

## Good
```
# --launch "mpirun -n 1 tritonserver --backend-config=python,shm-region-prefix-name=a : -n 1 tritonserver"
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
«Unable to initialize shared memory key 'triton_python_backend_shm_region_1' to requested size»

## Evidence
python_backend `python_be.cc`, 21.04 to 26.06: the prefix is `triton_python_backend_shm_region_` unless
`shm-region-prefix-name` says another. Report tensorrtllm_backend#562.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCV049",
    name="shared-region-prefix",
    title="Several servers name the regions of their Python models alike",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "launch"),
    since=(21, 4),
    evidence=("python_backend src/python_be.cc shm-region-prefix-name, 21.04-26.06", "tensorrtllm_backend#562"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    copies = repository.launch.copies
    models = [one.name for one in repository.served.values() if one.backend.name == "python" and not one.unreadable]
    if copies < 2 or not models:
        return
    yield RULE.finding(
        repository.place("command"),
        f"{copies} servers are started with the same words, so the regions of {listing(models, len(models))} in "
        "`/dev/shm` have the same names in all of them",
        help="start each by itself, with a prefix of its own: `mpirun -n 1 tritonserver … "
        "--backend-config=python,shm-region-prefix-name=a : -n 1 tritonserver … =b`",
    )
