"""The report as JSON: a stable interface, whose version changes when a key is taken away or changes its meaning."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from tritoncheck.stress.durations import Quantile
from tritoncheck.stress.parts import ModelSummary, Part, Times
from tritoncheck.stress.records import Plan, plain
from tritoncheck.stress.stats import Interval
from tritoncheck.stress.summary import Summary

VERSION = 1


def render(summary: Summary) -> str:
    """The report as a text that ends with a line break."""
    return json.dumps(to_table(summary), indent=2, ensure_ascii=True) + "\n"


def to_table(summary: Summary) -> dict[str, Any]:
    """The report as a table of plain values."""
    claim, decision = summary.claim, summary.decision
    return {
        "version": VERSION,
        "run": summary.run,
        **_part(summary.whole),
        "arms": [{"name": arm.name, **_part(arm)} for arm in summary.arms],
        "comparisons": [{**asdict(one), "interval": interval(one.interval)} for one in summary.comparisons],
        "claim": asdict(claim) if claim else None,
        "decision": {key: decision.get(key) for key in ("rule", "outcome", "reason")} if decision else None,
        "exit_code": summary.exit_code,
        "planned": summary.plan.restarts,
        "broken_off": summary.whole.broken_off,
        "environment_errors": {"count": summary.troubles, "last": summary.trouble},
        "journal": {"damaged": summary.damaged, "torn": summary.torn, "changed": list(summary.changed)},
        "plan": _plan(summary.plan),
        "facts": [asdict(one) for one in summary.sessions],
    }


def _plan(plan: Plan) -> dict[str, Any]:
    """The plan; of the environment only the names."""
    names = [one.name for one in plan.environment]
    return {**plain(plan), "environment": names, "digest": plan.digest()}


def _part(part: Part) -> dict[str, Any]:
    rate = part.rate
    return {
        "attempts": part.attempts,
        "sentence": part.sentence,
        "verdict": part.verdict,
        "server": {
            "n": rate.n,
            "failed": rate.bad,
            "unknown": rate.unknown,
            "interval": interval(rate.interval),
            "wilson": interval(rate.wilson),
            "worst": interval(rate.worst) if rate.unknown else None,
            "rules_out_above": rate.ceiling,
            "first_failure": part.first_bad,
            "healed": part.healed,
            "classes": part.server_classes,
            "start_seconds": _times(part.times),
        },
        "models": {name: _model(model) for name, model in part.models.items()},
        "causes": [asdict(blame) for blame in part.blame],
        "co_failures": [asdict(pair) for pair in part.together],
        "independence": {"p": part.order.p, "pattern": part.order.pattern(), "sentence": part.order_sentence},
        "ways": [
            {
                "attempts": way.attempts,
                "first": way.first,
                "example": way.example.number,
                "log": way.example.log,
                "server": way.server,
                "models": [{"model": name, "outcome": outcome, "class": kind} for name, outcome, kind in way.parts],
            }
            for way in part.ways
        ],
    }


def _model(model: ModelSummary) -> dict[str, Any]:
    rate = model.rate
    return {
        "n": rate.n,
        **{outcome.replace("-", "_"): count for outcome, count in model.outcomes.items()},
        "not_whole": rate.bad,
        "verdict": model.verdict,
        "interval": interval(rate.interval),
        "wilson": interval(rate.wilson),
        "worst": interval(rate.worst) if rate.unknown else None,
        "sentence": model.sentence,
        "classes": model.classes,
        "lost": model.losses,
        "healed": sum(model.healed.values()),
        "healed_classes": model.healed,
        "first_failure": model.first_bad,
        "examples": {kind: asdict(example) for kind, example in model.examples.items()},
        "load_seconds": _times(model.times),
    }


def interval(limits: Interval) -> dict[str, Any]:
    """An interval, with the method that it was found by."""
    return limits._asdict()


def _times(times: Times | None) -> dict[str, Any] | None:
    if times is None:
        return None
    return {"n": times.n, "given_up": times.given_up, "median": _quantile(times.median), "p95": _quantile(times.p95)}


def _quantile(one: Quantile) -> dict[str, Any]:
    return {"estimate": one.estimate, "low": one.low, "high": one.high, "level": one.level}
