"""Comments that silence findings: `# tritoncheck: ignore[TCG001] reason`, and what became of each.

On a line with a field it covers that line; on a line of its own, the field or block that follows; `ignore-file`
covers the file. `until 2027-03-01` makes it expire. Without a reason, or after its day, it silences nothing. Knows
nothing of what the rules say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from tritoncheck.model import Model
from tritoncheck.rule import Finding, Span
from tritoncheck.textproto import Document, Message
from tritoncheck.textproto import List as TextList
from tritoncheck.textproto.document import decode

_MARK = re.compile(r"#+\s*tritoncheck\s*:\s*(.*)")
_IGNORE = re.compile(r"ignore(-file)?\s*\[([^\]]*)\]\s*(.*)")
_UNTIL = re.compile(r"[\s,;(]*\buntil\s+(\S+?)[\s,;:.)]*(?=\s|$)")


@dataclass(slots=True)
class Suppression:
    """One comment.

    codes: what it names, each with its span. reason: its text without the day. until: its last day, None if it
    does not expire. first, last: the lines it covers, 0 and 0 for the whole file. fault: why it cannot be
    understood, "" if it can. used: the codes that silenced something.
    """

    span: Span
    codes: tuple[tuple[str, Span], ...] = ()
    reason: str = ""
    until: date | None = None
    first: int = 0
    last: int = 0
    fault: str = ""
    used: set[str] = field(default_factory=set)

    def expired(self, today: date) -> bool:
        """Whether its day has passed."""
        return self.until is not None and today > self.until

    def holds(self, today: date) -> bool:
        """Whether it silences anything at all."""
        return not self.fault and bool(self.reason) and not self.expired(today)

    def covers(self, finding: Finding) -> str:
        """The code by which it covers a finding, "" if it does not."""
        on_line = not self.last or self.first <= finding.span.line <= self.last
        if not on_line:
            return ""
        names = (finding.rule.code, finding.rule.name)
        return next((code for code, _ in self.codes if code.upper() == names[0] or code.lower() == names[1]), "")


@dataclass(slots=True)
class Ledger:
    """All suppressions of one file, for the rules about them.

    ran: codes and names of the rules that were run; known: those of all rules there are.
    """

    model: Model
    suppressions: list[Suppression]
    today: date
    ran: frozenset[str]
    known: frozenset[str]


def read_suppressions(model: Model) -> list[Suppression]:
    """The suppressions in a model's configuration."""
    if "tritoncheck" not in model.text:
        return []
    document = model.document
    found = []
    for start, end in document.tokens.comments:
        marked = _MARK.fullmatch(decode(document.text[start:end]).strip())
        if marked:
            found.append(_read(model, document, start, end, marked.group(1)))
    return found


def _read(model: Model, document: Document, start: int, end: int, words: str) -> Suppression:
    span = model.span(start, end)
    parsed = _IGNORE.fullmatch(words.strip())
    if not parsed:
        return Suppression(span, fault="write `# tritoncheck: ignore[CODE] reason`")
    whole_file, listed, reason = parsed.groups()
    codes, at = [], document.text.index("[", start) + 1
    for part in listed.split(","):
        name = part.strip()
        if name:
            begin = at + len(part) - len(part.lstrip())
            codes.append((name, model.span(begin, begin + len(name))))
        at += len(part) + 1
    suppression = Suppression(span, tuple(codes))
    if not codes:
        suppression.fault = "it names no rule: write `# tritoncheck: ignore[CODE] reason`"
    until = _UNTIL.search(reason)
    if until:
        reason = (reason[: until.start()] + " " + reason[until.end() :]).strip()
        try:
            suppression.until = date.fromisoformat(until.group(1))
        except ValueError:
            suppression.fault = f"`{until.group(1)}` is no day: write `until 2027-03-01`"
    suppression.reason = reason.strip(" -:,;.\t")
    if not whole_file:
        suppression.first, suppression.last = _covered_lines(document, start, span.line)
    return suppression


def _covered_lines(document: Document, start: int, line: int) -> tuple[int, int]:
    """The lines of a comment's own field, or of the field that follows a comment on its own line."""
    line_start = document.text.rfind("\n", 0, start) + 1
    if document.text[line_start:start].strip():
        return line, line
    node = _next_field(document, document.root, start)
    if node is None:
        return line, line
    first, last = node
    return document.position(first).line, document.position(max(first, last - 1)).line


def _next_field(document: Document, message: Message, after: int) -> tuple[int, int] | None:
    """The span of the first field or list item that begins behind an offset, in the innermost block around it."""
    nodes = [
        node
        for entry in message.fields
        for node in (entry, *(entry.value.items if isinstance(entry.value, TextList) else (entry.value,)))
    ]
    following = None
    for node in nodes:
        start, end = document.span(node)
        if start > after:
            return following or (start, end)
        if start < after < end and isinstance(node, Message):
            return _next_field(document, node, after) or following
    return following


def apply(findings: list[Finding], suppressions: list[Suppression], today: date) -> tuple[list[Finding], int]:
    """The findings that no suppression silences, and how many are silenced. Marks what was used."""
    kept, silenced = [], 0
    for finding in findings:
        hit = None
        for suppression in suppressions:
            code = suppression.covers(finding)
            if code and not finding.rule.code.startswith("TCC"):
                suppression.used.add(code)
                if suppression.holds(today):
                    hit = suppression
        if hit is None:
            kept.append(finding)
        else:
            silenced += 1
    return kept, silenced
