"""Lint beside a real core: in every run a sample of made repositories and fixtures on the newest one, all of them by
`make conformance`.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from tests.conformance import __main__ as command
from tests.conformance.comparison import Relation, Row, compare
from tests.conformance.core import STRICT, Core, Outcome
from tests.conformance.full import RESULT, within_limits
from tests.conformance.generate import repositories, samples
from tests.conformance.mutation import MUTATIONS, Mutation, fits
from tests.conformance.opinion import TAGS, Opinion, opinion
from tests.conformance.questions import fixture_questions, made_questions
from tests.conformance.report import per_core, summary, work_list
from tests.conformance.run import ask
from tests.conformance.sample import Sample
from tests.conformance.valid import valid_sample
from tests.oracle.wheels import DEFAULT_WHEEL

IN_EVERY_RUN, NUMBER = 300, 2  # others than those of the full run
CRASHES = 'backend: "identity"\nmetric_tags { key: "my-team" value: "x" }\n'
REFUSED = 'backend: "identity"\nmax_batch_size: -1\n'
LOADS = 'backend: "identity"\nmax_batch_size: 1\n'


@pytest.mark.usefixtures("core")  # where it starts, all others must
def test_lint_agrees_with_the_newest_core() -> None:
    """Nothing is stricter than Triton, and little is not seen."""
    questions = [*made_questions(IN_EVERY_RUN, NUMBER), *list(fixture_questions())[::7]]
    rows = list(ask(DEFAULT_WHEEL, questions))
    found = summary(rows)
    assert within_limits(found, [TAGS[DEFAULT_WHEEL]]), f"{per_core(found)}\n{work_list(rows)}"
    assert found["cores"][TAGS[DEFAULT_WHEEL]]["models"] > IN_EVERY_RUN
    assert found["cores"][TAGS[DEFAULT_WHEEL]]["fixtures"] > IN_EVERY_RUN / 3


def test_the_kept_result_is_within_the_limits() -> None:
    """The table of the README is made of it (tests/test_readme.py)."""
    assert within_limits(json.loads(RESULT.read_text(encoding="utf-8")), TAGS.values())


@pytest.mark.parametrize(
    ("relations", "tags", "within"),
    [
        (["agree"] * 199 + ["blind"], ["24.10"], True),
        (["agree"] * 198 + ["blind"], ["24.10"], False),
        (["agree"] * 199 + ["stricter"], ["24.10"], False),
        (["agree"] * 100 + ["excused"] * 100, ["24.10"], True),
        (["agree"], ["24.10", "24.03"], False),
        ([], ["24.10"], False),
    ],
)
def test_the_limits_are_limits(relations: list[Relation], tags: list[str], within: bool) -> None:
    """One in 200 that is not seen, none that is too strict, on no core less than all."""
    rows = [Row("24.10", f"m{index}", "m", one, "refused", "", ()) for index, one in enumerate(relations)]
    assert within_limits(summary(rows), tags) is within


def test_crashes_are_survived(core: Core, tmp_path: Path) -> None:
    """Each model of a repository gets its own outcome, also where one of them ends the server."""
    for name, text in (("a", LOADS), ("b", CRASHES), ("c", REFUSED), ("d", LOADS)):
        (tmp_path / name / "1").mkdir(parents=True)
        (tmp_path / name / "config.pbtxt").write_text(text)
    for verdict in (core.judge(tmp_path), core.judge(tmp_path)):
        assert {name: one.kind for name, one in verdict.items()} == {
            "a": "loaded",
            "b": "crashed",
            "c": "refused",
            "d": "loaded",
        }
        assert "'max_batch_size' must be non-negative value for c" in verdict["c"].words


def test_a_whole_repository_can_be_refused(core: Core, tmp_path: Path) -> None:
    """A dangling link beside the models shows only when a server starts with it."""
    (tmp_path / "a" / "1").mkdir(parents=True)
    (tmp_path / "a" / "config.pbtxt").write_text(LOADS)
    assert core.judge(tmp_path)["a"].loads
    (tmp_path / "link").symlink_to("nowhere")
    assert not core.judge(tmp_path)["a"].loads


def test_disagreements_are_seen(tmp_path: Path) -> None:
    """What lint says against the other outcome."""
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "config.pbtxt").write_text('name: "other"\n' + LOADS)
    said = opinion(tmp_path, "24.10")
    loaded, refused = Outcome("loaded"), Outcome("refused", "Poll failed for model directory 'm': because")
    nothing = Opinion((), frozenset({"m"}))
    relations = [
        compare("24.10", "case", {"m": outcome}, what)[0].relation
        for outcome, what in ((loaded, said), (refused, said), (loaded, nothing), (refused, nothing))
    ]
    assert relations == ["stricter", "agree", "agree", "blind"]


@pytest.mark.usefixtures("core")
def test_one_case_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is asked for by `--case`."""
    (tmp_path / "config.pbtxt").write_text('name: "other"\n' + LOADS)
    assert command.main(["--case", str(tmp_path), "--release", TAGS[DEFAULT_WHEEL]]) == 0
    shown = capsys.readouterr().out
    assert f"{tmp_path.name}: refused" in shown
    assert "lint TCR004 error refused" in shown


def test_repositories_are_the_same_each_time() -> None:
    """A name of a repository is enough to make it again."""
    first, second = samples(40, 3), samples(20, 3)
    assert [_texts(one) for one in first[:20]] == [_texts(one) for one in second]


def _texts(sample: Sample) -> dict[str, bytes | None]:
    return {name: part.written() for name, part in sample.parts.items()}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: f"{one.label} {one.change.__name__}")
def test_each_mutation_changes_something(mutation: Mutation) -> None:
    """Within some repositories, one is found that it fits, and its text or its files differ then."""
    for index in range(300):
        sample = valid_sample(Random(f"mutation/{index}"), "m")
        before = repr(_everything(sample))
        for name in list(sample.parts):
            if fits(mutation, Random(index), sample, name) and repr(_everything(sample)) != before:
                return
    pytest.fail("it never fits")


def _everything(sample: Sample) -> object:
    return [(name, part.written(), part.files, part.folders, part.links) for name, part in sample.parts.items()]


@settings(max_examples=60)
@given(repositories())
def test_lint_survives_what_is_made(tmp_path_factory: pytest.TempPathFactory, sample: Sample) -> None:
    """Whatever is wrong, lint says something or nothing, and a repository that fails shrinks."""
    folder = tmp_path_factory.mktemp("made")
    sample.write(folder)
    opinion(folder, "24.10", (STRICT,))
