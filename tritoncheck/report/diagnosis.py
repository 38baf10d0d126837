"""The report of `tritoncheck doctor`, for people and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from tritoncheck import __version__
from tritoncheck.diagnosis import Diagnosis, Known, Started
from tritoncheck.report.paths import printable, shown_path

_KEY = 20  # columns of the left edge


def render_text(diagnosis: Diagnosis, width: int = 80) -> str:
    """The whole report, laid out for `width` columns."""
    lines = _section("In short", _short(diagnosis), width)
    for one in diagnosis.started:
        lines += _started(one, width)
    lines += _section("This machine", diagnosis.machine or [Known("", "no NVIDIA driver, no GPU", "")], width)
    tables = diagnosis.tables
    ago = "of this month" if tables.age <= 0 else f"{tables.age} month{'s' * (tables.age > 1)} old"
    newest = f"{tables.releases}, newest {tables.newest} ({ago})"
    lines += _section("Tables", [Known("releases", newest, "tritoncheck/data/releases.json")], width)
    if tables.old:
        text = f"warning: the tables are {tables.age} months old; a newer tritoncheck knows newer releases"
        lines[-1:] = [*textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  "), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _short(diagnosis: Diagnosis) -> Iterator[Known]:
    """What a reader has to see first: whether it runs, and what is wrong or open."""
    for one in diagnosis.started:
        which = one.title.removeprefix("How ").removesuffix(" starts the server")
        words = f"{which}: {one.verdict}" if len(diagnosis.started) > 1 else one.verdict
        yield Known("verdict", words, f"tritoncheck explain {one.code}" if one.code else "")
        if one.newest:
            yield Known("newest image", f"{one.newest} for this driver", "")
            if one.native and one.native != one.newest:
                yield Known("", f"{one.native} with all of its CUDA", "")
    for note in diagnosis.notes:
        yield Known("note", note, "")


def _started(one: Started, width: int) -> list[str]:
    title = printable(one.title)
    if one.repositories:
        title += f", for {', '.join(printable(shown_path(path)) for path in one.repositories[:3])}"
        title += f" and {len(one.repositories) - 3} more" if len(one.repositories) > 3 else ""
    lines = _section(title, one.launch or [Known("", "nothing is known of how the server is started", "")], width)
    if one.image:
        lines += _section("What the image brings", one.image, width)
    if one.host:
        lines += _section("The server's machine", one.host, width)
    if one.missing:
        rows = [Known(each.what, each.enable or each.why, "") for each in one.missing]
        lines += _section("Missing, and what supplies it", rows, width)
    return lines


def _section(title: str, rows: Iterable[Known], width: int) -> list[str]:
    """A title and its rows: key, value, source."""
    rows = list(rows)
    edge = min(_KEY, max(len(row.key) for row in rows)) + 4 if any(row.key for row in rows) else 2
    lines = textwrap.wrap(title, width, break_long_words=False)
    for row in rows:
        lead = f"  {printable(row.key):<{edge - 2}}"
        first = lead if len(lead) <= edge else f"{lead}  "
        value, source = printable(row.value), printable(row.source)
        lines += textwrap.wrap(
            f"{value}  [{source}]" if source else value,
            width,
            initial_indent=first,
            subsequent_indent=" " * edge,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return [*lines, ""]


def render_json(diagnosis: Diagnosis) -> str:
    """The whole report as JSON."""
    tables = diagnosis.tables
    document = {
        "version": 1,
        "tool": {"name": "tritoncheck", "version": __version__},
        "started": [_started_json(one) for one in diagnosis.started],
        "machine": _rows(diagnosis.machine),
        "tables": {
            "releases": tables.releases,
            "newest": tables.newest,
            "month": tables.month,
            "age_months": tables.age,
            "old": tables.old,
        },
        "notes": list(diagnosis.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _started_json(one: Started) -> dict[str, Any]:
    return {
        "title": one.title,
        "repositories": [shown_path(path) for path in one.repositories],
        "launch": _rows(one.launch),
        "image": _rows(one.image),
        "host": _rows(one.host),
        "verdict": {"text": one.verdict, "code": one.code or None, "fails": one.fails},
        "newest_image": {"runs": one.newest or None, "native": one.native or None},
        "missing": [{"what": each.what, "why": each.why, "enable": each.enable} for each in one.missing],
    }


def _rows(rows: Iterable[Known]) -> list[dict[str, str]]:
    return [{"key": row.key, "value": row.value, "from": row.source} for row in rows]
