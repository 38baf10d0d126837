"""# TCV055 no-such-tag

## What it finds
A tag of `nvcr.io/nvidia/tritonserver` in a form that none of NVIDIA's has: a month that there is not (`24.13-py3`,
`24.5-py3`), a `v` or `r` before it (`v24.05-py3`), or no variant behind it (`24.05`). Other registries and other names
may have any tag, and what a later release will be called is not judged.

## Why it matters
The image cannot be pulled. Such a tag may look as if it named a release.

## Bad
```
# --image nvcr.io/nvidia/tritonserver:24.05
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --image nvcr.io/nvidia/tritonserver:24.05-py3
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing. Docker: «manifest for nvcr.io/nvidia/tritonserver:24.05 not found: manifest unknown».

## Evidence
Tags of nvcr.io/nvidia/tritonserver as the release notes and public files name them, 20.03 to 26.10: `<YY.MM>-py3` and
other variants, none of them bare. The registry itself was not asked.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV055",
    name="no-such-tag",
    title="NVIDIA's images have no tag of this form",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("launch",),
    evidence=("tags of nvcr.io/nvidia/tritonserver in the release notes, 20.03-26.10",),
)

RELEASE = re.compile(r"([vr]?)(\d\d)\.(\d{1,2})((?:\.\d)?)(-.*)?", re.ASCII)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    name = repository.fit.name if repository.launch.image else None
    if name is None or name.registry != "nvcr.io" or name.repository != "nvidia/tritonserver" or name.digest:
        return
    found = RELEASE.fullmatch(name.tag)
    if not found:
        return
    before, year, month, patch, variant = found.groups()
    there_is = 1 <= int(month) <= 12
    if there_is and len(month) == 2 and not before and variant:
        return
    if not there_is:
        why = f"there is no month {month}"
    elif before:
        why = f"NVIDIA writes no `{before}` before the release"
    elif len(month) == 1:
        why = "NVIDIA writes the month with two digits"
    else:
        why = "NVIDIA's tags name a variant behind the release"
    meant = f"{year}.{int(month):02}{patch}{variant or '-py3'}"
    yield RULE.finding(
        repository.place("image"),
        f"no tag such as `{name.tag}` is known of `nvcr.io/nvidia/tritonserver`: {why}",
        help=f"write `{name.with_tag(meant)}`, if that is meant" if there_is else "name a release, such as `24.05-py3`",
    )
