"""Median and other quantiles of load times, with limits that take nothing for granted about their distribution.

Some loads never ended: they were given up after a time and are known only to take longer (they are censored). The
estimate is that of Kaplan and Meier, Journal of the American Statistical Association 53 (1958) 457; the limits are
order statistics, whose ranks come from the binomial distribution (David and Nagaraja, Order Statistics, section 7.1).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tritoncheck.stress.distributions import binomial
from tritoncheck.stress.stats import check_share


class Quantile(NamedTuple):
    """A quantile of the load times, in their unit. None: beyond what was measured; the limit `low` then still holds.

    level: the least confidence that the true one is between low and high, low being 0 where there are too few loads.
    """

    share: float
    estimate: float | None
    low: float
    high: float | None
    level: float


def quantile(
    times: Sequence[float], share: float = 0.5, given_up: Sequence[float] = (), level: float = 0.95
) -> Quantile:
    """The time within which this share of loads ends.

    times: the loads that ended. given_up: how long each of the others was waited for. The estimate supposes that they
    were not given up because they were slow or fast, the limits suppose nothing.
    Raises ValueError for a share or level that is not between 0 and 1, and for times below 0.
    """
    check_share(share, "share")
    check_share(level, "level")
    if any(not time >= 0 for time in (*times, *given_up)):
        raise ValueError("a time is negative or not a number")
    # A load that was given up took at least that long (for the lower limit) and may have taken for ever.
    at_least, at_most = sorted((*times, *given_up)), sorted(times)
    lower, upper = ranks(len(at_least), share, level)
    low = at_least[lower - 1] if lower else 0.0
    return Quantile(share, estimated(times, share, given_up), low, _at(at_most, upper), level)


def estimated(times: Sequence[float], share: float, given_up: Sequence[float] = ()) -> float | None:
    """The first time at which the product-limit estimate of the loads that are still going on is at most 1 - share."""
    n = len(times) + len(given_up)
    if not given_up or not times or min(given_up) >= max(times):  # the usual case: one time-out for all
        return _at(sorted(times), max(1, math.ceil(n * share - 1e-9)))
    ended, stopped, going_on = Counter(times), Counter(given_up), 1.0
    for time in sorted({*ended, *stopped}):
        going_on *= 1 - ended[time] / n
        if ended[time] and going_on <= 1 - share + 1e-9:
            return time
        n -= ended[time] + stopped[time]
    return None


@functools.lru_cache(maxsize=256)
def ranks(n: int, share: float, level: float = 0.95) -> tuple[int, int]:
    """The ranks, from 1, of the times between which a quantile lies; 0 and n + 1 where n are too few for a limit."""
    first, masses = binomial(n, share)
    below = [*([0.0] * first), *itertools.accumulate(masses)]
    below += [1.0] * (n + 1 - len(below))  # below[j]: the probability that at most j times are below the quantile
    tail = (1 - level) / 2
    lower = sum(1 for j in range(n + 1) if below[j] <= tail)
    upper = next((j + 1 for j in range(n) if 1 - below[j] <= tail), n + 1)
    return lower, upper


def _at(times: Sequence[float], rank: int) -> float | None:
    return times[rank - 1] if rank <= len(times) else None
