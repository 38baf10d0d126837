"""From the verdict on a log to what an attempt records of each model, with what the server's index adds.

Knows nothing of how the log came here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tritoncheck.stress.history import History
from tritoncheck.stress.host import Row
from tritoncheck.stress.records import ModelOutcome
from tritoncheck.stress.signatures import find
from tritoncheck.stress.verdict import FAILED, HUNG, READY, UNKNOWN, Verdict

TEXT_LIMIT = 2000
# CPython `Python/traceback.c`, `dump_frame`, 3.3 on; what stands before it may be another stub's, which writes too.
_FRAME = re.compile(r'"(?P<path>/[^"]+)", line (?P<line>\d+) in (?P<function>\S+)')
_NO_ROW = "no version of it can be loaded: it is not in the server's index"


def outcome(verdict: Verdict, history: History, times: Mapping[int, float], begin: float | None) -> ModelOutcome:
    """What became of a model. times: of the log's lines; begin: of its first."""
    model = history.models.get(verdict.model)
    begun = times.get(model.began) if model and model.began else None
    ended = times.get(model.ended) if model and model.ended else None
    return ModelOutcome(
        outcome=verdict.outcome,
        failure=verdict.kind,
        line=verdict.line,
        text=verdict.text[:TEXT_LIMIT] if verdict.outcome != READY or verdict.healed else "",
        culprits=verdict.culprits,
        victims=verdict.victims,
        lost=verdict.lost,
        seconds=round(max(0.0, ended - begun), 6) if begun is not None and ended is not None else None,
        begun=round(begun - begin, 6) if begun is not None and begin is not None else None,
        retries=verdict.healed,
        failures=tuple(note.text[:TEXT_LIMIT] for note in verdict.instances),
    )


def given_up(outcome: ModelOutcome, name: str, waited: float, last_words: Sequence[str]) -> ModelOutcome:
    """What is known of a load that was ended: it took at least so long, and perhaps its stub told where it was.

    waited: seconds since the first line of the log. last_words: what was written after the signal, among which are the
    frames of a Python whose fault handler is on.
    """
    if outcome.outcome != HUNG:
        return outcome
    seconds = round(max(0.0, waited - outcome.begun), 6) if outcome.begun is not None else None
    for line in last_words:
        found = _FRAME.search(line)
        if found and f"/{name}/" in found["path"]:
            text = f"{outcome.text}; it was at {found['path']}, line {found['line']}, in {found['function']}"
            return replace(outcome, seconds=seconds, text=text[:TEXT_LIMIT])
    return replace(outcome, seconds=seconds)


def with_index(outcome: ModelOutcome, name: str, rows: list[Row]) -> ModelOutcome:
    """What the index adds: an outcome where the log told none, and a failure that it did not tell."""
    if outcome.outcome not in (READY, UNKNOWN):
        return outcome
    own = [row for row in rows if row.name == name]
    bad = [row for row in own if row.state == "UNAVAILABLE" and row.reason != "unloaded"]
    if bad:
        match = find(bad[0].reason, "reason")
        kind = match.signature.kind if match else "other"
        return replace(outcome, outcome=FAILED, failure=kind, text=bad[0].reason[:TEXT_LIMIT])
    if any(row.state == "READY" for row in own):
        return replace(outcome, outcome=READY)
    if outcome.outcome == UNKNOWN and not own:
        return replace(outcome, outcome=FAILED, failure="config-validate", text=_NO_ROW)
    if outcome.outcome == UNKNOWN and any(not row.state for row in own):
        return replace(outcome, outcome=FAILED, failure="other", text="refused before it was loaded")
    return outcome
