"""The full run: every fixture and thousands of made repositories on every core that is to be had, two at a time."""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.comparison import Row
from tests.conformance.memory import Memory
from tests.conformance.opinion import TAGS
from tests.conformance.questions import Question, made_questions, written_questions
from tests.conformance.report import per_core, summary, work_list
from tests.conformance.run import ask
from tests.oracle.wheels import OracleUnavailable

RESULT = Path(__file__).with_name("result.json")
COUNT, NUMBER = 3_000, 1
_LIMIT = 0.005


def run(wheels: Sequence[str], count: int, number: int, fixtures: bool, reuse: bool = False) -> list[Row]:
    """The rows of all cores; a core that cannot be had is named on stderr."""
    found: list[Row] = []
    tasks = [(wheel, count, number, fixtures, reuse) for wheel in wheels]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for rows, said in pool.imap(_one, tasks):
            print(said, file=sys.stderr, flush=True)
            found += rows
    return found


def _one(task: tuple[str, int, int, bool, bool]) -> tuple[list[Row], str]:
    wheel, count, number, fixtures, reuse = task
    started = time.monotonic()
    questions = [*written_questions(), *made_questions(count, number)] if fixtures else made_questions(count, number)
    unasked: list[Question] = []
    try:
        rows = list(ask(wheel, questions, Memory(TAGS[wheel]) if reuse else None, unasked))
    except OracleUnavailable as why:
        return [], f"{TAGS[wheel]}: {why}"
    seconds = time.monotonic() - started
    left = f", {len(unasked)} of them not asked: it does not start with their flags" if unasked else ""
    return rows, f"{TAGS[wheel]}: {len(questions)} cases in {seconds:.0f} s{left}"


def conclude(rows: Sequence[Row], tags: Sequence[str], work: str, keep: bool) -> int:
    """Print the tables, keep the result; 0 where nothing is stricter and little is blind on any of the cores `tags`.

    A result that lacks one of them is not kept.
    """
    found = summary(rows)
    print(per_core(found))
    print(work_list(rows))
    if work:
        Path(work).write_text(work_list(rows), encoding="utf-8")
    if lacking := sorted(set(tags) - set(found["cores"])):
        print(f"no answers of {', '.join(lacking)}", file=sys.stderr)
    elif keep:
        RESULT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if within_limits(found, tags) else 1


def within_limits(found: Mapping[str, Any], tags: Iterable[str]) -> bool:
    """Whether every core of `tags` was asked, nothing is stricter than Triton, and as little as was promised is not
    seen."""
    good = all(one["stricter"] == 0 and one["blind"] <= _LIMIT * one["models"] for one in found["cores"].values())
    return good and set(tags) <= set(found["cores"])
