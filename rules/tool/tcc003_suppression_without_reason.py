"""# TCC003 suppression-without-reason

## What it finds
A `# tritoncheck: ignore[…]` comment without a reason behind the bracket. A day alone is no reason.

## Why it matters
It silences nothing until the reason stands there. Whoever reads the file later must be able to tell a
decision from a shortcut, and whether it still holds.

## Bad
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore[TCR004]
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
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
    code="TCC003",
    name="suppression-without-reason",
    title="A suppression that gives no reason",
    severity=Severity.WARNING,
    scope="suppressions",
)


def check(ledger: Ledger) -> Iterator[Finding]:
    """Look for a reason; what has nothing to silence, or has run out, is better deleted, which other rules say."""
    for suppression in ledger.suppressions:
        if suppression.fault or suppression.reason or suppression.expired(ledger.today):
            continue
        if not suppression.used and all(ledger.code_of(name) in ledger.ran for name, _ in suppression.codes):
            continue
        yield RULE.finding(
            suppression.span,
            "this suppression gives no reason, so it silences nothing",
            help="write behind the `]` why the finding may stay",
        )
