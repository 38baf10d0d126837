"""# TCC005 malformed-suppression

## What it finds
A comment that was meant to silence a finding but is not written so that it can: no brackets, nothing in them,
another word than `ignore` or `ignore-file`, no colon behind `tritoncheck`, or a day that is none. Remarks
that merely mention this tool are not meant.

## Why it matters
It silences nothing, so the finding that it was meant for is still reported, or comes as a surprise later.

## Bad
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore TCR004, renamed when it is deployed
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
# checked with tritoncheck: see the wiki
name: "resnet50"  # tritoncheck: ignore[TCR004] renamed when it is deployed
backend: "onnxruntime"
```

## What Triton says
Nothing: to Triton it is a comment.

## Evidence
The comment itself.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Ledger, Rule, Severity

RULE = Rule(
    code="TCC005",
    name="malformed-suppression",
    title="A suppression that cannot be understood",
    severity=Severity.WARNING,
    scope="suppressions",
)


def check(ledger: Ledger) -> Iterator[Finding]:
    """Say what is wrong with each comment that could not be read."""
    for suppression in ledger.suppressions:
        if suppression.fault:
            message = f"{suppression.fault}, so this comment has no effect"
            yield RULE.finding(suppression.span, message, help=suppression.cure)
