"""The summary of a run, computed from its journal alone: a run that was killed, or is old, is reported like any other.

The journal is read line by line, and some bytes are kept for each attempt. A last line that was cut is passed over,
and so is a damaged one; both are counted. Knows nothing of how a summary is shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tritoncheck.stress.compare import Comparison, compare
from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.fold import Fold
from tritoncheck.stress.journal import NAME, JournalError
from tritoncheck.stress.parts import Part, make_part
from tritoncheck.stress.records import JOURNAL_VERSION, Facts, Plan, RecordError, attempt_from, facts_from, plan_from
from tritoncheck.stress.stop import Sprt, Tally
from tritoncheck.stress.wording import claim_sentence, gate_sentence

_READING_ALONG = ("confidence-sequence", "sprt")


@dataclass(frozen=True, slots=True)
class Claim:
    """A rate that the run was to rule out. met: None while it is neither shown nor refuted. needs: further attempts."""

    rate: float
    met: bool | None
    needs: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a journal tells. sessions: the facts of each; it has several where the run was resumed.

    troubles: environment errors, which are no attempts; decision, end: those lines, {} where there are none. damaged:
    lines that could not be read; torn: the last one was cut.
    """

    folder: str
    run: str
    plan: Plan
    sessions: tuple[Facts, ...]
    whole: Part
    arms: tuple[Part, ...]
    comparisons: tuple[Comparison, ...]
    claim: Claim | None
    troubles: int
    trouble: str
    decision: dict[str, Any]
    end: dict[str, Any]
    damaged: int
    torn: bool

    @property
    def facts(self) -> Facts | None:
        """What the last session ran on."""
        return self.sessions[-1] if self.sessions else None

    @property
    def changed(self) -> tuple[str, ...]:
        """The facts that differ between sessions: the attempts are then not of one kind."""
        names = ("triton", "image_digest", "driver", "gpu", "host", "command")
        return tuple(name for name in names if len({getattr(one, name) for one in self.sessions} - {""}) > 1)

    @property
    def complete(self) -> bool:
        """Whether the run did all it planned, or a declared rule ended it."""
        return bool(self.decision) or self.whole.attempts >= self.plan.restarts

    @property
    def exit_code(self) -> int:
        """0 within the limit, 1 above it, 3 inconclusive, 4 the environment failed."""
        whole = self.whole
        if self.troubles and (self.end.get("reason") == self.trouble or not whole.attempts):
            return 4
        if self.claim:
            return {True: 0, False: 1, None: 3}[self.claim.met]
        if whole.rate.bad:
            return 1
        return 0 if whole.verdict == "clean" and self.complete else 3


def summarise(run_dir: str | os.PathLike[str]) -> Summary:
    """The summary of the run in this folder. JournalError where there is no journal, or none of ours."""
    path = os.path.join(run_dir, NAME)
    whole, arms = Fold(), dict[str, Fold]()
    plan: Plan | None = None
    sessions: list[Facts] = []
    decision: dict[str, Any] = {}
    end: dict[str, Any] = {}
    troubles, trouble, damaged, torn = 0, "", 0, False
    for table, last in _lines(path):
        if table is None:
            torn = last
            damaged += not last
            continue
        kind = table.get("kind")
        try:
            record = _record(kind, table)
        except RecordError:
            damaged += 1
            continue
        if kind == "plan" and plan is None:
            plan = record
            whole.expect(plan.expected)
        elif kind == "facts":
            facts, end = record, {}
            if sessions and sessions[-1].started == facts.started:  # the same session knows more of itself
                sessions.pop()
            sessions.append(facts)
        elif kind == "attempt":
            attempt = record
            whole.add(attempt)
            arms.setdefault(attempt.arm, Fold()).add(attempt)
        elif kind == "environment":
            troubles += 1
            trouble = str(table.get("text") or table.get("reason") or "")
        elif kind == "decision":
            decision = table
        elif kind == "end":
            end = table
    if plan is None:
        raise JournalError(f"{path}: holds no plan of a run")
    sequential = _sequential(plan, decision, len(whole.numbers))
    part = make_part("", whole, sequential)
    several = [name for name in arms if name]
    parts = tuple(make_part(name, arms[name], sequential) for name in several) if len(several) > 1 else ()
    return Summary(
        folder=os.fspath(run_dir),
        run=os.path.basename(os.path.abspath(run_dir)),
        plan=plan,
        sessions=tuple(sessions),
        whole=part,
        arms=parts,
        comparisons=compare(parts),
        claim=_claim(plan, part, decision),
        troubles=troubles,
        trouble=trouble,
        decision=decision,
        end=end,
        damaged=damaged,
        torn=torn,
    )


def _lines(path: str) -> Iterator[tuple[dict[str, Any] | None, bool]]:
    """The lines of a journal as tables, None for one that cannot be read; and whether it is the last and was cut."""
    try:
        with open(path, "rb") as file:
            for line in file:
                if not line.strip():
                    continue
                try:
                    table = json.loads(line)
                except ValueError:
                    table = None
                if not isinstance(table, dict):
                    yield None, not line.endswith(b"\n")
                    continue
                if isinstance(table.get("version"), int) and table["version"] > JOURNAL_VERSION:
                    raise JournalError(f"{path}: written by a newer tritoncheck (journal version {table['version']})")
                yield table, False
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or 'cannot be read'}") from error


def _record(kind: object, table: dict[str, Any]) -> Any:
    """What a line holds, where it is a record. RecordError where it should be one and is not."""
    makers: dict[object, Callable[[dict[str, Any]], Any]] = {
        "plan": plan_from,
        "facts": facts_from,
        "attempt": attempt_from,
    }
    return makers[kind](table) if kind in makers else None


def _sequential(plan: Plan, decision: dict[str, Any], attempts: int) -> bool:
    """Whether the run could stop, or was stopped, because of what it saw, so that its number was not fixed."""
    if plan.until != "count" or decision.get("rule") in _READING_ALONG:
        return True
    return attempts < plan.restarts and decision.get("rule") != "time-budget"


def _claim(plan: Plan, part: Part, decision: dict[str, Any]) -> Claim | None:
    """Whether the claimed rate is shown even if all that is unknown had failed, or refuted by what is known."""
    if plan.claim is None:
        return None
    rate, met = part.rate, None
    if rate.worst_ceiling <= plan.claim or decision.get("outcome") == "good":
        met = True
    elif rate.floor > plan.claim or decision.get("outcome") == "bad":
        met = False
    pace = part.spent / part.attempts if part.attempts else None
    test = next((rule for rule in rules_of(plan) if isinstance(rule, Sprt)), None)
    if test is not None and (met is False or rate.worst_ceiling > plan.claim):
        missing = 0 if met is not None else test.needed(Tally(rate.n + rate.unknown, rate.bad, unknown=rate.unknown))
        return Claim(plan.claim, met, missing, gate_sentence(test, met, missing, pace))
    needs = 0 if met is not None else rate.needed(plan.claim)
    return Claim(plan.claim, met, needs, claim_sentence(plan.claim, met, rate, needs, pace))
