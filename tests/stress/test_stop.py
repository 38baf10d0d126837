"""Stopping rules: known values, and their error rates added up over every course that a run can take."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from tests.stress.courses import one_more, operation
from tritoncheck.stress.anytime import log_evidence, running_interval
from tritoncheck.stress.stats import clopper_pearson, upper_limit
from tritoncheck.stress.stop import (
    ConfidenceSequence,
    FixedCount,
    Sprt,
    StopRule,
    Tally,
    TimeBudget,
    decide,
)

GATE = Sprt(good=0.01, bad=0.10, most=1000)


def ever_missed(rate: float, missed: Callable[[int, int], bool], most: int) -> float:
    """The probability that an interval, read after each of `most` attempts, at least once does not hold the rate."""
    holding, lost = {0: 1.0}, 0.0
    for attempts in range(1, most + 1):
        reached = one_more(holding, rate)
        out = {failures for failures in reached if missed(failures, attempts)}
        lost += math.fsum(reached[failures] for failures in out)
        holding = {failures: likely for failures, likely in reached.items() if failures not in out}
    return lost


def outside(held: list[tuple[float, float]], failures: int, attempts: int) -> bool:
    """Whether a number of failures is not among those held at this number of attempts."""
    least, most = held[attempts]
    return not least <= failures <= most


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1, 0.3, 0.5, 0.9])
def test_the_running_interval_may_be_read_at_every_attempt(rate: float) -> None:
    limit = math.log(20)
    assert ever_missed(rate, lambda k, n: log_evidence(rate, k, n) > limit, 200) <= 0.05


def test_a_fixed_interval_may_not() -> None:
    """What the running interval is for: Clopper-Pearson, read along, misses in 17 to 28 % of runs."""
    for rate, expected in ((0.05, 0.169), (0.1, 0.212), (0.3, 0.265), (0.5, 0.284)):
        # The least and the most failures whose interval holds the rate: neither tail is below 2.5 %.
        held = [scipy_stats.binom.ppf((0.025, 0.975), n, rate) for n in range(201)]
        found = ever_missed(rate, functools.partial(outside, held), 200)
        assert found == pytest.approx(expected, abs=1e-3)


def test_known_running_intervals() -> None:
    assert running_interval(0, 50).high == pytest.approx(0.105, abs=5e-4)
    assert running_interval(5, 50)[2:] == pytest.approx((0.016, 0.287), abs=5e-4)
    assert running_interval(0, 0)[2:] == (0, 1)


@given(st.integers(1, 400), st.floats(0, 1), st.floats(0.5, 0.999))
def test_running_intervals_hold_all_rates_that_the_evidence_allows(attempts: int, share: float, level: float) -> None:
    failures = round(attempts * share)
    found, limit = running_interval(failures, attempts, level), -math.log(1 - level)
    for end in (found.low, found.high):
        if 0 < end < 1:
            assert log_evidence(end, failures, attempts) == pytest.approx(limit, abs=1e-6)
    assert 0 <= found.low <= failures / attempts <= found.high <= 1
    mirrored = running_interval(attempts - failures, attempts, level)
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


@given(st.integers(1, 300), st.floats(0, 1))
def test_reading_along_costs_width(attempts: int, share: float) -> None:
    failures = round(attempts * share)
    running, fixed = running_interval(failures, attempts), clopper_pearson(failures, attempts)
    assert running.low <= fixed.low
    assert running.high >= fixed.high


def test_evidence_equals_scipy() -> None:
    for failures, attempts, rate in ((0, 50, 0.01), (5, 50, 0.2), (313, 1000, 0.3)):
        mixture = scipy_stats.betabinom.logpmf(failures, attempts, 0.5, 0.5)
        expected = mixture - scipy_stats.binom.logpmf(failures, attempts, rate)
        assert log_evidence(rate, failures, attempts) == pytest.approx(expected, abs=1e-9)


def test_the_known_gate() -> None:
    low, high = GATE.limits
    assert (low, high) == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert GATE.decide(Tally(30, 0)) is None
    good, bad = GATE.decide(Tally(31, 0)), GATE.decide(Tally(2, 2))
    assert good is not None
    assert (good.rule, good.outcome, good.tally) == ("sprt", "good", Tally(31, 0))
    assert good.reason == "0 of 31 failed: speaks for a rate of 1.0 % against 10.0 %"
    assert bad is not None
    assert bad.outcome == "bad"


@pytest.mark.parametrize(("rate", "attempts"), [(0, 31), (0.01, 40), (0.03, 52), (0.1, 24), (0.2, 10), (0.5, 4)])
def test_known_length_of_the_gate(rate: float, attempts: int) -> None:
    assert operation(GATE, rate).attempts == pytest.approx(attempts, abs=0.5)


def test_error_rates_of_the_gate() -> None:
    good, bad = operation(GATE, GATE.good), operation(GATE, GATE.bad)
    assert good.bad == pytest.approx(0.0229, abs=1e-4)
    assert bad.good == pytest.approx(0.05, abs=1e-4)
    short = operation(dataclasses.replace(GATE, most=60), 0.03)
    assert short.inconclusive > 0.2
    assert short.good + short.bad + short.inconclusive == pytest.approx(1)


@given(st.floats(0.005, 0.1), st.floats(2, 8), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.01, 0.05, 0.1]))
def test_error_rates_of_any_gate(good: float, times: float, alpha: float, beta: float) -> None:
    """Wald's bounds: alpha / (1 - beta) and beta / (1 - alpha)."""
    gate = Sprt(good, good * times, 200, alpha, beta)
    assert operation(gate, gate.good).bad <= alpha / (1 - beta) + 1e-12
    assert operation(gate, gate.bad).good <= beta / (1 - alpha) + 1e-12


