"""# TCZ009 writable-code

## What it finds
A `model.py` of a deployed repository into which others than its owner may write: everybody, or, as an info, its group.
Only with `--deployed`: what Git or an archive makes of the rights of a file says nothing of the server.

## Why it matters
The Python backend runs the file as the server's user, with all that this user may do. Who can write to it runs code
there at the next load; in poll mode, at the next poll.

## Bad
```
# --deployed
# ranker/1/model.py 666
class TritonPythonModel:
    def execute(self, requests):
        return []
# ranker/config.pbtxt
backend: "python"
```

## Good
```
# --deployed
# ranker/1/model.py 644
class TritonPythonModel:
    def execute(self, requests):
        return []
# ranker/config.pbtxt
backend: "python"
```

## What Triton says
Nothing.

## Evidence
Measured on the servers of 22.11 to 24.10: a stub process that the server starts runs the file. In poll mode a change in
the model's folder loaded it anew at the next poll, on 22.11 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ009",
    name="writable-code",
    title="Others may write to code that the server runs",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    needs=("files",),
    reads=("backend", "default_model_filename"),
    evidence=("measured on 22.11-24.10: the server starts the process that runs the file",),
    backends=("python",),
)


def check(model: Model) -> Iterator[Finding]:
    """The file of each version that loads."""
    if not model.deployed or model.variant:
        return
    for version in model.loaded:
        name = model.default_file
        if version.entry(name) is None:
            continue
        writers = model.contents.writers(model.path(version))
        if writers:
            yield RULE.finding(
                model.file_span(version.name, name),
                f"{writers} may write to `{name}`, which the server runs",
                help="`chmod go-w`, and give it to a user that the server is not",
                severity=Severity.WARNING if writers == "everybody" else Severity.INFO,
                confidence=Confidence.MEDIUM if writers == "everybody" else Confidence.LOW,
            )
