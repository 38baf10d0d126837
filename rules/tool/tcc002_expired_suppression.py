"""# TCC002 expired-suppression

## What it finds
A `# tritoncheck: ignore[…] reason until 2026-01-31` comment whose day has passed. The day itself still
counts.

## Why it matters
After that day it silences nothing, so the finding is reported again: somebody wanted to look at it anew then.

## Bad
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore[TCR004] renamed by the deployment until 2024-12-31
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore[TCR004] renamed by the deployment until 2099-12-31
backend: "onnxruntime"
```

## What Triton says
Nothing: to Triton it is a comment.

## Evidence
The calendar of the machine that runs the check.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Ledger, Rule, Severity

RULE = Rule(
    code="TCC002",
    name="expired-suppression",
    title="A suppression whose day has passed",
    severity=Severity.WARNING,
    scope="suppressions",
)


def check(ledger: Ledger) -> Iterator[Finding]:
    """Compare the day with today."""
    for suppression in ledger.suppressions:
        if suppression.fault or not suppression.expired(ledger.today):
            continue
        if suppression.used:
            effect, cure = "and silences nothing any more", "cure the finding, or give a new day and say why"
        elif all(ledger.code_of(name) in ledger.ran for name, _ in suppression.codes):
            effect, cure = "and there is nothing left to silence", "delete the comment"
        else:
            effect, cure = "and silences nothing any more", "delete the comment, or give a new day and say why"
        yield RULE.finding(suppression.span, f"this suppression ended on {suppression.until} {effect}", help=cure)
