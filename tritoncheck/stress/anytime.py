"""The interval that may be read after every attempt, and acted upon: the beta-binomial confidence sequence.

Whoever looks at a fixed-n interval again and again, and stops when it pleases, is wrong far more often than it says.
"""

from __future__ import annotations

import functools
import math

from tritoncheck.stress.distributions import log_beta, switch
from tritoncheck.stress.stats import Interval, check_counts

_PRIOR = 0.5  # both parameters of the beta mixture: Jeffreys' prior


def log_evidence(rate: float, failures: int, attempts: int) -> float:
    """How strongly the counts speak against a rate, 0 < rate < 1: the log likelihood ratio of the beta mixture to it.

    While the rate is the true one, the ratio ever reaches 1/α with a probability of at most α (Ville's inequality).
    """
    return _mixture(failures, attempts) - failures * math.log(rate) - (attempts - failures) * math.log1p(-rate)


@functools.lru_cache(maxsize=64)
def _mixture(failures: int, attempts: int) -> float:
    """The log likelihood of the counts under the mixture."""
    return log_beta(_PRIOR + failures, _PRIOR + attempts - failures) - log_beta(_PRIOR, _PRIOR)


@functools.lru_cache(maxsize=4096)
def running_interval(failures: int, attempts: int, level: float = 0.95) -> Interval:
    """The interval to show while a run is live: all of them together hold the true rate in at least `level` of runs.

    The beta-binomial confidence sequence with a = b = ½ (Robbins, Annals of Mathematical Statistics 41 (1970) 1397):
    all rates against which the evidence is at most 1/(1 - level).
    """
    check_counts(failures, attempts, level)
    limit = -math.log1p(-level)
    seen = failures / attempts if attempts else 0.5
    low, high = 0.0, 1.0
    if failures:
        low = switch(lambda rate: log_evidence(rate, failures, attempts) <= limit, 0.0, seen)
    if failures < attempts:
        high = switch(lambda rate: log_evidence(rate, failures, attempts) > limit, seen, 1.0)
    return Interval("beta-binomial-sequence", level, low, high)
