"""Asks a core all the questions and compares its answers with lint's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.conformance.comparison import Row, compare
from tests.conformance.core import STRICT, Core
from tests.conformance.memory import Memory
from tests.conformance.opinion import TAGS, opinion
from tests.conformance.questions import Question
from tests.oracle.wheels import OracleUnavailable, find_server


def ask(
    wheel: str, questions: Sequence[Question], memory: Memory | None = None, unasked: list[Question] | None = None
) -> Iterator[Row]:
    """The rows of all questions on the core of one wheel. OracleUnavailable where it cannot be had.

    memory: verdicts that are taken from it are not asked for again. unasked: takes those with whose flags the core does
    not start, since they are too new for it.
    """
    files, tag = find_server(wheel), TAGS[wheel]
    by_flags: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for one in questions:
        by_flags[one.flags].append(one)
    for flags, asked in by_flags.items():
        try:
            with Core(files, flags) as core:
                for one in asked:
                    yield from _ask(core, tag, one, memory)
        except OracleUnavailable:
            if flags in ((), (STRICT,)):
                raise
            if unasked is not None:
                unasked += asked


def _ask(core: Core, tag: str, question: Question, memory: Memory | None = None) -> list[Row]:
    with core.cleared() as repository:
        question.make(repository)
        roots = question.roots if all((repository / one).is_dir() for one in question.roots) else ()
        said = opinion(repository, tag, question.flags, roots=roots, python=core.python)
        key = memory.key(repository, question.flags, *question.roots, str(core.python)) if memory else ""
        verdict = memory.get(key) if memory else None
        if verdict is None:
            verdict = core.judge_start([repository / one for one in roots]) if roots else core.judge_here()
            if memory:
                memory.put(key, verdict)
        return compare(tag, question.name, verdict, said, question.changes)
