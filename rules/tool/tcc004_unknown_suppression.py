"""# TCC004 unknown-suppression

## What it finds
A `# tritoncheck: ignore[…]` comment that names a rule that does not exist. One code or name is one rule; the
beginning of a code, which `--ignore` takes, does not count here.

## Why it matters
It silences nothing, so the finding that it was meant for is still reported, or comes as a surprise later.

## Bad
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore[name-mismach] renamed when it is deployed
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
name: "resnet50"  # tritoncheck: ignore[name-mismatch] renamed when it is deployed
backend: "onnxruntime"
```

## What Triton says
Nothing: to Triton it is a comment.

## Evidence
The rules of this run, those of your own folders included.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Ledger, Rule, Severity

RULE = Rule(
    code="TCC004",
    name="unknown-suppression",
    title="A suppression that names no existing rule",
    severity=Severity.WARNING,
    scope="suppressions",
)


def check(ledger: Ledger) -> Iterator[Finding]:
    """Look up each name."""
    for suppression in ledger.suppressions:
        if suppression.fault:
            continue
        for name, span in suppression.codes:
            if ledger.code_of(name):
                continue
            family = [code for code in ledger.known if code.startswith(name.upper())]
            if family and len(name) < 5:
                message = f"`{name}` is the beginning of {len(family)} codes, but a suppression names whole ones"
                yield RULE.finding(span, message, help=f"write the code of the finding, such as `{min(family)}`")
                continue
            near = ledger.nearest(name)
            fix = Fix(f"write `{near}`", (Edit(span.path, span.start, span.end, near),)) if near else None
            hint = f"; did you mean `{near}`?" if near else ""
            cure = f"write `{near}`" if near else "see `tritoncheck rules` for all codes and names"
            yield RULE.finding(span, f"there is no rule `{name}`{hint}", help=cure, fix=fix)
