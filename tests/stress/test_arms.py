"""Two arms: exact tests against scipy and against every table added up, and what a comparison could have seen."""

from __future__ import annotations

import math
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats  # type: ignore[import-untyped]

from tritoncheck.stress.arms import boschloo, chance, fisher, size, tables_within
from tritoncheck.stress.power import detectable, power, rejection

RANDOM = random.Random(20261130)


def some_tables(number: int, most: int) -> list[tuple[int, int, int, int]]:
    """Tables at random: failures and attempts of either arm."""
    sizes = [(RANDOM.randint(1, most), RANDOM.randint(1, most)) for _ in range(number)]
    return [(RANDOM.randint(0, n), n, RANDOM.randint(0, m), m) for n, m in sizes]


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Failures and attempts of either arm."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    return draw(st.integers(0, n)), n, draw(st.integers(0, m)), m


def as_scipy(failures_a: int, attempts_a: int, failures_b: int, attempts_b: int) -> list[list[int]]:
    """The table as scipy wants it: arms in columns."""
    return [[failures_a, failures_b], [attempts_a - failures_a, attempts_b - failures_b]]


def test_known_comparison() -> None:
    """The orientation too: the arms exchanged give the same, rows for columns would not."""
    assert boschloo(5, 50, 0, 50) == pytest.approx(0.03520993957440341, abs=1e-9)
    assert boschloo(0, 50, 5, 50) == pytest.approx(0.03520993957440341, abs=1e-9)
    assert fisher(5, 50, 0, 50) == pytest.approx(0.0562844944288187, abs=1e-9)


def test_fisher_equals_scipy() -> None:
    for table in [*some_tables(150, 60), *some_tables(20, 1000), (0, 50, 0, 50), (5, 5, 7, 7), (2, 2, 0, 9)]:
        assert fisher(*table) == pytest.approx(scipy_stats.fisher_exact(as_scipy(*table)).pvalue, abs=1e-9)


def test_boschloo_equals_scipy() -> None:
    for table in [*some_tables(25, 30), (17, 50, 3, 50), (3, 50, 0, 50), (2, 20, 9, 70)]:
        expected = scipy_stats.boschloo_exact(as_scipy(*table), n=64).pvalue
        if not math.isnan(expected):  # scipy gives nothing where no attempt or every attempt failed
            assert boschloo(*table) == pytest.approx(expected, abs=1e-9), table


@settings(max_examples=15)
@given(tables())
def test_boschloo_is_the_highest_over_all_rates(table: tuple[int, int, int, int]) -> None:
    """All tables as extreme, found one by one, and their chance on a fine grid of rates."""
    sides = []
    for x, n, y, m in (table, (*table[2:], *table[:2])):
        extreme = {(i, j): scipy_stats.hypergeom.sf(i - 1, n + m, n, i + j) for i in range(n + 1) for j in range(m + 1)}
        region = [pair for pair, p in extreme.items() if p <= extreme[x, y] * (1 + 1e-9)]
        highest = 0.0
        for step in range(101):
            rate = math.sin(step * math.pi / 200) ** 2
            a, b = (scipy_stats.binom.pmf(range(most + 1), most, rate) for most in (n, m))
            highest = max(highest, math.fsum(a[i] * b[j] for i, j in region))
        sides.append(highest)
    grid = min(1.0, 2 * min(sides))
    assert grid - 1e-9 <= boschloo(*table) <= grid * 1.01


@given(tables())
def test_tests_are_symmetric(table: tuple[int, int, int, int]) -> None:
    x, n, y, m = table
    for test in (fisher, boschloo):
        p = test(x, n, y, m)
        assert 0 < p <= 1
        assert test(y, m, x, n) == pytest.approx(p, abs=1e-9)
        assert test(n - x, n, m - y, m) == pytest.approx(p, abs=1e-9)


def test_an_arm_without_attempts_tells_nothing() -> None:
    assert boschloo(0, 0, 3, 5) == fisher(0, 0, 3, 5) == 1
    with pytest.raises(ValueError, match="cannot be"):
        boschloo(3, 2, 0, 5)


@pytest.mark.parametrize(("base", "seen"), [(0, 14), (1, 16), (2, 19), (5, 26), (10, 33)])
def test_what_50_and_50_can_see(base: int, seen: int) -> None:
    found = detectable(base / 100, 50, 50)
    assert found is not None
    assert math.ceil(found * 100) == seen
    assert power(found, 50, base / 100, 50) == pytest.approx(0.8, abs=0.002)


def test_power_counts_the_rejecting_tables() -> None:
    n, m = 12, 17
    reject = {(x, y) for x in range(n + 1) for y in range(m + 1) if boschloo(x, n, y, m) <= 0.05}
    a_worse, b_worse = rejection(n, m), rejection(m, n)
    assert reject == {(x, y) for x in range(n + 1) for y in range(m + 1) if y <= a_worse[x] or x <= b_worse[y]}
    a, b = scipy_stats.binom.pmf(range(n + 1), n, 0.6), scipy_stats.binom.pmf(range(m + 1), m, 0.2)
    assert power(0.6, n, 0.2, m) == pytest.approx(math.fsum(a[x] * b[y] for x, y in reject), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(50, 50), (20, 50), (7, 90)])
def test_the_region_holds_its_level_and_is_wider_than_fishers(n: int, m: int) -> None:
    region, narrow = rejection(n, m), tables_within(n, m, 0.025)
    assert size(region, m) <= 0.025 + 1e-12
    assert all(wide >= fishers for wide, fishers in zip(region, narrow, strict=True))
    assert list(region) == sorted(region)


def test_what_cannot_be_seen() -> None:
    assert detectable(0.0, 2, 2) is None
    assert detectable(1.0, 50, 50) is None
    with pytest.raises(ValueError, match="rate"):
        detectable(-0.1, 50, 50)


def test_a_chance_is_a_probability() -> None:
    everything = (9,) * 8
    assert chance(everything, 0.3, 9, 0.6) == pytest.approx(1)
    assert chance((-1,) * 8, 0.3, 9, 0.6) == 0


def test_a_thousand_attempts_take_no_seconds() -> None:
    began = time.process_time()
    assert fisher(300, 1000, 320, 1000) == pytest.approx(0.358302709270, abs=1e-9)
    assert boschloo(300, 1000, 320, 1000) == pytest.approx(0.340795176587, abs=1e-9)
    assert time.process_time() - began < 2
