"""# TCS025 tensorrt-no-backend-yet

## What it finds
`backend: "tensorrt"` where the release is known and is 21.05 or older.

## Why it matters
In those releases TensorRT is part of the server and no backend yet: there is no library of that name, and the model
does not load. The platform works in every release.

## Bad
```
# --triton 21.02
# detector/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
```

## Good
```
# --triton 21.02
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## What Triton says
That it cannot find the library `libtriton_tensorrt.so`; the words were not seen.

## Evidence
Report server#2975, where a maintainer says so of images up to 21.05. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS025",
    name="tensorrt-no-backend-yet",
    title="TensorRT is no backend yet in this release",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    needs=("config", "launch"),
    reads=("backend", "platform"),
    refused=True,
    until=(21, 5),
    evidence=("server#2975: not a backend up to 21.05",),
    only_with=("backend",),
)


def check(model: Model) -> Iterator[Finding]:
    """The field, where no library of one's own lies in the model."""
    library = "libtriton_tensorrt.so"
    if model.launch.release is None or model.config.backend != "tensorrt" or model.launch.all("backend-directory"):
        return
    if model.entry(library) or any(one.entry(library) for one in model.versions):
        return
    place = model.at("backend")
    platform = 'platform: "tensorrt_plan"'
    yield RULE.finding(
        place,
        "up to 21.05 the server has no backend `tensorrt`: it refuses the model",
        help=f"write `{platform}`, which all releases take",
        fix=None if model.config.platform else Fix(platform, (Edit(place.path, place.start, place.end, platform),)),
    )
