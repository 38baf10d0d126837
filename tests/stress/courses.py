"""What a stopping rule does, added up over every course that a run can take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from tritoncheck.stress.stop import Outcome, StopRule, Tally

_GONE = 1e-15  # a course this unlikely is followed no further


class Operation(NamedTuple):
    """What a stopping rule does at one true rate: the probability of each outcome, and the attempts on average."""

    good: float
    bad: float
    inconclusive: float
    complete: float
    attempts: float


def one_more(running: Mapping[int, float], rate: float) -> dict[int, float]:
    """How likely each number of failures is after one more attempt."""
    reached: dict[int, float] = defaultdict(float)
    for failures, likely in running.items():
        reached[failures] += likely * (1 - rate)
        reached[failures + 1] += likely * rate
    return reached


def operation(rule: StopRule, rate: float, most: int = 10_000) -> Operation:
    """What a rule does at a true failure rate. The time stands still here: one that needs it raises ValueError."""
    if not 0 <= rate <= 1:
        raise ValueError(f"rate {rate} is not between 0 and 1")
    ends: dict[Outcome, float] = defaultdict(float)
    running, mean = {0: 1.0}, 0.0
    for attempts in range(1, most + 1):
        reached, running = one_more(running, rate), {}
        for failures, likely in reached.items():
            if decision := rule.decide(Tally(attempts, failures)):
                ends[decision.outcome] += likely
                mean += likely * attempts
            elif likely > _GONE:
                running[failures] = likely
        if not running:
            return Operation(ends["good"], ends["bad"], ends["inconclusive"], ends["complete"], mean)
    raise ValueError(f"{rule.name} does not end within {most} attempts")
