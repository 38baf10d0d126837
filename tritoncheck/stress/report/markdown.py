"""The report as Markdown, for a pull request: the verdict, a table of the models, why, who caused whom, what it ran on.

Texts from logs and names stand in code spans or are escaped, so that they cannot become markup.
"""

from __future__ import annotations

import html
import re

from tritoncheck.report.paths import printable
from tritoncheck.stress.parts import Part
from tritoncheck.stress.report.reasons import facts, reasons, remarks
from tritoncheck.stress.stats import percent
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.wording import duration, together_sentence

_SIGNS = {"clean": "✅", "nondeterministic": "🎲", "deterministic": "❌", "inconclusive": "❔"}
_SHOWN_PAIRS, _SHOWN_TEXT, _SHOWN_MODELS = 8, 300, 200
_MARKUP = re.compile(r"([\\`*_{}\[\]#|~!@])")


def render(summary: Summary) -> str:
    """The report as a text that ends with a line break."""
    lines = [*_part(summary.whole, summary, 3)]
    for arm in summary.arms:
        lines += [f"#### Arm {code(arm.name)}", "", *_part(arm, summary, 5)]
    lines += ["<details><summary>What it ran on</summary>", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {code(value)} |" for name, value in facts(summary)]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _part(part: Part, summary: Summary, level: int) -> list[str]:
    lines = [f"{'#' * level} {_SIGNS[part.verdict]} {part.headline}", "", f"{escape(part.sentence)}."]
    whole = part is summary.whole
    if summary.claim and whole:
        lines.append(escape(summary.claim.sentence))
    if whole:
        lines += [f"\n> {escape(remark)}" for remark in remarks(summary)]
    lines += ["", *_models(part), ""]
    found = reasons(part)
    if found:
        lines += ["**Why**", ""]
    for reason in found:
        models = ", ".join(f"{code(name)} {count}×" for name, count in reason.models)
        healed = f" ({reason.healed}× healed by a retry)" if reason.healed else ""
        lines.append(f"- {code(reason.kind)}, {reason.count}×{healed}: {escape(reason.title)}. {models}".rstrip())
        if reason.means:
            lines.append(f"  {escape(reason.means)} {escape(reason.next)}")
        if reason.example and reason.example.text:
            example = reason.example
            text = code(example.text.partition("\n")[0][:_SHOWN_TEXT])
            lines.append(f"  First in attempt {example.attempt}, line {example.line}: {text}")
    if part.blame:
        lines += ["", "**Who caused it**", "", "| culprit | victim | attempts | by |", "|---|---|--:|---|"]
        for blame in part.blame[:_SHOWN_PAIRS]:
            by = "it depends on it" if blame.kind == "dependency" else "its CUDA graph capture"
            lines.append(f"| {code(blame.culprit)} | {code(blame.victim)} | {blame.attempts} | {by} |")
        if len(part.blame) > _SHOWN_PAIRS:
            lines.append(f"\n… and {len(part.blame) - _SHOWN_PAIRS} more pairs.")
    close = [pair for pair in part.together if pair.p < 0.05][:_SHOWN_PAIRS]
    if close:
        lines += ["", "**Together**", "", *(f"- {escape(together_sentence(pair))}" for pair in close)]
    return [*lines, "", escape(part.order_sentence), ""]


def _models(part: Part) -> list[str]:
    lines = [
        "| model | verdict | not whole | 95 % interval | outcomes | load, median (p95) |",
        "|---|---|--:|--:|---|--:|",
    ]
    for name, model in list(part.models.items())[:_SHOWN_MODELS]:
        rate = model.rate
        share = f"{rate.bad} of {rate.n}"
        between = f"{percent(rate.interval.low)} – {percent(rate.interval.high)}" if rate.n else "–"
        counts = ", ".join(f"{count} {outcome}" for outcome, count in model.outcomes.items() if count)
        load = ""
        if model.times and model.times.median.estimate is not None:
            late = model.times.p95.estimate
            load = duration(model.times.median.estimate) + (f" ({duration(late)})" if late is not None else "")
        lines.append(f"| {code(name)} | {model.verdict} | {share} | {between} | {counts} | {load} |")
    more = len(part.models) - _SHOWN_MODELS
    return [*lines, *([f"\n… and {more} more models."] if more > 0 else [])]


def escape(text: str) -> str:
    """A text in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", html.escape(printable(text), quote=False))


def code(text: str) -> str:
    """A text as a code span that also holds in a cell of a table."""
    text = printable(text).strip().replace("|", "\\|")
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
