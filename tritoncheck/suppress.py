"""Comments that silence findings: `# tritoncheck: ignore[TCG001] reason`, and what became of each.

Behind something it covers that line; on a line of its own, what follows; `ignore-file` covers the file and, in a
`config.pbtxt`, what lies in the model's folder. `until 2027-03-01` makes it expire. Without a reason, or after its day,
it silences nothing. Knows no file format, and nothing of what the rules say: `config_comments` and
`deployment_comments` find the comments of a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from tritoncheck.rule import Finding, Rule, Span
from tritoncheck.textproto.document import decode

Spans = Callable[[int, int], Span]

# All on Latin-1 text, where a byte is a character: only ASCII counts as white space.
_ANY = re.compile(r"triton[-_ ]?check", re.ASCII | re.IGNORECASE)
# A comment may hold several remarks, each behind its own `#`.
_REMARK = re.compile(r"(?<=\s)#+(?=\s)", re.ASCII)
_MARK = re.compile(r"#+\s*triton([-_ ]?)check\b\s*(:?)\s*(.*)", re.ASCII | re.IGNORECASE | re.DOTALL)
_IGNORE = re.compile(r"ignore(-file)?\s*\[([^\]]*)\](.*)", re.ASCII | re.IGNORECASE | re.DOTALL)
_UNTIL = re.compile(r"\buntil\s*:?\s*([0-9][0-9./-]*[0-9])(?![0-9A-Za-z])", re.ASCII | re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# What is meant as a day, although it is not written as one; `until 26.10` and `until 580.173.02` name a release.
_SORT_OF_DAY = re.compile(r"\d{4}([-./]\d{1,2}){0,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{8}")
_CODE = re.compile(r"\bTC[A-Z]\d", re.IGNORECASE)
# First words by which people mean to silence something.
_VERBS = frozenset(("allow", "disable", "disable-next-line", "exclude", "noqa", "off", "silence", "skip", "suppress"))
_FORM = "`# tritoncheck: ignore[CODE] reason`"


@dataclass(slots=True)
class Suppression:
    """One comment.

    codes: what it names, each with its span. reason: its text without the day. until: its last day, None if it
    does not expire. first, last: the lines it covers, 0 and 0 for the whole file. fault: why it cannot be
    understood, "" if it can; cure: what to write instead. used: the codes that silenced something.
    """

    span: Span
    codes: tuple[tuple[str, Span], ...] = ()
    reason: str = ""
    until: date | None = None
    first: int = 0
    last: int = 0
    fault: str = ""
    cure: str = ""
    used: set[str] = field(default_factory=set)

    @property
    def whole_file(self) -> bool:
        """Whether it covers the file."""
        return not self.last

    def expired(self, today: date) -> bool:
        """Whether its day has passed."""
        return self.until is not None and today > self.until

    def holds(self, today: date) -> bool:
        """Whether it silences anything at all."""
        return not self.fault and bool(self.reason) and not self.expired(today)

    def covers(self, finding: Finding) -> str:
        """The code by which it covers a finding, "" if it does not."""
        if self.last and not self.first <= finding.span.line <= self.last:
            return ""
        names = (finding.rule.code, finding.rule.name)
        return next((code for code, _ in self.codes if code.upper() == names[0] or code.lower() == names[1]), "")


@dataclass(slots=True)
class Ledger:
    """All suppressions of one file, for the rules about them. text: the file's, Latin-1.

    ran: the codes of the rules that were run for this file to the end, so that silence of theirs means that there is
    nothing to find. known: the codes of all rules there are, by code and by name. varying: the codes of rules that may
    speak with other options: they look at more than the configuration.
    """

    text: str
    suppressions: list[Suppression]
    today: date
    ran: frozenset[str]
    known: Mapping[str, str]
    varying: frozenset[str] = frozenset()

    def code_of(self, written: str) -> str:
        """The code of the rule that a suppression names, "" if there is none."""
        return self.known.get(written.upper()) or self.known.get(written.lower(), "")

    def nearest(self, written: str) -> str:
        """The code or name most like one that no rule has, "" if none is near."""
        from difflib import get_close_matches

        digits = re.fullmatch(r"(TC[A-Z])(\d{1,9})", written.upper(), re.ASCII)
        if digits and (padded := f"{digits[1]}{int(digits[2]):03}") in self.known:
            return padded
        codes = [name for name in self.known if name.isupper()]
        names = [name for name in self.known if not name.isupper()]
        close = get_close_matches(written.upper(), codes, 1, 0.75) if _CODE.match(written) else []
        close = close or get_close_matches(written.lower().replace("_", "-"), names, 1)
        close = close or get_close_matches(written.upper(), codes, 1, 0.75)
        return close[0] if close else ""


def varying(rules: Iterable[Rule]) -> frozenset[str]:
    """The codes of rules that may speak with other options."""
    return frozenset(rule.code for rule in rules if set(rule.needs) - {"config"})


def names_of(rules: Iterable[Rule]) -> dict[str, str]:
    """The codes of rules by code and by name."""
    return {name: rule.code for rule in rules for name in (rule.code, rule.name)}


def read_comment(text: str, start: int, end: int, span: Spans) -> list[Suppression]:
    """The suppressions in one comment of a Latin-1 text, each for its own line or for the file. span: a place by two
    offsets. What a comment on a line of its own covers is for the reader of the file to say."""
    found = (_read(text, first, last, span) for first, last in _remarks(text, start, end))
    return [one for one in found if one is not None]


def mentions(text: str) -> bool:
    """Whether a text names this tool at all, as most do not."""
    return _ANY.search(text) is not None


def _remarks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the remarks in a comment, without white space behind them."""
    cuts = [start, *(match.start() for match in _REMARK.finditer(text, start, end)), end]
    for first, last in pairwise(cuts):
        yield first, first + len(text[first:last].rstrip(" \t\r\f\v"))


