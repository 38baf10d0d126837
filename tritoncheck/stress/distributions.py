"""The few distributions behind every interval and test here, without scipy.

Beta (for limits of a rate), binomial (for what a rate does in n attempts) and hypergeometric (for how failures fall on
two arms). Good to 1e-9 or better for up to a million attempts. Knows nothing of servers, failures or confidence.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable

_SETTLED = 1e-15  # relative: what changes by less has converged
_NEAR = 1e-8  # relative: what is this near is exact after one more of Newton's steps
_FAINT = 1e-22  # masses this far below the highest one change no sum


def log_choose(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def switch(above: Callable[[float], bool], low: float, high: float) -> float:
    """Where between low and high a condition begins to hold, to the last bit.

    above: false from low up to some point, true from there up to high.
    """
    while low < (middle := (low + high) / 2) < high:
        if above(middle):
            high = middle
        else:
            low = middle
    return middle


def beta_cdf(x: float, a: float, b: float) -> float:
    """The probability that a beta variable is at most x: the regularized incomplete beta function, a and b > 0.

    By the continued fraction that converges in some √(a + b) steps, on the side of the mean where it does.
    """
    if not 0 < x < 1:
        return float(x >= 1)
    log_peak = a * math.log(x) + b * math.log1p(-x) - log_beta(a, b)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_peak) * _fraction(x, a, b) / a
    return 1 - math.exp(log_peak) * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, by Lentz' method.

    Each round takes the coefficients d(2m) and d(2m + 1); for x below the mean no denominator comes near zero.
    """
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = below
    for m in itertools.count(1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            above, below = 1 + step / above, 1 / (1 + step * below)
            value *= above * below
        if abs(above * below - 1) < _SETTLED:
            break
    return value


def beta_quantile(q: float, a: float, b: float) -> float:
    """The value that a beta variable stays below with probability q, 0 < q < 1.

    By Newton's steps from the mean; where one leads out of what is still possible, by halving that.
    """
    low, high, x = 0.0, 1.0, a / (a + b)
    scale = log_beta(a, b)
    for _ in range(200):
        excess = beta_cdf(x, a, b) - q
        low, high = (low, x) if excess > 0 else (x, high)
        density = math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - scale)
        step = excess / density if density else math.inf
        if abs(step) <= _NEAR * min(x, 1 - x):
            return x - step
        x = x - step if low < x - step < high else (low + high) / 2
    return x


@functools.lru_cache(maxsize=4)  # two arms of one size ask the same twice in a row
def binomial(n: int, p: float) -> tuple[int, tuple[float, ...]]:
    """The probabilities of 0, 1, … n events in n attempts, each at rate p, without the negligible ones at both ends.

    Gives the smallest number kept and the probabilities from it on. By recurrence from the most likely number, then
    scaled to add up to 1: nothing to overflow, nothing to cancel.
    """
    mode = max(0, min(n, int((n + 1) * p)))
    if not 0 < p < 1:
        return mode, (1.0,)
    odds = p / (1 - p)
    mass, up = 1.0, []
    for k in range(mode, n):
        mass *= (n - k) / (k + 1) * odds
        if mass < _FAINT:
            break
        up.append(mass)
    mass, down = 1.0, []
    for k in range(mode, 0, -1):
        mass *= k / ((n - k + 1) * odds)
        if mass < _FAINT:
            break
        down.append(mass)
    masses = [*reversed(down), 1.0, *up]
    whole = math.fsum(masses)
    return mode - len(down), tuple(mass / whole for mass in masses)


def hypergeometric(n: int, m: int, drawn: int) -> tuple[int, list[float]]:
    """How many of `drawn` events fall on the first n of n + m attempts, when all ways are equally likely.

    Gives the smallest possible number and the probabilities from it on.
    """
    first, last = max(0, drawn - m), min(n, drawn)
    logs = [log_choose(n, k) + log_choose(m, drawn - k) for k in range(first, last + 1)]
    highest = max(logs)
    masses = [math.exp(log - highest) for log in logs]
    whole = math.fsum(masses)
    return first, [mass / whole for mass in masses]


def hypergeometric_tail(x: int, n: int, y: int, m: int) -> float:
    """The probability that of x + y events at least x fall on the first n of n + m attempts.

    Summed outwards from x until nothing changes: some √(n + m) terms.
    """
    events, spare = x + y, m - x - y + 1
    mass = math.exp(log_choose(n, x) + log_choose(m, y) - log_choose(n + m, events))
    total = mass
    for k in range(x, min(n, events)):
        mass *= (n - k) * (events - k) / ((k + 1) * (spare + k))
        total += mass
        if mass < total * _SETTLED:
            break
    return min(total, 1.0)
