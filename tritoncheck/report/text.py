"""The report for people: place, severity, rule, source with carets, reason, cure; a last line that counts.

Errors come first, those for which the server does not start at all before others, then by confidence and by the order
of files. A finding is laid out for 80 columns; reasons and cures that a rule has given word for word before are not
repeated, and remarks on whole repositories with one cure are one. Colour only where asked for; what comes from files is
shown without control characters.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from tritoncheck.deployments import Deployment, shown_flags
from tritoncheck.outcome import Report
from tritoncheck.report.paths import printable, shown_path
from tritoncheck.rule import Finding, Severity, Span, listing
from tritoncheck.textproto.document import decode

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
# So many remarks with one cure are told as one.
_MANY = 3
_DIM, _BOLD, _CURE = "2", "1", "32"


def render(report: Report, seconds: float, colour: bool = False, width: int = 80) -> str:
    """The whole report as text. width: columns to wrap at; seconds: how long the run took."""
    printer = _Printer(report, colour, max(40, width))
    ordered = sorted(report.findings, key=_weight)
    alike = _alike(ordered)
    for finding in ordered:
        group = alike.get(_remark(finding), [finding])
        if finding is group[0]:
            printer.finding(finding, [one.span.path for one in group[1:]])
    printer.footer(seconds)
    return "\n".join(printer.lines) + "\n"


class _Printer:
    def __init__(self, report: Report, colour: bool, width: int) -> None:
        self.report = report
        self.colour = colour
        self.width = width
        self.lines: list[str] = []
        self.said: set[tuple[str, str]] = set()
        self.helped: dict[str, str] = {}

    def is_new(self, finding: Finding, text: str) -> bool:
        """Whether a rule has not said this before; from now on it has."""
        key = (finding.rule.code, text)
        before = key in self.said
        self.said.add(key)
        return not before

    def is_long(self, help_: str) -> bool:
        """Whether a cure takes more than two lines, so that it is not repeated."""
        return "\n" in help_ or len(help_) > 2 * (self.width - len("  help: "))

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def finding(self, finding: Finding, also: Sequence[str] = ()) -> None:
        """One finding, with an empty line behind it. also: the other repositories that it is a remark on."""
        severity = finding.severity
        span = finding.span
        place = f"{printable(shown_path(span.path))}:{span.line}:{span.column}"
        word = self.paint(severity.name.lower(), _COLOURS[severity])
        self.lines.append(f"{self.paint(place, _BOLD)}: {word}: {finding.rule.code} {finding.rule.name}")
        news, *reasons = finding.message.split("\n")
        self.wrap("\n".join((news, *(one for one in reasons if self.is_new(finding, one)))), "  ")
        self.snippet(span, _COLOURS[severity])
        for related in finding.related:
            where = f"{printable(shown_path(related.span.path))}:{related.span.line}:{related.span.column}"
            self.wrap(f"{where}: {related.message}", "  see ", _DIM)
        if also:
            self.wrap(f"the same in {listing([shown_path(one) for one in also])}", "  and ", _DIM)
        if finding.help:
            repeated = self.is_long(finding.help) and self.helped.get(finding.rule.code) == finding.help
            self.helped[finding.rule.code] = finding.help
            self.wrap("as above" if repeated else finding.help, "  help: ", _CURE)
        notes = [] if finding.confidence.name == "HIGH" else [f"confidence {finding.confidence.name.lower()}"]
        if finding.refused:
            notes.append("Triton does not start" if _stops_all(finding) else "Triton refuses this model")
        notes.append(f"page: tritoncheck explain {finding.rule.code}")
        self.lines.append(self.paint(f"  ({'; '.join(notes)})", _DIM))
        self.lines.append("")

    def wrap(self, text: str, lead: str, colour: str = "") -> None:
        """A paragraph behind a lead, its further lines indented to it."""
        for number, line in enumerate(printable_lines(text)):
            first = lead if not number else " " * len(lead)
            wrapped = textwrap.wrap(
                line,
                self.width,
                initial_indent=first,
                subsequent_indent=" " * len(lead),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for index, one in enumerate(wrapped or [first]):
                if colour and not number and not index:
                    one = self.paint(lead.rstrip(), colour) + one[len(lead.rstrip()) :]
                self.lines.append(one)

    def snippet(self, span: Span, colour: str) -> None:
        """The source line of a place, with carets below it."""
        text = self.report.texts.get(span.path)
        if text is None or (span.end <= span.start and not text):
            return
        at = span.start
        if not at and span.line > 1:  # a place that is known by its line only
            at = sum(map(len, text.split("\n", span.line - 1)[: span.line - 1])) + span.line - 1
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        line = decode(text[start : len(text) if end < 0 else end].rstrip("\r"))
        stop = span.end_column if span.end_line == span.line else len(line) + 1
        before, marked = line[: span.column - 1], line[span.column - 1 : stop - 1]
        number, room = str(span.line), self.width - 8 - len(str(span.line))
        cut = max(0, _columns(before) + min(_columns(marked), room // 2) - room)
        shown, lead = printable(line), _columns(before)
        if cut:
            shown, lead = "…" + shown[cut + 1 :], lead - cut
        carets = "^" * max(1, min(_columns(marked), room - lead))
        gutter = " " * len(number)
        bar = self.paint("|", _DIM)
        self.lines.append(f"  {gutter} {bar}")
        if len(shown) > room:
            shown = shown[: room - 1] + "…"
        self.lines.append(f"  {self.paint(number, _DIM)} {bar} {shown}")
        self.lines.append(f"  {gutter} {bar} {' ' * lead}{self.paint(carets, colour)}")

    def footer(self, seconds: float) -> None:
        """What was looked at, what was found, what was not checked."""
        report = self.report
        for deployment in report.deployments:
            self.wrap(_started(deployment), "Started ")
        if report.unchecked:
            room = max(len(one.what) for one in report.unchecked) + 4
            self.lines.append("Not checked, and what would change that:")
            for one in report.unchecked:
                self.wrap(one.enable or one.why, f"  {one.what:<{room - 2}}")
        counts = [
            _count(report.count(Severity.ERROR), "error"),
            _count(report.count(Severity.WARNING), "warning"),
            _count(report.count(Severity.INFO), "info"),
        ]
        if report.suppressed:
            counts.append(f"{report.suppressed} suppressed")
        fixes = _fixes(report)
        if fixes:
            self.lines.append(f"{fixes}; --diff shows how")
        looked = f"{_count(report.models, 'model')} in {_count(report.repositories, 'repository')}"
        worst = max((one.severity for one in report.findings), default=None)
        line = f"{looked}: {', '.join(counts)} in {seconds:.2f} s"
        self.lines.append(self.paint(line, _COLOURS[worst] if worst else _CURE))


def _weight(finding: Finding) -> tuple[int, bool, int]:
    """What a reader has to see first: errors, and of those what concerns the whole server, then what is sure."""
    return -finding.severity, not _stops_all(finding), -finding.confidence


def _stops_all(finding: Finding) -> bool:
    """Whether Triton does not start at all for this."""
    return finding.refused and finding.rule.code.startswith("TCV") and not finding.model


def _remark(finding: Finding) -> tuple[str, str]:
    """What makes remarks on whole repositories one: the rule and the cure; nothing for other findings."""
    if finding.severity != Severity.INFO or finding.model or finding.span.line > 1 or finding.span.end:
        return "", ""
    return finding.rule.code, finding.help


def _alike(findings: Iterable[Finding]) -> dict[tuple[str, str], list[Finding]]:
    """Remarks that several repositories share, in their order."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if _remark(finding)[0]:
            found.setdefault(_remark(finding), []).append(finding)
    return {key: group for key, group in found.items() if len(group) >= _MANY}


def _started(deployment: Deployment) -> str:
    """How the server is started, in a line."""
    launch = deployment.launch
    service = f"as service `{launch.service}` " if launch.service else ""
    flags = " ".join(shown_flags(launch)) or "no flags"
    where = f"{service}in {shown_path(launch.source)}"
    return f"{where}: {launch.image or 'an unknown image'}, {flags if launch.flags_known else 'flags unknown'}"


def printable_lines(text: str) -> list[str]:
    """The lines of a text, each without control characters."""
    return [printable(line) for line in text.split("\n")]


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def _columns(text: str) -> int:
    """How many terminal columns a text takes once made printable."""
    shown = printable(text)
    if shown.isascii():
        return len(shown)
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in shown)


def _fixes(report: Report) -> str:
    """How many findings can be fixed; what knows it is loaded where one may be."""
    if not any(one.fix for one in report.findings):
        return ""
    from tritoncheck.report.fixes import offer

    return offer(report)
