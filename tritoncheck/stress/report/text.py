"""The report for a terminal, laid out for 80 columns: verdict, models with their intervals, why, who caused it, facts.

Colour only where asked for; what comes from logs and names is shown without control characters.
"""

from __future__ import annotations

import textwrap

from tritoncheck.report.paths import printable
from tritoncheck.stress.parts import Part, Times
from tritoncheck.stress.report.reasons import facts, often, reasons, remarks
from tritoncheck.stress.stats import Interval, percent
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.wording import duration, together_sentence

VERDICTS = {"clean": "1;32", "nondeterministic": "1;31", "deterministic": "1;31", "inconclusive": "1;33"}
STRIP = {"d": "33", "F": "31", "k": "35", "H": "31", "C": "31", "?": "33"}
LEGEND = ". ready  d degraded  F failed  k knock-on  H hung  C crashed  ? unknown"
_DIM, _BOLD = "2", "1"
_NAME, _PAIRS, _STRIP_LINES = 24, 8, 4
_LEAST, _NARROW = 40, 60


def render(summary: Summary, colour: bool = False, width: int = 80) -> str:
    """The report as a text that ends with a line break."""
    printer = _Printer(colour, max(_LEAST, width))
    printer.part(summary.whole, summary)
    for arm in summary.arms:
        printer.heading(f"Arm {printable(arm.name)}")
        printer.part(arm, None)
    printer.heading("Run")
    for name, value in facts(summary):
        printer.wrap(value, f"  {name + ':':<15} ")
    printer.wrap(summary.folder, f"  {'journal:':<15} ")
    return "\n".join(printer.lines) + "\n"


