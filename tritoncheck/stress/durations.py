"""Median and other quantiles of load times, with limits that take nothing for granted about their distribution.

Some loads never ended: they were given up after a time and are known only to take longer. The limits are order
statistics, whose ranks come from the binomial distribution (David and Nagaraja, Order Statistics, section 7.1).
"""

from __future__ import annotations

import itertools
import math
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

    times: the loads that ended. given_up: how long each of the others was waited for; the estimate supposes that it was
    as long as the slowest load that ended, the limits do not.
    Raises ValueError for a share or level that is not between 0 and 1, and for times below 0.
    """
    check_share(share, "share")
    check_share(level, "level")
    if any(not time >= 0 for time in (*times, *given_up)):
        raise ValueError("a time is negative or not a number")
    n = len(times) + len(given_up)
    # A load that was given up took at least that long (for the lower limit) and may have taken for ever.
    at_least, at_most = sorted((*times, *given_up)), sorted(times)
    estimate = _at(at_most, max(1, math.ceil(n * share - 1e-9)))
    lower, upper = ranks(n, share, level)
    low = at_least[lower - 1] if lower else 0.0
    return Quantile(share, estimate, low, _at(at_most, upper), level)


def ranks(n: int, share: float, level: float = 0.95) -> tuple[int, int]:
    """The ranks, from 1, of the times between which a quantile lies; 0 and n + 1 where n are too few for a limit."""
    first, masses = binomial(n, share)
    below = [*([0.0] * first), *itertools.accumulate(masses)]
    below += [1.0] * (n + 1 - len(below))  # below[j]: the probability that at most j times are below the quantile
    tail = (1 - level) / 2
    lower = sum(1 for j in range(n + 1) if below[j] <= tail)
    upper = next((j + 1 for j in range(n) if 1 - below[j] <= tail), n + 1)
    return lower, upper


def loads_for_upper_limit(share: float, level: float = 0.95) -> int:
    """The least number of loads from which a quantile gets an upper limit: 72 for 95 % of loads at 95 %."""
    check_share(share, "share")
    check_share(level, "level")
    return math.ceil(math.log((1 - level) / 2) / math.log(share) - 1e-9)


def _at(times: Sequence[float], rank: int) -> float | None:
    return times[rank - 1] if rank <= len(times) else None
