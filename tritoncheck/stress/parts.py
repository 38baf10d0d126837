"""What is said of a run, or of one arm of it: the rates, verdicts, times and relations of its models and its server.

Computed from a fold of its attempts. Knows nothing of journals, claims and stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tritoncheck.stress.durations import Quantile, quantile
from tritoncheck.stress.fold import Example, Fold, ModelFold, Way
from tritoncheck.stress.independence import Independence
from tritoncheck.stress.rates import BAD, Rate, Verdict, verdict
from tritoncheck.stress.records import OUTCOMES, Attempt
from tritoncheck.stress.relations import CoFailure, co_failures, order_of
from tritoncheck.stress.wording import headline, order_sentence, rate_sentence


@dataclass(frozen=True, slots=True)
class Times:
    """How long loads took. given_up: how many never ended. None where nothing was measured."""

    n: int
    given_up: int
    median: Quantile
    p95: Quantile


@dataclass(frozen=True, slots=True)
class Blame:
    """In how many attempts one model caused another to fail. kind: `capture` or `dependency`."""

    culprit: str
    victim: str
    kind: str
    attempts: int


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """One model. outcomes: how often each came. strip: a letter for each attempt, `fold.LETTERS`.

    classes: of its failures; causes: of these and of its losses; losses: what it came up without. healed: attempts
    in which it was ready, but only by a retry, by the class of what failed before.
    """

    name: str
    outcomes: dict[str, int]
    rate: Rate
    verdict: Verdict
    sentence: str
    classes: dict[str, int]
    causes: dict[str, int]
    losses: dict[str, int]
    examples: dict[str, Example]
    first_bad: int | None
    healed: dict[str, int]
    times: Times | None
    strip: str


@dataclass(frozen=True, slots=True)
class Part:
    """A whole run, or one arm of it. The rate is that of starts which did not come up whole.

    healed: starts that came up whole, but not without the retry of a load.
    """

    name: str
    attempts: int
    rate: Rate
    verdict: Verdict
    headline: str
    sentence: str
    models: dict[str, ModelSummary]
    server_classes: dict[str, int]
    blame: tuple[Blame, ...]
    together: tuple[CoFailure, ...]
    order: Independence
    order_sentence: str
    times: Times | None
    ways: tuple[Way, ...]
    other_ways: int
    good: tuple[Attempt, ...]
    first_bad: int | None
    strip: str
    numbers: tuple[int, ...]
    spent: float
    broken_off: int
    healed: int


def make_part(name: str, fold: Fold, sequential: bool) -> Part:
    """What a fold comes to. sequential: its number of attempts was not fixed beforehand."""
    models = {model: _model(model, one, sequential) for model, one in fold.models.items()}
    bad, unknown = fold.strip.count(b"F"), fold.strip.count(b"?")
    rate = Rate(len(fold.strip) - unknown, bad, unknown, sequential)
    said = _verdict(rate, models)
    order = order_of(fold.strip)
    blame = (Blame(*pair, attempts) for pair, attempts in fold.blame.most_common())
    return Part(
        name=name,
        attempts=len(fold.strip),
        rate=rate,
        verdict=said,
        headline=headline(said, rate, fold.healed),
        sentence=rate_sentence(rate),
        models=models,
        server_classes=dict(fold.server_classes.most_common()),
        blame=tuple(sorted(blame, key=lambda one: (-one.attempts, one.culprit, one.victim))),
        together=co_failures({model: one.strip for model, one in fold.models.items()}),
        order=order,
        order_sentence=order_sentence(order, rate),
        times=_times(fold.seconds, fold.waited),
        ways=tuple(sorted(fold.ways.values(), key=lambda way: (-way.attempts, way.first))),
        other_ways=fold.other_ways,
        good=tuple(fold.good),
        first_bad=fold.first_bad,
        strip=fold.strip.decode(),
        numbers=tuple(fold.numbers),
        spent=fold.spent,
        broken_off=fold.broken_off,
        healed=fold.healed,
    )


def _verdict(rate: Rate, models: dict[str, ModelSummary]) -> Verdict:
    """Of the whole server: deterministic only where each model ends alike in every start."""
    each = verdict({"ready": rate.n - rate.bad, "failed": rate.bad, "unknown": rate.unknown})
    varies = any(model.verdict == "nondeterministic" for model in models.values())
    return "nondeterministic" if rate.bad and varies else each


def _model(name: str, fold: ModelFold, sequential: bool) -> ModelSummary:
    outcomes = {outcome: fold.outcomes.get(outcome, 0) for outcome in OUTCOMES}
    bad = sum(outcomes[outcome] for outcome in BAD)
    rate = Rate(outcomes["ready"] + bad, bad, outcomes["unknown"], sequential)
    sentence = rate_sentence(rate)
    if not rate.n and outcomes["knock-on"]:
        sentence = f"never tried: what it depends on failed in all {outcomes['knock-on']} attempts"
    return ModelSummary(
        name=name,
        outcomes=outcomes,
        rate=rate,
        verdict=verdict(outcomes),
        sentence=sentence,
        classes=dict(fold.classes.most_common()),
        causes=dict(fold.causes.most_common()),
        losses=dict(fold.losses.most_common()),
        examples=fold.examples,
        first_bad=fold.first_bad,
        healed=dict(fold.healed.most_common()),
        times=_times(fold.seconds, fold.waited),
        strip=fold.strip.decode(),
    )


def _times(seconds: Sequence[float], given_up: Sequence[float]) -> Times | None:
    n = len(seconds) + len(given_up)
    if not n:
        return None
    return Times(n, len(given_up), quantile(seconds, 0.5, given_up), quantile(seconds, 0.95, given_up))