class _Printer:
    def __init__(self, colour: bool, width: int) -> None:
        self.colour = colour
        self.width = width
        self.lines: list[str] = []

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text.strip() else text

    def wrap(self, text: str, lead: str = "", code: str = "") -> None:
        """A paragraph behind a lead, its further lines indented to it."""
        wrapped = textwrap.wrap(
            printable(text),
            self.width,
            initial_indent=lead,
            subsequent_indent=" " * len(lead),
            break_on_hyphens=False,
        )
        self.lines += [self.paint(line, code) if code else line for line in wrapped]

    def heading(self, text: str) -> None:
        self.lines += ["", self.paint(text, _BOLD)]

    def part(self, part: Part, summary: Summary | None) -> None:
        """A run or an arm; the remarks and the claim belong to the run."""
        self.wrap(part.headline, code=VERDICTS[part.verdict])
        self.wrap(part.sentence + ".")
        if summary and summary.claim:
            self.wrap(summary.claim.sentence)
        for remark in remarks(summary) if summary else ():
            self.wrap(remark, "  note: ")
        self.models(part)
        self.why(part)
        self.blame(part)

    def models(self, part: Part) -> None:
        """Rates with their intervals as a forest plot, then the attempts one by one, then load times."""
        rows = [("the server", part.rate), *((name, model.rate) for name, model in part.models.items())]
        room = max(8, min(_NAME, max(len(printable(name)) for name, _ in rows)))
        narrow = self.width < _NARROW  # no room for the share and the plot
        room = min(room, self.width - 30) if narrow else room
        plot = self.width - room - 39
        level = f"{part.rate.level * 100:g} % interval"
        axis = "" if narrow else f" 0 %{'100 %':>{plot - 3}}"
        self.heading(f"{'Not whole':<{room + 2}} {'':>{9 if narrow else 17}} {level:>17}{axis}")
        for name, rate in rows:
            counts = f"{rate.bad} of {rate.n}"
            share = f" {percent(rate.share) if rate.share is not None else '–':>7}" if not narrow else ""
            limits = f"{percent(rate.interval.low)} – {percent(rate.interval.high)}" if rate.n else "–"
            line = f"  {_short(name, room):<{room}} {counts:>9}{share} {limits:>17}"
            forest = (
                "" if narrow else " " + self.paint(_forest(rate.interval, rate.share, plot), "36" if rate.n else _DIM)
            )
            self.lines.append(line + forest)
        if part.attempts:
            self.strips(part, room)
        self.times(part, room)

    def strips(self, part: Part, room: int) -> None:
        self.heading("Attempts")
        space = (self.width - room - 3) // 10 * 10
        shown = min(part.attempts, space * _STRIP_LINES)
        for name, model in part.models.items():
            strip = model.strip[-shown:]
            for at in range(0, len(strip), space):
                label = _short(name, room) if not at else ""
                letters = "".join(self.paint(letter, STRIP.get(letter, _DIM)) for letter in strip[at : at + space])
                self.lines.append(f"  {label:<{room}} {letters}")
        self.wrap(LEGEND + (f"; the last {shown} attempts" if shown < part.attempts else ""), "  ", _DIM)
        self.wrap(part.order_sentence, "  ")

    def times(self, part: Part, room: int) -> None:
        rows = [("all models", part.times), *((name, model.times) for name, model in part.models.items())]
        known = [(name, times) for name, times in rows if times]
        if not known:
            return
        self.heading("Load times")
        for name, times in known:
            self.wrap(_times(times), f"  {_short(name, room):<{room}} ")

    def why(self, part: Part) -> None:
        """The classes, each with its meaning and the line where it was seen first."""
        found = reasons(part)
        if found:
            self.heading("Why")
        for reason in found:
            models = ", ".join(f"{name} {count}" for name, count in reason.models)
            self.wrap(f"{reason.kind}, {often(reason)}: {reason.title}", "  ", "31")
            self.wrap(models, "    in: ") if models else None
            self.wrap(reason.means, "    ") if reason.means else None
            example = reason.example
            if example and example.text:
                text = example.text.partition("\n")[0]
                text = textwrap.shorten(printable(text), 3 * self.width, placeholder=" …")
                self.wrap(f"{text}", f"    attempt {example.attempt}, line {example.line}: ", _DIM)
            self.wrap(reason.next, "    help: ") if reason.next else None

    def blame(self, part: Part) -> None:
        """Culprits and victims, and models that fail together."""
        close = [pair for pair in part.together if pair.p < 0.05][:_PAIRS]
        if part.blame or close:
            self.heading("Who with whom")
        for blame in part.blame[:_PAIRS]:
            text = "took down what depends on it" if blame.kind == "dependency" else "hit"
            times = "1 attempt" if blame.attempts == 1 else f"{blame.attempts} attempts"
            self.wrap(f"{blame.culprit} {text}: {blame.victim} in {times}", "  ")
        if len(part.blame) > _PAIRS:
            self.wrap(f"… and {len(part.blame) - _PAIRS} more pairs", "  ", _DIM)
        for pair in close:
            self.wrap(together_sentence(pair), "  ")


def _forest(interval: Interval, share: float | None, width: int) -> str:
    """An interval as a line over a scale from 0 to 1, with a dot at the rate."""
    if share is None:
        return "·" * width
    at = [min(width - 1, int(value * width)) for value in (interval.low, share, interval.high)]
    cells = ["─" if at[0] <= place <= at[2] else " " for place in range(width)]
    cells[at[1]] = "●"
    return "".join(cells).rstrip()


def _times(times: Times) -> str:
    def one(estimate: float | None, low: float, high: float | None) -> str:
        value = duration(estimate) if estimate is not None else "longer than measured"
        return f"{value} ({duration(low)} – {duration(high) if high is not None else '?'})"

    median, p95 = times.median, times.p95
    text = f"median {one(median.estimate, median.low, median.high)}, p95 {one(p95.estimate, p95.low, p95.high)}"
    return text + (f", {times.given_up} given up" if times.given_up else "")


def _short(name: str, room: int) -> str:
    name = printable(name)
    return name if len(name) <= room else name[: room - 1] + "…"
