"""# TCR034 extension-for-another-python

## What it finds
A compiled module such as `fast.cpython-38-x86_64-linux-gnu.so` in a Python model that was built for another version of
Python than the image has.

## Why it matters
Python takes only extension modules with its own version in their names; it passes over others as if they were not
there, and one without any version in its name ends the process that runs the model.

## Bad
```
# --triton 24.10
# text/1/fast.cpython-38-x86_64-linux-gnu.so
(a library)
# text/1/model.py
import fast


class TritonPythonModel:
    def execute(self, requests):
        return [fast.answer(request) for request in requests]
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## Good
```
# --triton 24.10
# text/1/fast.cpython-310-x86_64-linux-gnu.so
(a library)
# text/1/model.py
import fast


class TritonPythonModel:
    def execute(self, requests):
        return [fast.answer(request) for request in requests]
# text/config.pbtxt
backend: "python"
max_batch_size: 8
```

## What Triton says
«ModuleNotFoundError: No module named 'fast'»

## Evidence
Python's `importlib` (`EXTENSION_SUFFIXES`, PEP 3149); the Python of each image by release, 20.12 to 26.06; server issue
5144.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity, release_tag

RULE = Rule(
    code="TCR034",
    name="extension-for-another-python",
    title="A compiled module was built for another Python than the image's",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("files", "launch", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy", "parameters"),
    evidence=("Python importlib EXTENSION_SUFFIXES; Python of the images, 20.12-26.06",),
    backends=("python",),
)

_TAGGED = re.compile(r"(.+)\.cpython-(\d)(\d+)[a-z]*-[^.]+\.so")


def check(model: Model) -> Iterator[Finding]:
    """Look at the names in the model's folder and in the versions that load; a file for each module is enough."""
    python = model.opened.python
    if python is None or model.variant:
        return
    places: list[tuple[str, ...]] = [(entry.name,) for entry in model.folder.entries]
    places += [(version.name, entry.name) for version in model.loaded for entry in version.entries]
    found = [(place, tagged) for place in places if (tagged := _TAGGED.fullmatch(place[-1]))]
    right = {(*place[:-1], tagged[1]) for place, tagged in found if _version(tagged) == python}
    for place, tagged in found:
        if (*place[:-1], tagged[1]) not in right:
            mine = ".".join(map(str, _version(tagged)))
            yield RULE.finding(
                model.file_span(*place),
                f"`{place[-1]}` is for Python {mine}, and Triton {release_tag(model.launch.release or ())} has"
                f" {'.'.join(map(str, python))}: `import {tagged[1]}` does not find it",
                help=f"build it with Python {'.'.join(map(str, python))}, or bring an environment with Python {mine}"
                " along (`EXECUTION_ENV_PATH`)",
            )


def _version(tagged: re.Match[str]) -> tuple[int, int]:
    return int(tagged[2]), int(tagged[3])
