"""What a comparison of two arms could have seen: to be said where it saw nothing.

Everything is added up over all outcomes that can be; nothing is approximated or drawn at random.
"""

from __future__ import annotations

import functools
import math

from tritoncheck.stress.arms import chance, size, tables_within
from tritoncheck.stress.stats import check_counts, check_share

_FINE = 1e-6  # relative: how closely the edge of a rejection region is searched


def power(rate_a: float, attempts_a: int, rate_b: float, attempts_b: int, level: float = 0.95) -> float:
    """The probability that Boschloo's two-sided test tells two arms of these true rates apart."""
    check_counts(0, min(attempts_a, attempts_b), level)
    a_worse = rejection(attempts_a, attempts_b, level)
    b_worse = rejection(attempts_b, attempts_a, level)
    return chance(a_worse, rate_a, attempts_b, rate_b) + chance(b_worse, rate_b, attempts_a, rate_a)


def detectable(base: float, attempts_a: int, attempts_b: int, wanted: float = 0.8, level: float = 0.95) -> float | None:
    """The least rate of arm A that would have been told from a rate `base` of arm B with the wanted probability.

    To 0.01 %, upwards; None where no rate would. For the line "could have been seen: 14 % against 0 %".
    """
    if not 0 <= base <= 1:
        raise ValueError(f"rate {base} is not between 0 and 1")
    check_share(wanted, "power")
    low, high = base, 1.0
    if base == 1 or power(high, attempts_a, base, attempts_b, level) < wanted:
        return None
    while high - low > 1e-4:
        middle = (low + high) / 2
        if power(middle, attempts_a, base, attempts_b, level) >= wanted:
            high = middle
        else:
            low = middle
    return high


@functools.lru_cache(maxsize=64)
def rejection(n: int, m: int, level: float = 0.95) -> tuple[int, ...]:
    """The tables that Boschloo's two-sided test rejects because the first arm is worse, as of `arms.tables_within`.

    The largest such region whose size is at most half of 1 - level. Fisher's own is within it.
    """
    tail = (1 - level) / 2
    low, high = tail, 1.0
    inner, outer = tables_within(n, m, low), (m,) * (n + 1)
    while high > low * (1 + _FINE):
        middle = math.sqrt(low * high)
        region = tables_within(n, m, middle, inner, outer)
        if region == inner or (region != outer and size(region, m, enough=tail * (1 + 1e-12)) <= tail):
            low, inner = middle, region
        else:
            high, outer = middle, region
    return inner
