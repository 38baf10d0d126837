"""How a run will end: the rules of a plan, and how many attempts it takes where the user does not say.

A rule is declared before the run and is part of the plan, so that nobody can choose one after having seen the counts.
"""

from __future__ import annotations

import math

from tritoncheck.stress.anytime import log_evidence
from tritoncheck.stress.records import UNBOUNDED, Plan
from tritoncheck.stress.stats import attempts_for_claim
from tritoncheck.stress.stop import ConfidenceSequence, FixedCount, Sprt, StopRule, TimeBudget

RESTARTS = 50
UNTIL = ("count", "decided", "sprt")
# What `--until decided` decides on where no claim is made.
RATE = 0.05
# A sequential run may take so many times the attempts that it takes if nothing fails, or on average if it is close.
_PATIENCE = 4


def rules_of(plan: Plan) -> tuple[StopRule, ...]:
    """The rules that end a run of this plan, in the order in which they are asked."""
    rules: list[StopRule] = []
    if plan.until == "decided":
        rules.append(ConfidenceSequence(plan.claim or RATE, plan.restarts))
    elif plan.until == "sprt" and plan.claim is not None and plan.against is not None:
        rules.append(Sprt(plan.claim, plan.against, plan.restarts))
    elif plan.counted:
        rules.append(FixedCount(plan.restarts))
    if plan.budget is not None:
        rules.append(TimeBudget(plan.budget))
    return tuple(rules)


def restarts_for(until: str, claim: float | None, against: float | None, budget: float | None) -> int:
    """How many attempts, at most, where the user does not say."""
    if until == "sprt" and claim is not None and against is not None:
        return _PATIENCE * longest(Sprt(claim, against, 1))
    if until == "decided":
        rate, needed = claim or RATE, 1
        while log_evidence(rate, 0, needed) <= math.log(20):
            needed += 1
        return _PATIENCE * needed
    if claim is not None:
        return attempts_for_claim(claim)
    return UNBOUNDED if budget is not None else RESTARTS


def longest(rule: Sprt) -> int:
    """The attempts that a sequential test takes if none fails, or, if that is more, on average at the rate between the
    two that is the hardest to tell: Wald, Sequential Analysis (1947), section 3.4.1."""
    low, high = rule.limits
    failure = math.log(rule.bad / rule.good)
    success = math.log1p(-rule.bad) - math.log1p(-rule.good)
    return math.ceil(max(low / success, low * high / (failure * success)))
