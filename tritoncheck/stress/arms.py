"""Do two arms of restarts fail at different rates? Exact tests of k of n against k of n.

The arms are independent and their numbers of attempts fixed; the interval of the difference is `stats.newcombe`.
Counts are given as failures and attempts per arm, so there is no table to hold the wrong way round.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

from tritoncheck.stress.distributions import binomial, hypergeometric, hypergeometric_tail
from tritoncheck.stress.stats import check_counts

_TIE = 1 + 1e-9  # two tables this close are equally extreme; R's fisher.test takes 1 + 1e-7
_NEAR = 0.97  # a hill of the coarse search lower than this share of the highest is not climbed
_GOLDEN = (math.sqrt(5) - 1) / 2


def fisher(failures_a: int, attempts_a: int, failures_b: int, attempts_b: int) -> float:
    """The two-sided p-value of Fisher's exact test: all tables that are no likelier than the one seen.

    Also the test for two models over the same attempts: attempts_a those in which the second failed, attempts_b the
    others, and the failures those of the first among them.
    """
    check_counts(failures_a, attempts_a)
    check_counts(failures_b, attempts_b)
    first, masses = hypergeometric(attempts_a, attempts_b, failures_a + failures_b)
    seen = masses[failures_a - first] * _TIE
    return min(1.0, math.fsum(mass for mass in masses if mass <= seen))


@functools.lru_cache(maxsize=1024)
def boschloo(failures_a: int, attempts_a: int, failures_b: int, attempts_b: int) -> float:
    """The two-sided p-value of Boschloo's exact test: never larger than twice Fisher's one-sided one.

    Boschloo, Statistica Neerlandica 24 (1970) 1. One-sided: the tables for which Fisher's one-sided p-value is no
    larger than for the one seen, at the common rate that makes them likeliest; two-sided: twice the smaller side.
    """
    check_counts(failures_a, attempts_a)
    check_counts(failures_b, attempts_b)
    if not (attempts_a and attempts_b):
        return 1.0
    a, b = (failures_a, attempts_a), (failures_b, attempts_b)
    smallest = 1.0
    for extreme, (one, other) in sorted((hypergeometric_tail(*x, *y), (x, y)) for x, y in ((a, b), (b, a))):
        region = tables_within(one[1], other[1], extreme)
        smallest = min(smallest, size(region, other[1], enough=smallest))
    return min(1.0, 2 * smallest)


def tables_within(
    n: int, m: int, extreme: float, inner: Sequence[int] = (), outer: Sequence[int] = ()
) -> tuple[int, ...]:
    """The tables for which Fisher's one-sided p-value, first arm worse, is at most `extreme`.

    Gives for each number of failures 0 … n of the first arm the most failures of the second, -1 for none. That number
    never falls, so one walk along the edge finds them all. inner, outer: regions for a smaller and a larger value, if
    known; only what lies between them is looked at.
    """
    region, y = [], -1
    for x in range(n + 1):
        y = max(y, inner[x]) if inner else y
        last = outer[x] if outer else m
        while y < last and hypergeometric_tail(x, n, y + 1, m) <= extreme * _TIE:
            y += 1
        region.append(y)
    return tuple(region)


def chance(region: Sequence[int], rate_a: float, m: int, rate_b: float) -> float:
    """The probability that a table of a region of `tables_within` comes up at the given rates of the two arms."""
    first_a, masses_a = binomial(len(region) - 1, rate_a)
    first_b, masses_b = binomial(m, rate_b)
    below = [0.0, *itertools.accumulate(masses_b)]
    last = len(below) - 1
    edge = [below[max(0, min(last, y + 1 - first_b))] for y in region[first_a : first_a + len(masses_a)]]
    return min(1.0, sum(one * other for one, other in zip(masses_a, edge, strict=True)))


def size(region: Sequence[int], m: int, enough: float = 1.0) -> float:
    """The highest probability of a region while both arms have the same rate, over all rates.

    Stops at any probability that is `enough`. The chance is searched over the angle asin √rate, where its slope is at
    most √(n + m), whatever the region: in steps much finer than that, and then up the highest hills.
    """

    def at(angle: float) -> float:
        rate = math.sin(angle) ** 2
        return chance(region, rate, m, rate)

    steps = math.ceil(13 * math.sqrt(len(region) - 1 + m))
    # From the middle outwards, where what is large shows first.
    values = [0.0] * (steps + 1)
    for step in sorted(range(steps + 1), key=lambda step: abs(2 * step - steps)):
        values[step] = at(step * math.pi / 2 / steps)
        if values[step] >= enough:
            return values[step]
    best = max(values)
    for step in range(1, steps):
        if values[step] >= max(values[step - 1], values[step + 1], _NEAR * best):
            width = math.pi / 2 / steps
            best = max(best, _top(at, (step - 1) * width, (step + 1) * width))
            if best >= enough:
                break
    return best


def _top(height: Callable[[float], float], low: float, high: float) -> float:
    """The top of the one hill between low and high, by golden section; flat there, so its place may be rough."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = height(left), height(right)
    for _ in range(22):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = height(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = height(right)
    return max(at_left, at_right)
