"""Which releases accept each model, for people and as JSON (version 1, a stable interface)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from tritoncheck.releases import Acceptance, Stretch
from tritoncheck.report.paths import printable, shown_path
from tritoncheck.rule import Finding, release_tag

# How many reasons of one limit are shown.
_MOST = 3


def render_text(found: Mapping[str, Sequence[Acceptance]], width: int = 80) -> str:
    """For each repository its models, each with its releases and what sets the limits."""
    lines = []
    for repository, models in found.items():
        if len(found) > 1:
            lines += [f"{printable(shown_path(repository))}:", ""]
        room = max((len(printable(one.model)) for one in models), default=0)
        for one in models:
            stretches = one.stretches
            lines.append(f"{printable(one.model):<{room}}  {_ranges(stretches)}")
            for lead, findings in _limits(stretches):
                lines += [line for finding in findings[:_MOST] for line in _reason(lead, finding, width)]
                if len(findings) > _MOST:
                    lines.append(f"  {lead}: {len(findings) - _MOST} more")
        lines.append("")
    return "\n".join(lines)


def _ranges(stretches: Sequence[Stretch]) -> str:
    accepted = [one for one in stretches if one.accepted]
    if not accepted:
        return "no release"
    if len(accepted) == len(stretches):
        return f"all releases known, {_span(accepted[0])}"
    return ", ".join(_span(one) for one in accepted)


def _span(stretch: Stretch) -> str:
    first, last = release_tag(stretch.first), release_tag(stretch.last)
    return first if first == last else f"{first} to {last}"


def _limits(stretches: Sequence[Stretch]) -> list[tuple[str, list[Finding]]]:
    """What refuses the model next to the releases that accept it; in all of them, if none does."""
    if not any(one.accepted for one in stretches):
        last = stretches[-1]
        return [(f"{release_tag(last.last)}", last.late)]
    found = []
    for number, one in enumerate(stretches):
        if one.accepted:
            continue
        if number + 1 < len(stretches) and stretches[number + 1].accepted:
            found.append((f"before {release_tag(stretches[number + 1].first)}", one.late))
        elif number and stretches[number - 1].accepted:
            found.append((f"after {release_tag(stretches[number - 1].last)}", one.early))
    return found


def _reason(lead: str, finding: Finding, width: int) -> list[str]:
    place = f"{printable(shown_path(finding.span.path))}:{finding.span.line}:{finding.span.column}"
    text = f"{lead}: {finding.rule.code} {printable(finding.message.splitlines()[0])} ({place})"
    return textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def render_json(found: Mapping[str, Sequence[Acceptance]]) -> str:
    """The same for programs: for each model every stretch of releases."""
    rows = [
        {"repository": shown_path(repository), "model": one.model, "stretches": [_row(part) for part in one.stretches]}
        for repository, models in found.items()
        for one in models
    ]
    return json.dumps({"version": 1, "models": rows}, indent=2, ensure_ascii=False) + "\n"


def _row(stretch: Stretch) -> dict[str, Any]:
    return {
        "first": release_tag(stretch.first),
        "last": release_tag(stretch.last),
        "accepted": stretch.accepted,
        "refusals": [
            {
                "code": one.rule.code,
                "message": one.message,
                "path": shown_path(one.span.path),
                "line": one.span.line,
                "column": one.span.column,
            }
            for one in stretch.late
        ],
    }
