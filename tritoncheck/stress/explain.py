"""What a log tells, for machines: per model the outcome, the class, the cause and its place.

The JSON is a stable interface; more keys may be added. The form for people is `explain_text`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tritoncheck.report.paths import shown_path
from tritoncheck.stress.place import Place
from tritoncheck.stress.verdict import READY, UNKNOWN, Diagnosis, Note, Verdict


def chosen(starts: Sequence[Diagnosis]) -> int:
    """Which of the starts in a log is to be explained: the last, or, where that one has just begun, the last that
    tells of a failure."""
    last = len(starts) - 1
    if starts[last].server.outcome != UNKNOWN or _tells(starts[last]):
        return last
    return next((number for number in range(last, -1, -1) if _tells(starts[number])), last)


def _tells(start: Diagnosis) -> bool:
    bad = any(verdict.outcome not in (READY, UNKNOWN) for verdict in start.models.values())
    return bad or start.server.outcome in ("failed", "crashed")


def to_json(diagnosis: Diagnosis, places: Mapping[str, Place], number: int = 1, starts: int = 1) -> str:
    """The stable form. number: which of so many starts in the log this is, from 1."""
    server = diagnosis.server
    document = {
        "version": 1,
        "models": {name: _model(verdict, places.get(name)) for name, verdict in diagnosis.models.items()},
        "server": {
            "outcome": server.outcome,
            "class": server.kind or None,
            "line": server.line or None,
            "text": server.text,
            "triton": server.version or None,
            "notes": [_note(note) for note in server.notes],
        },
        "start": number,
        "starts": starts,
        "only_errors": diagnosis.half,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _model(verdict: Verdict, place: Place | None) -> dict[str, Any]:
    where = {"path": shown_path(place.path), "line": place.line, "code": place.code or None} if place else None
    return {
        "outcome": verdict.outcome,
        "class": verdict.kind or None,
        "line": verdict.line or None,
        "text": verdict.text,
        "culprits": list(verdict.culprits),
        "victims": list(verdict.victims),
        "lost": list(verdict.lost),
        "where": where,
        "near": verdict.near,
        "healed": verdict.healed,
        "symptoms": [_note(note) for note in verdict.symptoms],
        "instances": [_note(note) for note in verdict.instances],
    }


def _note(note: Note) -> dict[str, Any]:
    return {"line": note.line, "text": note.text, "class": note.kind or None}
