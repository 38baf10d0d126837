"""# TCV049 shared-region-prefix

## What it finds
Several servers that `mpirun` starts from the same words (`mpirun -n 2 tritonserver …`), in one container, with Python
models, where the release is known and is 24.03 or older.

## Why it matters
Each server numbers the regions of its Python models in `/dev/shm` from 1 on, behind a prefix that is the same for all
of them. Two servers then make, and remove, the same regions: both hang at the start, or one crashes. From 24.04 on the
names are random.

## Bad
```
# --launch "mpirun -n 2 tritonserver --model-repository=/models"
# --triton 23.10
# tokenizer/config.pbtxt
backend: "python"
```

## Good
```
# --launch "mpirun -n 1 tritonserver --backend-config=python,shm-region-prefix-name=a : -n 1 tritonserver"
# --triton 23.10
# tokenizer/config.pbtxt
backend: "python"
```

## What Triton says
«Unable to initialize shared memory key 'triton_python_backend_shm_region_1' to requested size», or nothing

## Evidence
Measured with two servers on one `/dev/shm`, started at once, without `mpirun`: neither served on 22.11, 23.04 and 23.07
(both hung); on 23.10 and 24.03 one hung and one aborted; on 24.10 both served. Names in `/dev/shm`: `…region_1` up to
24.03, random from 24.04 on. Report tensorrtllm_backend#562.
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
    until=(24, 3),
    evidence=("measured on 22.11-24.10: two servers", "tensorrtllm_backend#562"),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    copies = repository.launch.copies
    models = [one.name for one in repository.python_models]
    if copies < 2 or not models or repository.launch.release is None:
        return
    yield RULE.finding(
        repository.place("command"),
        f"{copies} servers are started with the same words, so the regions of {listing(models, len(models))} in "
        "`/dev/shm` have the same names in all of them",
        help="start each by itself, with a prefix of its own: `mpirun -n 1 tritonserver … "
        "--backend-config=python,shm-region-prefix-name=a : -n 1 tritonserver … =b`",
    )
