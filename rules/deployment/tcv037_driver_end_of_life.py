"""# TCV037 driver-end-of-life

## What it finds
A driver of a data-center branch whose support had ended when the newest release known here came out.

## Why it matters
The branch gets no fixes any more, and newer images drop it from the list of branches that their compatibility library
supports.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:23.12-py3
# --driver 535.183.01
# --gpu "Tesla T4"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:23.12-py3
# --driver 580.95.05
# --gpu "Tesla T4"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing.

## Evidence
docs.nvidia.com/datacenter/tesla/drivers, 615 and 620, supported drivers: R535 until June 2026, R610 until August
2026, R595 until March 2027, R580 until June 2028. The newest release known here is 26.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV037",
    name="driver-end-of-life",
    title="The support of the driver's branch has ended",
    severity=Severity.INFO,
    scope="repository",
    needs=("launch", "host"),
    evidence=("docs.nvidia.com/datacenter/tesla/drivers 615 and 620; newest release known 26.10",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    if not repository.launch.host_known:
        return
    fit = repository.fit
    if not fit.driver_ended or not repository.uses_gpu:
        return
    yield RULE.finding(
        repository.place("driver", "image"),
        f"the support of driver branch {fit.host.driver.split('.')[0]} ended in {fit.driver_ended}",
        help="plan a move to a newer branch; `tritoncheck doctor` shows which images a driver runs",
    )
