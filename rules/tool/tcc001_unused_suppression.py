"""# TCC001 unused-suppression

## What it finds
A `# tritoncheck: ignore[…]` comment that silences nothing: the rule it names was run and found nothing there.
A rule that was not run is not meant: one that is switched off, does not hold for the release, or needs a
value that a fault or a placeholder hides.

## Why it matters
What it was for is gone. Left in place it hides the next fault of that kind, which nobody has looked at.

## Bad
```
# resnet/config.pbtxt
name: "resnet"  # tritoncheck: ignore[TCR004] renamed when it is deployed
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
The findings of the same run.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Ledger, Rule, Severity, Suppression

RULE = Rule(
    code="TCC001",
    name="unused-suppression",
    title="A suppression that silences nothing",
    severity=Severity.WARNING,
    scope="suppressions",
)


def check(ledger: Ledger) -> Iterator[Finding]:
    """Look for codes that were not used; a suppression that has run out is for another rule to report."""
    for suppression in ledger.suppressions:
        if suppression.fault or suppression.expired(ledger.today):
            continue
        unused = [(name, span) for name, span in suppression.codes if name not in suppression.used]
        unused = [(name, span) for name, span in unused if ledger.code_of(name) in ledger.ran]
        whole = len(unused) == len(suppression.codes)
        where = "in this file" if suppression.whole_file else "here"
        for name, span in unused:
            if ledger.code_of(name).startswith("TCC"):
                message = f"`{name}` cannot be silenced by a comment"
                cure = f"use `ignore` in `tritoncheck.toml`, or `--ignore {name}`"
            elif ledger.code_of(name) in ledger.varying:
                message = f"`{name}` has nothing to silence {where} with these options"
                cure = "keep it if another deployment needs it; else delete it"
                yield RULE.finding(span, message, help=cure, severity=Severity.INFO)
                continue
            else:
                message = f"`{name}` has nothing to silence {where}"
                cure = "delete the comment" if whole else f"delete `{name}` from the comment"
            fix = _fix(ledger, suppression) if whole and span == unused[0][1] else None
            yield RULE.finding(span, message, help=cure, fix=fix)


def _fix(ledger: Ledger, suppression: Suppression) -> Fix:
    """Delete the comment, its line if nothing else stands there."""
    text, span = ledger.text, suppression.span
    start, end = span.start, span.end
    while start and text[start - 1] in " \t":
        start -= 1
    if (not start or text[start - 1] == "\n") and text[end:].startswith(("\n", "\r\n")):
        end = text.index("\n", end) + 1
    return Fix("delete the suppression", (Edit(span.path, start, end, ""),), safe=True)
