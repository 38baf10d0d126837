"""Limits of one rate, differences, corrections: against scipy and statsmodels, and by their own promises."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from tritoncheck.stress.distributions import beta_cdf, beta_quantile, binomial, hypergeometric, hypergeometric_tail
from tritoncheck.stress.stats import (
    attempts_for_claim,
    clopper_pearson,
    holm,
    newcombe,
    percent,
    phi,
    sentence,
    upper_limit,
    wilson,
)

RANDOM = random.Random(20261130)
COUNTS = [*((k, n) for n in (1, 2, 5) for k in range(n + 1)), *((k, 50) for k in (0, 1, 2, 5, 10, 31, 49, 50))]
COUNTS += [(RANDOM.randint(0, n), n) for n in (100, 1000, 100_000) for _ in range(3)]
COUNTS += [(1, 1000), (999, 1000), (1, 1_000_000), (999_999, 1_000_000)]


@st.composite
def counts(draw: st.DrawFn, most: int = 300) -> tuple[int, int]:
    """Failures and attempts."""
    attempts = draw(st.integers(1, most))
    return draw(st.integers(0, attempts)), attempts


levels = st.floats(0.5, 0.999)


def test_distributions_equal_scipy() -> None:
    for a, b in ((1, 1), (0.5, 0.5), (1, 50), (6, 45), (314, 687), (5000, 5001), (1, 100_000)):
        for q in (1e-6, 0.025, 0.3, 0.5, 0.975):
            x = scipy_stats.beta.ppf(q, a, b)
            assert beta_quantile(q, a, b) == pytest.approx(x, abs=1e-12)
            assert beta_cdf(x, a, b) == pytest.approx(q, abs=1e-9)
    for n, p in ((0, 0.3), (1, 0.5), (50, 0.0), (50, 1.0), (50, 0.1), (1000, 0.003), (1000, 0.5)):
        first, masses = binomial(n, p)
        expected = scipy_stats.binom.pmf(range(n + 1), n, p)
        kept = {first + place: mass for place, mass in enumerate(masses)}
        assert [kept.get(k, 0.0) for k in range(n + 1)] == pytest.approx(list(expected), abs=1e-13)
    for n, m, drawn in ((5, 7, 3), (50, 50, 5), (50, 3, 40), (1000, 500, 40), (4, 0, 2), (0, 4, 2)):
        first, likely = hypergeometric(n, m, drawn)
        where = range(first, first + len(likely))
        assert likely == pytest.approx(list(scipy_stats.hypergeom.pmf(where, n + m, n, drawn)), abs=1e-11)
        tails = [hypergeometric_tail(x, n, drawn - x, m) for x in where]
        assert tails == pytest.approx([scipy_stats.hypergeom.sf(x - 1, n + m, n, drawn) for x in where], abs=1e-11)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_intervals_equal_scipy(level: float) -> None:
    for failures, attempts in COUNTS:
        oracle = scipy_stats.binomtest(failures, attempts)
        exact, shown = clopper_pearson(failures, attempts, level), wilson(failures, attempts, level)
        theirs = oracle.proportion_ci(level, "exact")
        assert (exact.low, exact.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        theirs = oracle.proportion_ci(level, "wilson")
        assert (shown.low, shown.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
        one_sided = scipy_stats.binomtest(failures, attempts, alternative="less").proportion_ci(level, "exact")
        assert upper_limit(failures, attempts, level) == pytest.approx(one_sided.high, abs=1e-9)


@pytest.mark.parametrize(
    ("failures", "exact", "shown"),
    [
        (0, (0.0, 7.1), (0.0, 7.1)),
        (1, (0.05, 10.6), (0.35, 10.5)),
        (2, (0.5, 13.7), (1.1, 13.5)),
        (5, (3.3, 21.8), (4.3, 21.4)),
        (10, (10.0, 33.7), (11.2, 33.0)),
    ],
)
def test_known_intervals_of_50(failures: int, exact: tuple[float, float], shown: tuple[float, float]) -> None:
    for interval, (low, high) in ((clopper_pearson(failures, 50), exact), (wilson(failures, 50), shown)):
        assert interval.low * 100 == pytest.approx(low, abs=0.05 if low >= 0.5 else 0.005)
        assert interval.high * 100 == pytest.approx(high, abs=0.05)
        assert failures / 50 in interval


@given(counts(), levels)
def test_intervals_mirror_and_nest(one: tuple[int, int], level: float) -> None:
    failures, attempts = one
    for interval in (clopper_pearson, wilson):
        found, mirrored = interval(failures, attempts, level), interval(attempts - failures, attempts, level)
        assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)
        assert 0 <= found.low <= failures / attempts <= found.high <= 1
        wider = interval(failures, attempts, (1 + level) / 2)
        assert wider.low <= found.low
        assert wider.high >= found.high
    if failures:
        fewer = clopper_pearson(failures - 1, attempts, level)
        found = clopper_pearson(failures, attempts, level)
        assert fewer.low < found.low
        assert fewer.high < found.high


@settings(max_examples=50)
@given(st.integers(1, 60), st.floats(0, 1), st.floats(0.5, 0.99))
def test_clopper_pearson_keeps_its_promise_at_every_rate(attempts: int, rate: float, level: float) -> None:
    first, masses = binomial(attempts, rate)
    held = [m for k, m in enumerate(masses, first) if rate in clopper_pearson(k, attempts, level)]
    assert math.fsum(held) >= level - 1e-9
    claimed = [m for k, m in enumerate(masses, first) if rate <= upper_limit(k, attempts, level)]
    assert math.fsum(claimed) >= level - 1e-9


def test_wilson_keeps_its_promise_on_average() -> None:
    rates = [(2 * step + 1) / 400 for step in range(200)]
    held = 0.0
    for rate in rates:
        first, masses = binomial(50, rate)
        held += math.fsum(m for k, m in enumerate(masses, first) if rate in wilson(k, 50))
    assert held / len(rates) == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize(
    ("attempts", "limit"), [(10, "25.9 %"), (50, "5.8 %"), (100, "3.0 %"), (300, "0.99 %"), (1000, "0.30 %")]
)
def test_no_failure_rules_out(attempts: int, limit: str) -> None:
    assert sentence(0, attempts) == f"0 of {attempts}: rules out a failure rate above {limit} (95 %)"
    assert upper_limit(0, attempts) == pytest.approx(1 - 0.05 ** (1 / attempts), abs=1e-14)
    if attempts >= 30:
        assert upper_limit(0, attempts) == pytest.approx(3 / attempts, rel=0.04)


def test_other_sentences() -> None:
    assert sentence(50, 50) == "50 of 50: rules out a failure rate below 94.2 % (95 %)"
    assert sentence(17, 50) == "17 of 50: a failure rate of 34.0 %, between 21.2 % and 48.8 % (95 %)"
    assert sentence(0, 20, 0.999) == "0 of 20: rules out a failure rate above 29.2 % (99.9 %)"
    assert sentence(0, 0) == "0 of 0: nothing is known"
    assert [percent(rate) for rate in (0, 1e-6, 0.00994, 0.01, 0.5, 1)] == [
        *("0 %", "0.00010 %", "0.99 %", "1.0 %", "50.0 %", "100 %")
    ]


@pytest.mark.parametrize(("rate", "attempts"), [(0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299)])
def test_known_plans(rate: float, attempts: int) -> None:
    assert attempts_for_claim(rate) == attempts
    assert attempts == math.ceil(math.log(0.05) / math.log(1 - rate))


@given(st.floats(1e-4, 0.9), levels, st.integers(0, 5))
def test_a_plan_is_enough_and_no_more(rate: float, level: float, failures: int) -> None:
    attempts = attempts_for_claim(rate, level, failures)
    assert attempts > failures
    assert upper_limit(failures, attempts, level) <= rate + 1e-12
    assert attempts == failures + 1 or upper_limit(failures, attempts - 1, level) > rate - 1e-12


# statsmodels 0.15.0, confint_proportions_2indep(…, method="newcomb", compare="diff")
@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        ((5, 50, 0, 50), 0.008975448080590018, 0.21360231437479657),
        ((17, 50, 3, 50), 0.12569734096226098, 0.42395427699562777),
        ((3, 50, 0, 50), -0.021496383126533014, 0.16217091688838173),
        ((0, 50, 0, 50), -0.07134759913335874, 0.07134759913335874),
        ((50, 50, 0, 50), 0.8990992576628452, 1.0),
        ((12, 100, 30, 500), 0.004375769714960044, 0.14009038808874785),
        ((7, 13, 11, 29), -0.14688835875427753, 0.4346416576097),
    ],
)
def test_newcombe_equals_statsmodels(table: tuple[int, int, int, int], low: float, high: float) -> None:
    found = newcombe(*table)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


@given(counts(), counts(), levels)
def test_newcombe_mirrors(a: tuple[int, int], b: tuple[int, int], level: float) -> None:
    one, other = newcombe(*a, *b, level), newcombe(*b, *a, level)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    assert -1 - 1e-12 <= one.low <= a[0] / a[1] - b[0] / b[1] <= one.high <= 1 + 1e-12


# statsmodels 0.15.0, multipletests(…, method="holm")
@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.04, 0.03, 0.005, 0.2, 0.04], [0.05, 0.12, 0.12, 0.03, 0.2, 0.12]),
        ([0.9, 0.8, 0.02, 0.02], [1.0, 1.0, 0.08, 0.08]),
        ([], []),
    ],
)
def test_holm_equals_statsmodels(p_values: list[float], adjusted: list[float]) -> None:
    assert list(holm(p_values)) == pytest.approx(adjusted, abs=1e-12)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_between_nothing_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for p, raised in zip(p_values, adjusted, strict=True):
        assert p <= raised <= min(1, len(p_values) * p) or raised == pytest.approx(p)
    by_size = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[i] for i in by_size] == sorted(adjusted)


def test_phi() -> None:
    assert phi([0, 1, 1, 0], [0, 1, 1, 0]) == pytest.approx(1)
    assert phi([0, 1, 1, 0], [True, False, False, True]) == pytest.approx(-1)
    assert phi([0, 1, 0, 1], [0, 0, 1, 1]) == 0
    assert phi([0, 0, 0], [0, 1, 1]) is None
    assert phi([], []) is None
    with pytest.raises(ValueError, match="argument 2 is"):
        phi([0, 1], [0])
    one, other = ([RANDOM.random() < 0.3 for _ in range(60)] for _ in range(2))
    assert phi(one, other) == pytest.approx(scipy_stats.pearsonr(one, other).statistic, abs=1e-12)


@pytest.mark.parametrize("bad", [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0.0), (1, 5, 1.0), (1, 5, math.nan)])
def test_what_cannot_be_is_refused(bad: tuple[int, int, float]) -> None:
    for function in (clopper_pearson, wilson, upper_limit, sentence):
        with pytest.raises(ValueError, match=r"cannot be|is not between"):
            function(*bad)
    with pytest.raises(ValueError, match="rate"):
        attempts_for_claim(0)
    with pytest.raises(ValueError, match="p-value"):
        holm([0.5, 1.5])


def test_nothing_known_is_the_whole_range() -> None:
    assert clopper_pearson(0, 0)[2:] == wilson(0, 0)[2:] == (0, 1)
    assert upper_limit(0, 0) == 1
    assert newcombe(0, 0, 1, 5)[2:] == (-1, 1)