@pytest.mark.parametrize("rate", [0.005, 0.01, 0.0101, 0.05])
def test_error_rates_of_the_confidence_sequence(rate: float) -> None:
    found = operation(ConfidenceSequence(0.01, 500), rate)
    assert (found.bad if rate <= 0.01 else found.good) <= 0.05


def test_operation_is_what_a_simulation_finds() -> None:
    draw, runs, seen, length = random.Random(4), 2000, 0, 0
    for _ in range(runs):
        failures = 0
        for attempts in range(1, GATE.most + 1):
            failures += draw.random() < 0.03
            if decision := GATE.decide(Tally(attempts, failures)):
                seen += decision.outcome == "good"
                length += attempts
                break
    expected = operation(GATE, 0.03)
    assert seen / runs == pytest.approx(expected.good, abs=0.04)
    assert length / runs == pytest.approx(expected.attempts, rel=0.08)


def test_the_confidence_sequence_decides_when_its_interval_leaves_the_claim() -> None:
    rule = ConfidenceSequence(0.05, 200)
    for attempts in range(1, 200):
        for failures in range(min(attempts, 30)):
            interval = running_interval(failures, attempts)
            decision = rule.decide(Tally(attempts, failures))
            expected = "good" if interval.high < 0.05 else "bad" if interval.low > 0.05 else None
            assert (decision.outcome if decision else None) == expected, (failures, attempts)


def test_reasons() -> None:
    claim = ConfidenceSequence(0.05, 200)
    decisions = [
        claim.decide(Tally(10, 9)),
        claim.decide(Tally(150, 0)),
        claim.decide(Tally(200, 10)),
        FixedCount(50).decide(Tally(50, 3)),
        TimeBudget(1800).decide(Tally(50, 3, 1801.5)),
        dataclasses.replace(GATE, most=20).decide(Tally(20, 1)),
    ]
    assert [(each.outcome, each.reason) for each in decisions if each] == [
        ("bad", "9 of 10 failed: the rate is above 5.0 % (95 % at any time)"),
        ("good", "0 of 150 failed: the rate is below 5.0 % (95 % at any time)"),
        ("inconclusive", "10 of 200 failed: 200 attempts do not tell whether the rate is below 5.0 %"),
        ("complete", "the 50 planned attempts are done"),
        ("complete", "the planned 1800 s are up"),
        ("inconclusive", "1 of 20 failed: 20 attempts do not tell a rate of 1.0 % from 10.0 %"),
    ]


