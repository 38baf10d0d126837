"""The report as one HTML file without anything outside it: no script, no font, no picture is loaded.

Every text is escaped by the template engine, and characters that steer are shown as their escapes. The kept logs are
read for the moments at which a load broke, and for where a bad start first differs from a good one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tritoncheck.report.paths import printable
from tritoncheck.stress.divergence import Divergence, diverge, read_kept
from tritoncheck.stress.fold import LETTERS, Way
from tritoncheck.stress.host import MissingExtra
from tritoncheck.stress.journal import LOGS
from tritoncheck.stress.logs import Event
from tritoncheck.stress.parts import ModelSummary, Part, Times
from tritoncheck.stress.rates import Rate
from tritoncheck.stress.records import Attempt
from tritoncheck.stress.report.charts import Gantt, cells, gantt
from tritoncheck.stress.report.reasons import facts, often, reasons, remarks
from tritoncheck.stress.stats import percent
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.wording import duration, p_value, together_sentence

# So many of each are shown; the JSON report has all.
_WAYS, _MODELS, _PAIRS = 8, 80, 12
_SIGNIFICANT = 0.05
_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_METHODS = {"clopper-pearson": "Clopper-Pearson", "beta-binomial-sequence": "beta-binomial (valid at any time)"}


def require() -> None:
    """Raise MissingExtra where a package is missing: better before a long run than after it."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtra("--html needs jinja2: pip install 'tritoncheck[report]'") from None


def render(summary: Summary) -> str:
    """The whole page."""
    require()
    from jinja2 import Environment, StrictUndefined

    shown = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    shown.trim_blocks = shown.lstrip_blocks = True
    shown.finalize = _finalize
    shown.filters.update(percent=percent, duration=duration, number=_number, often=often)
    page = shown.from_string((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    logs = _Logs(summary.folder)
    return page.render(
        summary=summary,
        parts=[_part(part, logs) for part in (summary.whole, *summary.arms)],
        facts=facts(summary),
        remarks=remarks(summary),
        outcomes=list(LETTERS),
        methods=_METHODS,
    )


def _finalize(value: Any) -> Any:
    """What a template prints: text without characters that steer."""
    if type(value) is str:  # not what is escaped already
        return "\n".join(printable(line) for line in value.split("\n"))
    return value


def _number(value: float) -> str:
    """A per cent value as CSS and SVG want it, short."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class _Logs:
    """The kept logs of a run, read once. Only files within the folder of logs are read."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder) / LOGS
        self._good: list[tuple[int, list[Event]]] | None = None

    def of(self, attempt: Attempt) -> list[Event]:
        """The events of an attempt's log, none where it was not kept."""
        name = os.path.basename(attempt.log)
        return read_kept(self.folder / name) if name else []

    def good(self, part: Part) -> list[tuple[int, list[Event]]]:
        """The logs of good starts."""
        if self._good is None:
            self._good = [(one.number, self.of(one)) for one in part.good if one.log]
        return self._good


def _part(part: Part, logs: _Logs) -> dict[str, Any]:
    models = list(part.models.values())
    if len(models) > _MODELS:
        models.sort(key=lambda model: -model.rate.bad)
    rows: list[tuple[str, Rate, str, Times | None, ModelSummary | None]]
    rows = [("whole server", part.rate, part.strip.replace("F", LETTERS["failed"]), part.times, None)]
    rows += [(model.name, model.rate, model.strip, model.times, model) for model in models[:_MODELS]]
    known = [rate.interval.high for _, rate, _, _, _ in rows if rate.n]
    scale = next(step for step in _SCALES if step >= max(known, default=1.0))
    longest = max((_longest(times) for _, _, _, times, model in rows if model), default=0.0)
    return {
        "part": part,
        "rows": [
            {
                "name": name,
                "model": model,
                "rate": rate,
                "forest": _forest(rate, scale),
                "cells": cells(strip, part.numbers) if strip else [],
                "times": times,
                "load": _load(times, longest) if model else None,
            }
            for name, rate, strip, times, model in rows
        ],
        "scale": scale,
        "longest": longest,
        "more_models": len(models) - _MODELS,
        "reasons": reasons(part),
        "blame": part.blame[:_PAIRS],
        "more_blame": len(part.blame) - _PAIRS,
        "together": [
            (together_sentence(pair), pair, p_value(pair.p)) for pair in part.together if pair.p < _SIGNIFICANT
        ][:_PAIRS],
        "ways": [_way(way, part, logs) for way in part.ways[:_WAYS]],
        "more_ways": max(0, len(part.ways) - _WAYS) + part.other_ways,
        "good": _good_start(part, logs),
    }


def _forest(rate: Rate, scale: float) -> dict[str, float] | None:
    """Where an interval lies on an axis that goes up to a rate, in per cent."""
    if rate.share is None:
        return None
    wilson, limits = rate.wilson, rate.interval
    places = {"low": limits.low, "high": limits.high, "inner": wilson.low, "outer": wilson.high, "at": rate.share}
    return {name: min(100.0, 100 * value / scale) for name, value in places.items()}


def _longest(times: Times | None) -> float:
    if times is None:
        return 0.0
    known = (times.median.high, times.median.estimate, times.p95.high, times.p95.estimate, times.p95.low)
    return max((value for value in known if value is not None), default=0.0)


def _load(times: Times | None, longest: float) -> dict[str, Any] | None:
    """Median and p95 with their limits, in per cent of the longest time shown. open: no upper limit is known."""
    if times is None or not longest:
        return None
    marks = []
    for name, one in (("median", times.median), ("p95", times.p95)):
        high = one.high if one.high is not None else longest
        at = one.estimate if one.estimate is not None else longest
        shares = {"low": 100 * one.low / longest, "high": 100 * high / longest, "at": 100 * at / longest}
        marks.append({"name": name, "open": one.high is None, "quantile": one, **shares})
    return {"marks": marks, "given_up": times.given_up}


def _way(way: Way, part: Part, logs: _Logs) -> dict[str, Any]:
    events = logs.of(way.example)
    chart: Gantt | None = gantt(way.example, events)
    differs: Divergence | None = diverge((way.example.number, events), logs.good(part)) if events else None
    said = [f"{name} {outcome}" for name, outcome, _ in way.parts]
    if way.server:
        said.insert(0, f"server: {way.server}")
    title = ", ".join(said) or way.example.ended
    return {"way": way, "title": title, "gantt": chart, "divergence": differs, "log": way.example.log}


def _good_start(part: Part, logs: _Logs) -> dict[str, Any] | None:
    if not part.good:
        return None
    first = part.good[0]
    chart = gantt(first, logs.of(first))
    return {"attempt": first, "gantt": chart} if chart else None
