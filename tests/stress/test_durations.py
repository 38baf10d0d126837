"""Quantiles of load times: against scipy, by their promise, and with loads that never ended."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from tritoncheck.stress.distributions import binomial
from tritoncheck.stress.durations import estimated, quantile, ranks

SHARES = (0.5, 0.9, 0.95)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", [1, 5, 6, 20, 50, 72, 100, 1000])
def test_limits_equal_scipy(n: int, share: float) -> None:
    draw = random.Random(n)
    times = [draw.expovariate(0.2) for _ in range(n)]
    found = quantile(times, share)
    theirs = scipy_stats.quantile_test(times, p=share).confidence_interval(0.95)
    assert found.low == (0 if math.isnan(theirs.low) else theirs.low)
    assert found.high == (None if math.isnan(theirs.high) else theirs.high)
    assert found.estimate == sorted(times)[math.ceil(round(n * share, 9)) - 1]


@given(st.integers(1, 200), st.floats(0.01, 0.99), st.floats(0.5, 0.99))
def test_ranks_keep_their_promise(n: int, share: float, level: float) -> None:
    """The quantile is between two ranks as often as the number of times below it is."""
    lower, upper = ranks(n, share, level)
    first, masses = binomial(n, share)
    assert math.fsum(m for j, m in enumerate(masses, first) if lower <= j < upper) >= level - 1e-9
    tail = (1 - level) / 2 + 1e-9
    assert math.fsum(m for j, m in enumerate(masses, first) if j < lower) <= tail
    assert math.fsum(m for j, m in enumerate(masses, first) if j >= upper) <= tail
    assert 0 <= lower < upper <= n + 1


def test_loads_given_up_only_move_what_they_must() -> None:
    times = [float(second) for second in range(1, 47)]
    found, median = quantile(times, 0.95, [120.0] * 4), quantile(times, 0.5, [120.0] * 4)
    assert (found.estimate, found.low, found.high) == (None, 44.0, None)
    assert (median.estimate, median.low, median.high) == (25.0, 18.0, 33.0)
    assert quantile(times, 0.99, [120.0] * 4).low == 120.0  # "takes longer than the time-out"
    assert quantile([], 0.5, [120.0] * 10)[1:4] == (None, 120.0, None)


@given(st.lists(st.floats(0, 100), max_size=40), st.lists(st.booleans(), min_size=40, max_size=40))
def test_giving_up_widens(times: list[float], stopped: list[bool]) -> None:
    """Limits of loads cut short at any time hold the limits that the whole loads would have had."""
    whole = quantile(times)
    cut = quantile(
        [time for time, stop in zip(times, stopped, strict=False) if not stop],
        given_up=[time / 2 for time, stop in zip(times, stopped, strict=False) if stop],
    )
    assert cut.low <= whole.low
    assert cut.high is None or (whole.high is not None and cut.high >= whole.high)


def test_a_limit_needs_so_many_loads() -> None:
    for share, n in zip(SHARES, (6, 36, 72), strict=True):
        assert ranks(n, share)[1] == n
        assert ranks(n - 1, share)[1] == n


_TIMES = st.lists(st.integers(0, 12).map(float), max_size=30)


@given(_TIMES, _TIMES, st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9, 0.95]))
def test_the_estimate_equals_that_of_kaplan_and_meier_in_scipy(
    times: list[float], given_up: list[float], share: float
) -> None:
    """Censored early, late, all, and at the very time at which others end."""
    expected = None
    if times or given_up:
        data = scipy_stats.CensoredData(uncensored=times, right=given_up)
        curve = scipy_stats.ecdf(data).sf
        reached = [
            time
            for time, going_on in zip(curve.quantiles, curve.probabilities, strict=True)
            if going_on <= 1 - share + 1e-9 and time in times
        ]
        expected = min(reached, default=None)
    assert estimated(times, share, given_up) == expected


@given(_TIMES, _TIMES, st.sampled_from([0.1, 0.5, 0.9]))
def test_the_estimate_lies_between_its_limits(times: list[float], given_up: list[float], share: float) -> None:
    found = quantile(times, share, given_up, level=0.95)
    if found.estimate is not None:
        assert found.low <= found.estimate
        assert found.high is None or found.estimate <= found.high
    else:
        assert found.high is None


def test_loads_that_were_given_up_early_count_for_later_ones() -> None:
    """Four of ten were waited for only 1 s: they are as likely as the others to end at any later time."""
    times = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert estimated(times, 0.5, [1.0] * 4) == 4.0
    assert estimated(times, 0.5, [100.0] * 4) == 6.0
    assert estimated([], 0.5, [100.0] * 4) is None
    assert estimated([], 0.5) is None


def test_what_cannot_be_is_refused() -> None:
    for times, share in (([1.0], 0.0), ([1.0], 1.0), ([-1.0], 0.5), ([math.nan], 0.5)):
        with pytest.raises(ValueError, match="not"):
            quantile(times, share)
    assert quantile([])[1:4] == (None, 0.0, None)
