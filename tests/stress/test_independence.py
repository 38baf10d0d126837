"""The order of failures: both tests against all orders, against scipy, and on patterns that a person sees."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from tritoncheck.stress import independence as module
from tritoncheck.stress.independence import independence, runs_p, trend_p


def count_runs(outcomes: tuple[int, ...]) -> int:
    """How many stretches of equal outcomes."""
    return 1 + sum(one != other for one, other in itertools.pairwise(outcomes))


@pytest.mark.parametrize(("attempts", "failures"), [(2, 1), (7, 3), (9, 1), (10, 5), (11, 7)])
def test_both_tests_equal_the_count_over_all_orders(attempts: int, failures: int) -> None:
    orders = [
        tuple(int(place in chosen) for place in range(attempts))
        for chosen in itertools.combinations(range(attempts), failures)
    ]
    all_runs = [count_runs(order) for order in orders]
    all_places = [sum(place for place, each in enumerate(order) if each) for order in orders]
    for order, runs, places in zip(orders, all_runs, all_places, strict=True):
        found = independence(order)
        for statistic, everywhere, p in ((runs, all_runs, found.p_runs), (places, all_places, found.p_trend)):
            few = sum(each <= statistic for each in everywhere) / len(orders)
            many = sum(each >= statistic for each in everywhere) / len(orders)
            assert p == pytest.approx(min(1, 2 * min(few, many)), abs=1e-12)
        assert found.runs == runs
    assert sum(all_runs) / len(orders) == pytest.approx(independence(orders[0]).expected_runs)


def test_trend_equals_scipy() -> None:
    draw = random.Random(1)
    for attempts, failures in ((50, 17), (50, 1), (120, 40), (30, 29)):
        places = sorted(draw.sample(range(attempts), failures))
        others = [place for place in range(attempts) if place not in places]
        expected = scipy_stats.mannwhitneyu(places, others, method="exact").pvalue
        assert trend_p(places, attempts) == pytest.approx(expected, abs=1e-9)


def test_a_long_trend_equals_scipy_and_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(2)
    places = sorted(draw.choices(range(1000), weights=range(1, 1001), k=400))
    places = sorted(set(places))
    others = [place for place in range(1000) if place not in places]
    expected = scipy_stats.mannwhitneyu(places, others, method="asymptotic", use_continuity=True).pvalue
    assert trend_p(places, 1000) == pytest.approx(expected, abs=1e-9)
    places = sorted(draw.sample(range(100), 40))
    exact = trend_p(places, 100)
    monkeypatch.setattr(module, "_EXACT_STEPS", 0)
    assert trend_p(places, 100) == pytest.approx(exact, abs=0.002)


@pytest.mark.parametrize(
    ("outcomes", "pattern"),
    [
        ([0] * 20 + [1] * 10 + [0] * 20, "clusters"),
        ([0, 1] * 20, "alternates"),
        ([0] * 30 + [0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1], "rises"),
        ([1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0] + [0] * 30, "falls"),
        ([0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1], "none"),
        ([0] * 50, "none"),
        ([1] * 50, "none"),
        ([], "none"),
    ],
)
def test_patterns(outcomes: list[int], pattern: str) -> None:
    assert independence(outcomes).pattern() == pattern


def test_halves() -> None:
    found = independence([0, 0, 1, 0, 1, 1, 1])
    assert (found.first, found.second) == ((1, 3), (3, 4))
    assert found.lateness == pytest.approx(11 / 12)


@given(st.lists(st.booleans(), max_size=80))
def test_backwards_and_inverted_are_the_same(outcomes: list[bool]) -> None:
    found, backwards = independence(outcomes), independence(outcomes[::-1])
    inverted = independence([not each for each in outcomes])
    for other in (backwards, inverted):
        assert (other.p_runs, other.p_trend) == pytest.approx((found.p_runs, found.p_trend), abs=1e-12)
        assert other.lateness == pytest.approx(1 - found.lateness, abs=1e-12)
    assert 0 < found.p <= 1


def test_false_alarms_are_rare() -> None:
    """Of runs with independent failures no more than 5 % are called dependent."""
    draw = random.Random(3)
    alarms = sum(independence([draw.random() < 0.3 for _ in range(50)]).p < 0.05 for _ in range(1000))
    assert alarms / 1000 < 0.05


def test_runs_of_a_long_run() -> None:
    assert runs_p(501, 500, 500) == pytest.approx(1)
    assert runs_p(440, 500, 500) == pytest.approx(2 * scipy_stats.norm.cdf((440.5 - 501) / 249.75**0.5), rel=0.03)
