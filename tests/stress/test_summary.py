"""What a summary says of a journal, with answers that are known beforehand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stress import journals
from tests.stress.journals import FACTS, attempt, failed, from_strips, plan, ready, write
from tritoncheck.stress import stats
from tritoncheck.stress.arms import boschloo
from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.fold import letter_of
from tritoncheck.stress.journal import JournalError
from tritoncheck.stress.rates import Rate, verdict
from tritoncheck.stress.records import Facts, ModelOutcome
from tritoncheck.stress.report import render
from tritoncheck.stress.stop import Tally
from tritoncheck.stress.summary import Summary, summarise


def of(tmp_path: Path, strips: dict[str, str], **more: Any) -> Summary:
    """The summary of a run in which models ended as these strips say."""
    return summarise(from_strips(tmp_path / "run", strips, **more))


def test_fifty_clean_starts(tmp_path: Path) -> None:
    summary = of(tmp_path, {"a": "." * 50, "b": "." * 50})
    assert summary.whole.verdict == "clean"
    assert summary.whole.sentence == "0 of 50: rules out a failure rate above 5.8 % (95 %)"
    assert summary.whole.headline == "Clean: all 50 starts came up whole"
    assert summary.exit_code == 0
    assert {model.verdict for model in summary.whole.models.values()} == {"clean"}
    assert summary.whole.first_bad is None
    assert summary.whole.order_sentence == "The order cannot be checked: every attempt ended alike."


def test_one_model_that_always_fails(tmp_path: Path) -> None:
    summary = of(tmp_path, {"bad": "F" * 20, "good": "." * 20})
    assert (summary.whole.verdict, summary.exit_code) == ("deterministic", 1)
    assert summary.whole.models["bad"].sentence == "20 of 20: rules out a failure rate below 86.1 % (95 %)"
    assert summary.whole.models["bad"].classes == {"oom": 20}
    assert summary.whole.models["good"].verdict == "clean"
    assert len(summary.whole.ways) == 1


def test_a_server_that_never_comes_up_whole_is_a_lottery_where_the_models_change(tmp_path: Path) -> None:
    summary = of(tmp_path, {"a": "dF" * 10, "b": "Fd" * 10})
    assert summary.whole.rate.bad == summary.whole.rate.n == 20
    assert summary.whole.verdict == "nondeterministic"
    assert "differs from start to start" in summary.whole.headline


@pytest.mark.parametrize(
    ("models", "more", "letter"),
    [
        ({"a": ready()}, {}, "."),
        ({"a": failed()}, {}, "F"),
        ({"a": ModelOutcome("knock-on")}, {}, "F"),
        ({"a": ModelOutcome("unknown")}, {}, "?"),
        ({"a": ModelOutcome("unknown")}, {"ended": "exit", "exit_code": 1}, "F"),
        ({"a": ModelOutcome("unknown")}, {"ended": "exit", "exit_code": 0}, "?"),
        ({"a": ModelOutcome("unknown")}, {"ended": "settled", "exit_code": 1}, "?"),
        ({"a": ModelOutcome("unknown")}, {"ended": "timeout"}, "F"),
        ({"a": ModelOutcome("unknown")}, {"server": "port-in-use"}, "F"),
    ],
)
def test_what_an_attempt_counts_as(models: dict[str, ModelOutcome], more: dict[str, Any], letter: str) -> None:
    assert letter_of(attempt(1, models, **more)) == letter


def test_a_way_is_shown_by_its_first_attempt_with_a_log(tmp_path: Path) -> None:
    attempts = [attempt(n, {"a": failed()}, log=log) for n, log in enumerate(("", "b.log", "c.log"), 1)]
    (way,) = summarise(write(tmp_path / "run", plan(("a",), 3), attempts)).whole.ways
    assert (way.attempts, way.first, way.example.number) == (3, 1, 2)


def test_the_race(tmp_path: Path) -> None:
    summary = summarise(journals.nv12(tmp_path / "run"))
    whole = summary.whole
    assert (whole.rate.bad, whole.rate.n, whole.verdict, summary.exit_code) == (26, 50, "nondeterministic", 1)
    assert whole.rate.interval == stats.clopper_pearson(26, 50)
    assert whole.rate.wilson == stats.wilson(26, 50)
    assert whole.strip.count("F") == 26
    assert whole.first_bad == 2
    vlm = whole.models["vlm_main"]
    assert vlm.classes == {"legacy-stream-dependency": 19}
    assert vlm.losses == {}
    assert vlm.examples["legacy-stream-dependency"].attempt == vlm.first_bad
    pose = whole.models["pose_main"]
    assert pose.losses == {"cuda-graph": 12}
    assert pose.rate.bad == pose.outcomes["failed"] + pose.outcomes["degraded"]
    assert sum(one.attempts for one in whole.blame if one.victim == "vlm_main") == 19
    assert {one.culprit for one in whole.blame} == {"depth_main", "pose_main", "rfdetr"}
    assert sum(way.attempts for way in whole.ways) == 26
    assert whole.ways == tuple(sorted(whole.ways, key=lambda way: (-way.attempts, way.first)))
    assert len(whole.good) == 1
    assert whole.good[0].log


def test_the_claim(tmp_path: Path) -> None:
    summary = of(tmp_path, {"a": "." * 50}, claim=0.01)
    assert summary.claim is not None
    assert (summary.claim.met, summary.claim.needs, summary.exit_code) == (None, 249, 3)
    assert "249 more restarts without a failure, about 8 min" in summary.claim.sentence


@pytest.mark.parametrize(
    ("strip", "claim", "met", "code"),
    [
        ("." * 299, 0.01, True, 0),
        ("." * 298, 0.01, None, 3),
        ("F" + "." * 49, 0.2, True, 0),
        ("F" * 20 + "." * 30, 0.1, False, 1),
        ("." * 299 + "?", 0.01, None, 3),
    ],
)
def test_a_claim_is_shown_refuted_or_open(
    tmp_path: Path, strip: str, claim: float, met: bool | None, code: int
) -> None:
    summary = of(tmp_path, {"a": strip}, claim=claim)
    assert summary.claim is not None
    assert (summary.claim.met, summary.exit_code) == (met, code)


@pytest.mark.parametrize(
    ("strip", "met", "code", "said"),
    [
        (
            "." * 31,
            True,
            0,
            "A failure rate of 1.0 % is accepted against one of 10.0 %: a server that fails in 10.0 % of",
        ),
        ("FF", False, 1, "A failure rate of 1.0 % is refused for one of 10.0 %: a server that fails in 1.0 % of its"),
        ("." * 20, None, 3, "A failure rate of 1.0 % is not told from one of 10.0 % yet: that takes 11 more restarts"),
    ],
)
def test_the_sequential_test(tmp_path: Path, strip: str, met: bool | None, code: int, said: str) -> None:
    """What it shows is not that the rate is below the claim: it chose one rate of two, with the declared errors."""
    given = plan(("a",), 160, claim=0.01, until="sprt", against=0.1)
    attempts = [attempt(n + 1, {"a": ready() if one == "." else failed()}) for n, one in enumerate(strip)]
    decision = rules_of(given)[0].decide(Tally(len(strip), strip.count("F")))
    assert (decision is None) == (met is None)
    table = {"rule": "sprt", "outcome": decision.outcome, "reason": decision.reason} if decision else {}
    others = [("decision", table)] if decision else []
    summary = summarise(write(tmp_path / "run", given, attempts, others=others))
    assert summary.claim is not None
    assert (summary.claim.met, summary.exit_code) == (met, code)
    assert summary.claim.sentence.startswith(said)
    assert summary.whole.rate.interval.method == "beta-binomial-sequence"
    text = " ".join(render(summary, "text").split())
    assert "(sequential test, errors of 5 % and 5 %)" in text
    if decision:
        assert f"Ended by the declared rule (sprt): {decision.reason}." in text


def test_a_test_that_is_not_needed_shows_more(tmp_path: Path) -> None:
    """So many good starts that the claim itself is shown, whatever the rule was."""
    given = plan(("a",), 1000, claim=0.01, until="sprt", against=0.011)
    attempts = [attempt(n + 1, {"a": ready()}) for n in range(700)]
    summary = summarise(write(tmp_path / "run", given, attempts))
    assert summary.claim is not None
    assert summary.claim.sentence == "A failure rate below 1.0 % is shown (95 %)."


def test_unknown_is_beside_and_in_the_worst_case(tmp_path: Path) -> None:
    summary = of(tmp_path, {"a": "." * 48 + "??"})
    rate = summary.whole.models["a"].rate
    assert (rate.n, rate.bad, rate.unknown) == (48, 0, 2)
    assert rate.worst == stats.clopper_pearson(2, 50)
    assert "2 more attempts are unknown, with which it could be up to 12.1 %" in summary.whole.sentence
    assert summary.whole.verdict == "inconclusive"
    assert summary.exit_code == 3


def test_knock_on_counts_against_the_root_only(tmp_path: Path) -> None:
    waits = ModelOutcome("knock-on", culprits=("root",))
    attempts = [attempt(i + 1, {"root": failed(), "ensemble": waits}) for i in range(10)]
    summary = summarise(write(tmp_path / "run", plan(("root", "ensemble"), 10), attempts))
    ensemble = summary.whole.models["ensemble"]
    assert (ensemble.rate.n, ensemble.rate.bad, ensemble.verdict) == (0, 0, "inconclusive")
    assert ensemble.sentence == "never tried: what it depends on failed in all 10 attempts"
    assert [(one.culprit, one.victim, one.kind, one.attempts) for one in summary.whole.blame] == [
        ("root", "ensemble", "dependency", 10)
    ]
    assert summary.whole.verdict == "deterministic"


def test_failures_that_cluster_are_told(tmp_path: Path) -> None:
    summary = summarise(journals.clustered(tmp_path / "run"))
    assert summary.whole.order.pattern() == "clusters"
    assert summary.whole.order_sentence.startswith("Failures cluster (p < 0.001): the intervals are too narrow.")


def test_models_that_fail_together(tmp_path: Path) -> None:
    strip = "F..F.F...FF.F.....F.F...F..F.."
    summary = of(tmp_path, {"a": strip, "b": strip, "c": "." * 30, "d": strip.translate({70: ".", 46: "F"})})
    pairs = {(one.first, one.second): one for one in summary.whole.together}
    assert set(pairs) == {("a", "b"), ("a", "d"), ("b", "d")}
    assert pairs["a", "b"].phi == pytest.approx(1)
    assert pairs["a", "d"].phi == pytest.approx(-1)
    assert pairs["a", "b"].p == pytest.approx(3 / math.comb(30, strip.count("F")))


def test_load_times_are_censored_at_the_time_out(tmp_path: Path) -> None:
    outcomes = [ready(1.0 + i / 100) for i in range(18)] + [ModelOutcome("hung", "hang", begun=1.0)] * 2
    attempts = [attempt(i + 1, {"a": one}, seconds=121.0) for i, one in enumerate(outcomes)]
    times = summarise(write(tmp_path / "run", plan(("a",), 20), attempts)).whole.models["a"].times
    assert times is not None
    assert (times.n, times.given_up) == (20, 2)
    assert times.median.estimate == pytest.approx(1.09)
    assert times.p95.estimate is None
    assert times.p95.high is None


def test_a_run_that_could_stop_early_has_the_interval_for_reading_along(tmp_path: Path) -> None:
    summary = of(tmp_path, {"a": "." * 31}, restarts=50)
    assert summary.whole.rate.interval.method == "beta-binomial-sequence"
    assert summary.whole.sentence.endswith("(95 % at any time)")
    assert not summary.complete
    assert summary.exit_code == 3
    decided = {"rule": "sprt", "outcome": "good", "reason": "0 of 31 failed"}
    folder = write(
        tmp_path / "other",
        plan(("a",), 200, until="decided", claim=0.1),
        [attempt(i + 1, {"a": ready()}) for i in range(31)],
        others=[("decision", decided)],
    )
    summary = summarise(folder)
    assert summary.claim is not None
    assert (summary.claim.met, summary.complete, summary.exit_code) == (True, True, 0)


def test_a_run_that_ended_by_time_keeps_the_fixed_interval(tmp_path: Path) -> None:
    decided = {"rule": "time-budget", "outcome": "complete", "reason": "the planned 60 s are up"}
    attempts = [attempt(i + 1, {"a": ready()}) for i in range(31)]
    summary = summarise(
        write(tmp_path / "run", plan(("a",), 1000, budget=60.0), attempts, others=[("decision", decided)])
    )
    assert summary.whole.rate.interval.method == "clopper-pearson"
    assert (summary.complete, summary.exit_code) == (True, 0)


def test_environment_errors_are_no_attempts(tmp_path: Path) -> None:
    trouble = ("environment", {"text": "the engine does not answer"})
    summary = summarise(write(tmp_path / "a", plan(restarts=5), [], others=[trouble], end=trouble[1]["text"]))
    assert (summary.troubles, summary.trouble, summary.exit_code) == (1, "the engine does not answer", 4)
    good = [attempt(i + 1, {"a": ready()}) for i in range(5)]
    summary = summarise(write(tmp_path / "b", plan(("a",), 5), good, others=[trouble]))
    assert (summary.whole.rate.n, summary.exit_code) == (5, 0)


def test_an_attempt_that_was_broken_off_is_not_counted(tmp_path: Path) -> None:
    attempts = [attempt(1, {"a": ready()}), attempt(2, {"a": ModelOutcome("unknown")}, ended="stopped")]
    whole = summarise(write(tmp_path / "run", plan(("a",), 2), attempts)).whole
    assert (whole.attempts, whole.rate.unknown, whole.broken_off) == (1, 0, 1)


def test_a_server_that_died_has_failed(tmp_path: Path) -> None:
    nobody = {"a": ModelOutcome("unknown")}
    attempts = [
        attempt(1, nobody, ended="exit", exit_code=-11, server="crash-signal"),
        attempt(2, nobody, ended="exit", exit_code=1),
        attempt(3, nobody, ended="timeout"),
        attempt(4, nobody),
    ]
    whole = summarise(write(tmp_path / "run", plan(("a",), 4), attempts)).whole
    assert whole.strip == "FFF?"
    assert whole.server_classes == {"crash-signal": 1}


def test_no_attempts_at_all(tmp_path: Path) -> None:
    summary = summarise(write(tmp_path / "run", plan(), [], end=""))
    assert (summary.whole.verdict, summary.exit_code) == ("inconclusive", 3)
    assert summary.whole.sentence == "0 of 0: nothing is known"
    assert set(summary.whole.models) == set(journals.NV12)


def test_a_torn_last_line_is_passed_over_at_every_place(tmp_path: Path) -> None:
    folder = from_strips(tmp_path / "run", {"a": ".F.F."})
    data = (folder / "journal.jsonl").read_bytes()
    first = data.index(b"\n") + 1
    ends = [at for at in range(first, len(data) - 1) if data[at : at + 1] == b"\n"]
    whole_lines = [data[:end].count(b'"kind": "attempt"') for end in range(len(data))]
    for end in [*range(first, len(data), 13), *(at + i for at in ends for i in (0, 1))]:
        (folder / "journal.jsonl").write_bytes(data[:end])
        summary = summarise(folder)
        assert whole_lines[end] - summary.whole.attempts in (0, 1)
        assert summary.damaged == 0
    (folder / "journal.jsonl").write_bytes(data + b'{"kind": "att')
    assert (summarise(folder).torn, summarise(folder).whole.attempts) == (True, 5)


def test_a_damaged_line_is_counted(tmp_path: Path) -> None:
    folder = from_strips(tmp_path / "run", {"a": "...."})
    lines = (folder / "journal.jsonl").read_bytes().split(b"\n")
    lines[3] = b"\x00\xff not json"
    (folder / "journal.jsonl").write_bytes(b"\n".join(lines))
    summary = summarise(folder)
    assert (summary.damaged, summary.torn, summary.whole.attempts) == (1, False, 3)


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="No such file"):
        summarise(tmp_path)
    (tmp_path / "journal.jsonl").write_text("")
    with pytest.raises(JournalError, match="no plan"):
        summarise(tmp_path)
    (tmp_path / "journal.jsonl").write_text(json.dumps({"kind": "plan", "version": 99}) + "\n")
    with pytest.raises(JournalError, match="newer tritoncheck"):
        summarise(tmp_path)


def test_facts_of_sessions(tmp_path: Path) -> None:
    early = Facts(started=FACTS.started, tritoncheck="0.1.0", driver=FACTS.driver)
    later = Facts(started="2025-12-01T09:00:00Z", tritoncheck="0.1.0", driver="610.43")
    folder = write(tmp_path / "run", plan(), [attempt(1, {"a": ready()})], facts=(early, FACTS, later))
    summary = summarise(folder)
    assert [one.driver for one in summary.sessions] == [FACTS.driver, "610.43"]
    assert "driver" in summary.changed


def test_arms(tmp_path: Path) -> None:
    attempts = [attempt(i + 1, {"a": ready() if i % 2 else failed()}, arm="ab"[i % 2]) for i in range(20)]
    summary = summarise(write(tmp_path / "run", plan(("a",), 20), attempts))
    assert [(arm.name, arm.rate.bad, arm.rate.n, arm.verdict) for arm in summary.arms] == [
        ("a", 10, 10, "deterministic"),
        ("b", 0, 10, "clean"),
    ]
    (found,) = summary.comparisons
    assert found.p == pytest.approx(boschloo(10, 10, 0, 10))
    assert (found.arm, found.difference, found.interval) == ("b", -1.0, stats.newcombe(0, 10, 10, 10))
    assert found.sentence == ("a fails more often than b: 100 % against 0 % (60.8 % to 100 % more at 95 %, p < 0.001).")


@pytest.mark.parametrize(
    ("strips", "said"),
    [
        (
            {"a": "F" * 2 + "." * 48, "b": "." * 50},
            "No difference is seen between a and b (p = 0.38);"
            " 13.1 % against 0 % would have been, in four of five such runs.",
        ),
        ({"a": "..", "b": ".."}, "No difference is seen between a and b (p = 1)."),
        ({"a": "?", "b": ".."}, None),
    ],
)
def test_what_arms_show(tmp_path: Path, strips: dict[str, str], said: str | None) -> None:
    kinds = {".": ready(), "F": failed(), "?": ModelOutcome("unknown")}
    attempts = [attempt(i, {"m": kinds[one]}, arm=arm) for arm, strip in strips.items() for i, one in enumerate(strip)]
    summary = summarise(write(tmp_path / "run", plan(("m",), len(attempts)), attempts))
    assert [one.sentence for one in summary.comparisons] == ([said] if said else [])
    assert (said or "") in " ".join(render(summary, "text").split()).replace(" note: ", " ")


def test_thousands_of_attempts_are_read_in_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    folder = from_strips(tmp_path / "run", {"a": ".F..F." * 600, "b": "." * 3600})
    tracemalloc.start()
    summary = summarise(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert summary.whole.rate.n == 3600
    assert peak < 5_000_000


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("..dFkHC?", min_size=3, max_size=3), min_size=1, max_size=40))
def test_counts_add_up(tmp_path: Path, columns: list[str]) -> None:
    strips = {name: "".join(column[i] for column in columns) for i, name in enumerate("abc")}
    whole = of(tmp_path, strips).whole
    assert whole.rate.n + whole.rate.unknown == len(columns)
    for name, model in whole.models.items():
        assert sum(model.outcomes.values()) == len(columns)
        assert model.strip == strips[name]
        assert sum(model.classes.values()) + model.outcomes["degraded"] == model.rate.bad == sum(model.causes.values())
        assert model.rate.worst.high >= model.rate.interval.high or not model.rate.n
    assert sum(way.attempts for way in whole.ways) + whole.other_ways == whole.rate.bad
    assert whole.rate.bad >= max(model.rate.bad for model in whole.models.values())
    assert (whole.verdict == "clean") == (not whole.rate.bad and not whole.rate.unknown)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.01, 0.05, 0.2]), st.booleans())
def test_so_many_more_attempts_show_the_claim_and_one_less_does_not(
    bad: int, good: int, claim: float, sequential: bool
) -> None:
    rate = Rate(bad + good, bad, 0, sequential)
    more = rate.needed(claim)
    assert more is not None
    assert Rate(bad + good + more, bad, 0, sequential).ceiling <= claim
    if more:
        assert Rate(bad + good + more - 1, bad, 0, sequential).ceiling > claim


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ({}, "inconclusive"),
        ({"ready": 1}, "clean"),
        ({"ready": 9, "unknown": 1}, "inconclusive"),
        ({"ready": 9, "failed": 1}, "nondeterministic"),
        ({"failed": 5}, "deterministic"),
        ({"failed": 4}, "inconclusive"),
        ({"degraded": 5}, "deterministic"),
        ({"degraded": 5, "failed": 5}, "nondeterministic"),
        ({"knock-on": 9}, "inconclusive"),
    ],
)
def test_verdicts(outcomes: dict[str, int], said: str) -> None:
    assert verdict(outcomes) == said
