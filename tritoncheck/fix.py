"""Applies the fixes that findings carry: edits of spans, everything else in a file stays byte for byte.

Works on texts, not on files: it lints, edits, lints the edited texts, until nothing is left to do. So two fixes that
overlap are applied in turn, and what one edit makes possible the next round does. A fix after which Triton's parser
would refuse a text that it read before is taken back. Knows nothing of disks and terminals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from tritoncheck.outcome import Report
from tritoncheck.rule import Edit, Finding, Fix

# A repository that is not done after so many rounds has fixes that undo each other.
_ROUNDS = 25
_SYNTAX = "TCS"

Lint = Callable[[Mapping[str, str]], Report]
_Key = tuple[str, Fix]


@dataclass(slots=True)
class Fixed:
    """What became of the texts.

    report: what lint says of the edited texts. texts: path -> (before, after), both Latin-1, one character a byte.
    applied: the findings whose fixes were applied, in order. rejected: those whose fixes were taken back.
    """

    report: Report
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    applied: list[Finding] = field(default_factory=list)
    rejected: list[Finding] = field(default_factory=list)


def fix_all(lint: Lint, unsafe: bool) -> Fixed:
    """Fix what can be fixed. lint: says what is found where the texts of some files are those given instead."""
    texts: dict[str, str] = {}
    fixed = Fixed(lint(texts))
    barred: set[_Key] = set()
    for _ in range(_ROUNDS):
        before = fixed.report
        wanted = [one for one in fixable(before.findings, unsafe) if _key(one) not in barred]
        chosen, edited = apply(wanted, before.texts)
        if not chosen:
            break
        after = lint(texts | edited)
        bad = _useless(chosen, before, after)
        if bad:
            barred.update(map(_key, bad))
            fixed.rejected += bad
            continue
        fixed.report = after
        fixed.applied += chosen
        for path, text in edited.items():
            fixed.texts[path] = (fixed.texts[path][0] if path in fixed.texts else before.texts[path], text)
        texts |= edited
    return fixed


def _useless(chosen: list[Finding], before: Report, after: Report) -> list[Finding]:
    """The findings whose fix does not cure them, or leaves more faults of syntax in a file than there were."""
    worse = {path for path, count in _faults(after).items() if count > _faults(before)[path]}
    then, now = _counts(before), _counts(after)
    again = {_key(one) for one in after.findings if one.fix is not None}
    bad = []
    for one in chosen:
        assert one.fix is not None
        at = (one.rule.code, one.span.path)
        if not worse.isdisjoint(edit.path for edit in one.fix.edits) or (_key(one) in again and now[at] >= then[at]):
            bad.append(one)
    return bad


def fixable(findings: Iterable[Finding], unsafe: bool) -> list[Finding]:
    """The findings whose fix may be applied."""
    return [one for one in findings if one.fix is not None and one.fix.edits and (one.fix.safe or unsafe)]


def apply(findings: Iterable[Finding], texts: Mapping[str, str]) -> tuple[list[Finding], dict[str, str]]:
    """Apply the fixes that do not overlap one that comes before: the findings chosen, and the new texts by path.

    A fix is applied whole or not at all. Fixes of files whose text is not given are passed over.
    """
    taken: dict[str, list[Edit]] = {}
    chosen = []
    for finding in findings:
        assert finding.fix is not None
        edits = finding.fix.edits
        free = all(edit.path in texts and _is_free(edit, taken.get(edit.path, ())) for edit in edits)
        if free and _is_clear(edits):
            chosen.append(finding)
            for edit in edits:
                taken.setdefault(edit.path, []).append(edit)
    return chosen, {path: edit_text(texts[path], edits) for path, edits in taken.items()}


def edit_text(text: str, edits: Iterable[Edit]) -> str:
    """A Latin-1 text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda one: (one.start, one.end), reverse=True):
        new = edit.text.encode("utf-8", "surrogateescape").decode("latin-1")
        text = text[: edit.start] + new + text[edit.end :]
    return text


def _is_free(edit: Edit, taken: Iterable[Edit]) -> bool:
    """Whether an edit touches none of those taken; two that insert at one place do touch."""
    return all(edit.end < one.start or one.end < edit.start for one in taken)


def _is_clear(edits: tuple[Edit, ...]) -> bool:
    """Whether the edits of one fix leave each other alone; they may meet, but not insert at one place."""
    ordered = sorted((edit.path, edit.start, edit.end) for edit in edits)
    return all(a[0] != b[0] or (a[2] <= b[1] and a != b) for a, b in pairwise(ordered))


def _key(finding: Finding) -> _Key:
    assert finding.fix is not None
    return finding.rule.code, finding.fix


def _counts(report: Report) -> Counter[tuple[str, str]]:
    """How many findings each rule has in each file."""
    return Counter((one.rule.code, one.span.path) for one in report.findings)


def _faults(report: Report) -> Counter[str]:
    """How many faults of syntax and schema each file has that make the server refuse it."""
    faults = (one for one in report.findings if one.refused and one.rule.code.startswith(_SYNTAX))
    return Counter(one.span.path for one in faults)
