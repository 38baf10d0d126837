"""Whether two arms of a run fail at different rates: by how much, how sure that is, and what could have been seen.

Knows of an arm only how often it failed. The arms must have been run in turns: what drifts meanwhile counts as a
difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritoncheck.stress.arms import boschloo
from tritoncheck.stress.parts import Part
from tritoncheck.stress.power import detectable
from tritoncheck.stress.stats import Interval, holm, newcombe, percent
from tritoncheck.stress.wording import p_value

_ALPHA, _POWER = 0.05, 0.8
# What could have been seen is worked out for arms of so many attempts at most: it takes seconds beyond.
_MOST = 300


@dataclass(frozen=True, slots=True)
class Comparison:
    """One arm against the first. difference: rate of this arm less that of the first, with its limits. p: Boschloo's,
    by Holm's method for all arms. seen: the rate that would have been told from the lower of the two in four of five
    such runs, None where none would, or where it was not worked out."""

    arm: str
    first: str
    difference: float
    interval: Interval
    p: float
    seen: float | None
    sentence: str


def compare(arms: Sequence[Part]) -> tuple[Comparison, ...]:
    """Every further arm against the first; none where fewer than two have told anything."""
    told = [arm for arm in arms if arm.rate.n]
    if len(told) < 2:
        return ()
    first, others = told[0], told[1:]
    p_values = [boschloo(arm.rate.bad, arm.rate.n, first.rate.bad, first.rate.n) for arm in others]
    found = [_pair(arm, first, p) for arm, p in zip(others, holm(p_values), strict=True)]
    return tuple(replace(one, sentence=_sentence(one, arm, first)) for one, arm in zip(found, others, strict=True))


def _pair(arm: Part, first: Part, p: float) -> Comparison:
    a, b = arm.rate, first.rate
    share_a, share_b = a.bad / a.n, b.bad / b.n
    low, (n, m) = (share_b, (a.n, b.n)) if share_b <= share_a else (share_a, (b.n, a.n))
    seen = detectable(low, n, m, _POWER) if p >= _ALPHA and max(n, m) <= _MOST else None
    return Comparison(arm.name, first.name, share_a - share_b, newcombe(a.bad, a.n, b.bad, b.n), p, seen, "")


def _sentence(one: Comparison, arm: Part, first: Part) -> str:
    shares = sorted((arm.rate.bad / arm.rate.n, first.rate.bad / first.rate.n))
    p = f"p {p_value(one.p)}"
    if one.p < _ALPHA:
        more, less, low, high = one.arm, one.first, one.interval.low, one.interval.high
        if one.difference < 0:
            more, less, low, high = less, more, -high, -low
        sure = f"{_signed(low)} to {_signed(high)} more at {one.interval.level * 100:g} %, {p}"
        return f"{more} fails more often than {less}: {percent(shares[1])} against {percent(shares[0])} ({sure})."
    text = f"No difference is seen between {one.first} and {one.arm} ({p})"
    if one.seen is None:
        return f"{text}."
    return f"{text}; {percent(one.seen)} against {percent(shares[0])} would have been, in four of five such runs."


def _signed(difference: float) -> str:
    return ("−" if difference < 0 else "") + percent(abs(difference))