def _read(text: str, start: int, end: int, span: Spans) -> Suppression | None:
    """The suppression in `start`..`end`, None if the remark is none."""
    marked = _MARK.fullmatch(text, start, end)
    if not marked:
        return None
    hyphen, colon, words = marked.groups()
    parsed = _IGNORE.fullmatch(text, marked.start(3), end)
    if not parsed or hyphen or not colon:
        return _misspelt(span(start, end), hyphen, colon, decode(words))
    whole_file, listed, reason = parsed.groups()
    codes = tuple(
        (decode(name.group()), span(parsed.start(2) + name.start(), parsed.start(2) + name.end()))
        for name in re.finditer(r"[^,\s]+", listed, re.ASCII)
    )
    suppression = Suppression(span(start, end), codes)
    if not codes:
        suppression.fault, suppression.cure = "the comment names no rule between `[` and `]`", f"write {_FORM}"
    _read_reason(suppression, decode(reason))
    if not whole_file:
        suppression.first = suppression.last = suppression.span.line
    return suppression


def _misspelt(span: Span, hyphen: str, colon: str, words: str) -> Suppression | None:
    """A comment that was meant as a suppression and is none; None for a mere remark about this tool."""
    from difflib import SequenceMatcher

    written = re.split(r"[\s\[\](:=,]", words, maxsplit=1)[0]
    first = written.lower().replace("_", "-")
    like = max(SequenceMatcher(None, first, verb).ratio() for verb in ("ignore", "ignore-file"))
    bracket = re.match(r"[\w-]+\s*\[", words) is not None
    if not bracket and (hyphen or not colon):
        return None
    if not (bracket or first in _VERBS or like > 0.7 or _CODE.match(words.lstrip("["))):
        return None
    if hyphen or not colon:
        return Suppression(span, fault="a suppression begins with `# tritoncheck:`", cure=f"write {_FORM}")
    if bracket and "]" not in words:
        fault = f"`{first}[` is never closed by `]`"
    elif first in ("ignore", "ignore-file") and not bracket:
        fault = f"`{first}` names no rule in brackets"
    else:
        fault = f"`{written}` silences nothing" if written else "the comment silences nothing"
    wanted = "ignore-file" if "file" in first else "ignore"
    return Suppression(span, fault=fault, cure=f"write `# tritoncheck: {wanted}[CODE] reason`")


def _read_reason(suppression: Suppression, text: str) -> None:
    """Reason and day of a suppression."""
    until = next((one for one in _UNTIL.finditer(text) if _SORT_OF_DAY.fullmatch(one.group(1))), None)
    if until:
        text = f"{text[: until.start()]} {text[until.end() :]}"
        try:
            if not _DAY.fullmatch(until.group(1)):
                raise ValueError
            suppression.until = date.fromisoformat(until.group(1))
        except ValueError:
            suppression.fault = f"`{until.group(1)}` is no day of the calendar, written as year-month-day"
            suppression.cure = "write it like `until 2027-03-01`"
    text = " ".join(text.split())
    suppression.reason = text.strip(" -–—:,;()") if any(char.isalnum() for char in text) else ""


def apply(findings: list[Finding], suppressions: list[Suppression], today: date) -> tuple[list[Finding], int]:
    """The findings that no suppression silences, and how many are silenced. Marks what was used.

    Findings about suppressions are never silenced by one.
    """
    kept, silenced = [], 0
    for finding in findings:
        hit = False
        for suppression in suppressions:
            code = suppression.covers(finding)
            if code:
                suppression.used.add(code)
                hit = hit or suppression.holds(today)
        if hit:
            silenced += 1
        else:
            kept.append(finding)
    return kept, silenced
