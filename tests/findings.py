"""What the rules say of their bad fixtures, word by word, as it is kept in `fixtures/findings/<CODE>.txt`.

Place and code of a finding are written in the fixture by hand; severity, confidence, words, second places and fix are
kept here. `python -m tests.findings CODE…` writes them anew after a change that is meant, without a code all of them:
read what git shows then.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.cases import FIXTURES, cases_of, run_case
from tritoncheck.outcome import Report
from tritoncheck.registry import own_rules
from tritoncheck.rule import Finding, Span

FOLDER = FIXTURES / "findings"


def said(report: Report, folder: Path, code: str) -> str:
    """The findings of a rule, in their order; a few lines each, without the place of the repository."""
    text = "".join(f"{line}\n" for one in report.findings if one.rule.code == code for line in _lines(one))
    for place in (os.path.relpath(folder), str(folder)):  # in this order: the one may end with the other
        text = text.replace(f"{place}/", "").replace(place, ".")
    return text


def _lines(one: Finding) -> Iterator[str]:
    grade = f"{one.severity.name.lower()}, {one.confidence.name.lower()} confidence{', refused' if one.refused else ''}"
    yield f"{_place(one.span)} {grade}{f' [{one.model}]' if one.model else ''}"
    yield from _indented("", one.message)
    yield from _indented("help: ", one.help)
    for related in one.related:
        yield from _indented(f"at {_place(related.span)}: ", related.message)
    if one.fix:
        yield from _indented(f"{'safe' if one.fix.safe else 'unsafe'} fix: ", one.fix.title)
        for edit in one.fix.edits:
            yield from _indented(f"  {edit.path} {edit.start}..{edit.end}: ", repr(edit.text))


def _place(span: Span) -> str:
    return f"{span.path}:{span.line}:{span.column}-{span.end_line}:{span.end_column}"


def _indented(what: str, text: str) -> Iterator[str]:
    if text:
        for line in (what + text).split("\n"):
            yield f"    {line}"


@cache
def kept(code: str) -> dict[str, str]:
    """What is kept of a rule, by the name of the fixture."""
    path = FOLDER / f"{code}.txt"
    parts = re.split(r"^# (.*)\n", path.read_text(encoding="utf-8") if path.is_file() else "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def write(codes: Iterable[str]) -> None:
    """Keep what these rules say now."""
    FOLDER.mkdir(exist_ok=True)
    for code in codes:
        text = ""
        for case in cases_of(code):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made) / "repo"
                if words := said(run_case(case, folder), folder, code):
                    text += f"# {case.name}\n{words}"
        (FOLDER / f"{code}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or [loaded.rule.code for loaded in own_rules()])
