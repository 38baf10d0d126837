"""What was fixed, or would be: a unified diff, and the lines that count."""

from __future__ import annotations

from collections import Counter

from tritoncheck.fix import Fixed, fixable
from tritoncheck.outcome import Report
from tritoncheck.report.paths import printable, shown_path
from tritoncheck.textproto.document import decode


def diff(fixed: Fixed) -> str:
    """The changes as a unified diff, in the order of paths; "" where nothing changes."""
    import difflib

    lines = []
    for path, (before, after) in sorted(fixed.texts.items()):
        name = printable(shown_path(path))
        for line in difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}"):
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """A Latin-1 text as lines with their ends; only a line feed ends one."""
    lines = decode(text).split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def told(fixed: Fixed, done: bool) -> str:
    """What was done (or would be) as lines: how many findings in which files, by rule; and what was taken back."""
    if not fixed.applied and not fixed.rejected:
        return "Nothing to fix\n"
    lines = []
    if fixed.applied:
        files = "1 file" if len(fixed.texts) == 1 else f"{len(fixed.texts)} files"
        count = "1 finding" if len(fixed.applied) == 1 else f"{len(fixed.applied)} findings"
        lines.append(f"{'Fixed' if done else 'Would fix'} {count} in {files}:")
    by_path: dict[str, Counter[str]] = {}
    for one in fixed.applied:
        assert one.fix is not None
        by_path.setdefault(one.span.path, Counter())[f"{one.rule.code} {one.fix.title}"] += 1
    for path, titles in sorted(by_path.items()):
        for title, times in titles.items():
            lines.append(f"  {printable(shown_path(path))}: {printable(title)}{f' ({times} ×)' if times > 1 else ''}")
    for one in fixed.rejected:
        place = f"{printable(shown_path(one.span.path))}:{one.span.line}:{one.span.column}"
        lines.append(f"  {place}: the fix of {one.rule.code} does not cure it here and was taken back")
    return "\n".join(lines) + "\n"


def offer(report: Report) -> str:
    """A line that says what `--fix` would do; "" where it would do nothing."""
    safe = len(fixable(report.findings, unsafe=False))
    more = len(fixable(report.findings, unsafe=True)) - safe
    if safe and more:
        return f"{safe} can be fixed with --fix, {more} more with --fix --unsafe"
    if safe:
        return f"{safe} can be fixed with --fix"
    return f"{more} can be fixed with --fix --unsafe" if more else ""
