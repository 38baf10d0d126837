"""The sentences of a report: what the counts rule out, whether a claim is met, what the order of the failures shows.

Plain words, one sentence each, the same in every format. Knows nothing of formats.
"""

from __future__ import annotations

from tritoncheck.stress import stats
from tritoncheck.stress.independence import Independence
from tritoncheck.stress.rates import Rate, Verdict
from tritoncheck.stress.relations import CoFailure
from tritoncheck.stress.stats import percent
from tritoncheck.stress.stop import Sprt

_PATTERNS = {
    "clusters": "Failures cluster",
    "rises": "Failures become more frequent in the course of the run",
    "falls": "Failures become rarer in the course of the run",
}


def rate_sentence(rate: Rate) -> str:
    """What the counts say: `0 of 50: rules out a failure rate above 5.8 % (95 %)`."""
    along = rate.sequential and rate.n
    text = _sequential(rate) if along else stats.sentence(rate.bad, rate.n, rate.level)
    if rate.unknown:
        worst = rate.worst_ceiling if not rate.bad else rate.worst.high
        were = "attempt is" if rate.unknown == 1 else "attempts are"
        text += f"; {rate.unknown} more {were} unknown, with which it could be up to {percent(worst)}"
    return text


def _sequential(rate: Rate) -> str:
    sure = f"({rate.level * 100:g} % at any time)"
    counts = f"{rate.bad} of {rate.n}"
    if not rate.bad:
        return f"{counts}: rules out a failure rate above {percent(rate.ceiling)} {sure}"
    if rate.bad == rate.n:
        return f"{counts}: rules out a failure rate below {percent(rate.floor)} {sure}"
    low, high = percent(rate.interval.low), percent(rate.interval.high)
    return f"{counts}: a failure rate of {percent(rate.bad / rate.n)}, between {low} and {high} {sure}"


def headline(verdict: Verdict, rate: Rate, healed: int = 0) -> str:
    """The verdict in one line. healed: of the starts that came up whole, those that needed the retry of a load."""
    starts = f"{rate.n} starts" if rate.n != 1 else "1 start"
    if not rate.n:
        return "Inconclusive: no start of the server told anything"
    if not rate.bad:
        all_of = f"all {starts}" if rate.n > 1 else "the one start"
        by_retry = f", {healed} of them only by a retry" if healed else ""
        return f"{verdict.capitalize()}: {all_of} came up whole{by_retry}"
    if rate.bad < rate.n:
        return f"{verdict.capitalize()}: {rate.bad} of {starts} did not come up whole"
    if verdict == "deterministic":
        return f"Deterministic: none of {starts} came up whole, and each model ended alike in all of them"
    if verdict == "nondeterministic":
        return f"Nondeterministic: none of {starts} came up whole, and what goes wrong differs from start to start"
    none_of = f"none of {starts}" if rate.n > 1 else "the one start did not come up whole, which is"
    return f"Inconclusive: {none_of}{' came up whole,' if rate.n > 1 else ''} too few to say that it is always so"


def claim_sentence(claim: float, met: bool | None, rate: Rate, needs: int | None, pace: float | None) -> str:
    """Whether a claimed rate is shown, refuted or open, and what it would take. pace: seconds for each attempt."""
    below = f"A failure rate below {percent(claim)}"
    if met:
        return f"{below} is shown ({rate.level * 100:g} %)."
    if met is False and rate.floor <= claim:
        return f"{below} is refuted by the rule that the run declared."
    if met is False:
        return f"{below} is refuted: it is at least {percent(rate.floor)} ({rate.level * 100:g} %)."
    if not needs:
        return f"{below} is not shown yet."
    return f"{below} is not shown yet: that takes {_restarts(needs, pace)}."


def gate_sentence(test: Sprt, met: bool | None, needs: int, pace: float | None) -> str:
    """What the sequential test of two rates says; its errors are those of whole runs. As of `claim_sentence`."""
    good, bad = percent(test.good), percent(test.bad)
    if met:
        misses = f"a server that fails in {bad} of its starts passes in about {test.beta * 100:g} % of runs at most"
        return f"A failure rate of {good} is accepted against one of {bad}: {misses}."
    if met is False:
        alarms = (
            f"a server that fails in {good} of its starts is refused in about {test.alpha * 100:g} % of runs at most"
        )
        return f"A failure rate of {good} is refused for one of {bad}: {alarms}."
    more = f": that takes {_restarts(needs, pace)}" if needs else ""
    return f"A failure rate of {good} is not told from one of {bad} yet{more}."


def _restarts(needs: int, pace: float | None) -> str:
    time = f", about {duration(needs * pace)}" if pace else ""
    return ("1 more restart" if needs == 1 else f"{needs:,} more restarts") + f" without a failure{time}"


def order_sentence(order: Independence, rate: Rate) -> str:
    """What the order of the failures means for the intervals."""
    if not 0 < rate.bad < rate.n:
        return "The order cannot be checked: every attempt ended alike."
    pattern, p = order.pattern(), f"p {p_value(order.p)}"
    (early, first), (late, second) = order.first, order.second
    halves = f"{early} of {first} in the first half, {late} of {second} in the second"
    if pattern == "none":
        return f"Nothing speaks against independent attempts ({p}): {halves}."
    if pattern == "alternates":
        return f"Failures alternate more than chance would have it ({p}); the intervals are rather too wide: {halves}."
    return f"{_PATTERNS[pattern]} ({p}): the intervals are too narrow. {halves}."


def together_sentence(pair: CoFailure) -> str:
    """How two models fail together."""
    p = f"φ {pair.phi:+.2f}, p {p_value(pair.p)}".replace("-", "−")
    if pair.phi >= 0.95:
        return f"{pair.first} and {pair.second} fail together, as if by one cause ({p})."
    if pair.phi > 0:
        return f"{pair.first} and {pair.second} tend to fail together ({p})."
    if not pair.both:
        return f"{pair.first} and {pair.second} never fail together: it is one or the other ({p})."
    return f"{pair.first} and {pair.second} seldom fail together ({p})."


def p_value(p: float) -> str:
    """A p-value for people: `= 0.03`; below 0.001 only that."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}" if p < 0.995 else "= 1"


def duration(seconds: float) -> str:
    """A time for people, in two units at most."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s" if seconds >= 0.995 else f"{seconds:.2f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 5970:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds // 3600:.0f} h {seconds % 3600 / 60:.0f} min"
    return f"{seconds / 86400:.0f} days"