def test_the_first_of_several_rules_decides() -> None:
    rules: list[StopRule] = [GATE, TimeBudget(60), FixedCount(40)]
    assert decide(rules, Tally(10, 0, 20)) is None
    for pace, rule, attempts in ((2.0, "time-budget", 30), (1.0, "sprt", 31)):
        found = next(end for n in range(1, 100) if (end := decide(rules, Tally(n, 0, pace * n))))
        assert (found.rule, found.tally.attempts) == (rule, attempts)


@pytest.mark.parametrize("rule", [GATE, ConfidenceSequence(0.05, 1000)])
def test_what_is_unknown_decides_nothing(rule: StopRule) -> None:
    """An attempt of which nobody knows how it ended speaks neither for the server nor against it."""
    assert rule.decide(Tally(40, 0, unknown=40)) is None
    good = next(n for n in range(1, 999) if rule.decide(Tally(n, 0)))
    assert rule.decide(Tally(good, 0, unknown=1)) is None
    for failures in range(2, 12):
        for attempts in range(failures, 60):
            known, more = rule.decide(Tally(attempts, failures)), rule.decide(Tally(attempts + 3, failures, unknown=3))
            if known is None or known.outcome == "good":
                assert more is None or more.outcome == "good"
            if more is not None and more.outcome == "good":
                assert known is not None
    told = rule.decide(Tally(30, 20, unknown=3))
    assert told is not None
    assert told.reason.startswith("20 of 30 failed, 3 are unknown: ")


def test_what_is_missing_to_a_good_end() -> None:
    for attempts, failures, unknown in ((0, 0, 0), (10, 0, 0), (40, 1, 0), (40, 1, 1), (31, 0, 0)):
        more = GATE.needed(Tally(attempts, failures, unknown=unknown))
        ends = [GATE.decide(Tally(attempts + n, failures, unknown=unknown)) for n in (more - 1, more)]
        assert ends[1] is not None
        assert ends[1].outcome == "good"
        assert ends[0] is None or not more


def test_a_plan_can_keep_a_rule() -> None:
    kept = {"name": GATE.name, **dataclasses.asdict(GATE)}
    assert kept == {"name": "sprt", "good": 0.01, "bad": 0.1, "most": 1000, "alpha": 0.05, "beta": 0.05}


def test_the_operation_of_a_rule_that_waits_for_time() -> None:
    assert operation(FixedCount(30), 0.5) == pytest.approx((0, 0, 0, 1, 30))
    with pytest.raises(ValueError, match="does not end"):
        operation(TimeBudget(60), 0.5, most=20)


def test_a_claim_costs_more_when_read_along() -> None:
    """Clean attempts until "below 1 %": 299 where that number was fixed, 680 where every attempt may end the run."""
    assert upper_limit(0, 299) <= 0.01
    assert operation(ConfidenceSequence(0.01, 1000), 0).attempts == pytest.approx(680)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FixedCount(0),
        lambda: TimeBudget(0),
        lambda: TimeBudget(math.nan),
        lambda: ConfidenceSequence(0, 10),
        lambda: ConfidenceSequence(0.1, 0),
        lambda: ConfidenceSequence(0.1, 10, 1.0),
        lambda: Sprt(0, 0.1, 10),
        lambda: Sprt(0.1, 0.1, 10),
        lambda: Sprt(0.01, 0.1, 10, 0.5, 0.5),
        lambda: Sprt(0.01, 0.1, 0),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], StopRule]) -> None:
    with pytest.raises(ValueError, match=r"rate|level|leave|attempts|budget|good"):
        make()


def test_one_attempt_is_a_number_too() -> None:
    rule = FixedCount(1)
    assert rule.declared == "after 1 attempt"
    assert rule.decide(Tally(0, 0)) is None
    found = rule.decide(Tally(1, 0))
    assert found is not None
    assert found.reason == "the one planned attempt is done"
    assert FixedCount(2).declared == "after 2 attempts"
