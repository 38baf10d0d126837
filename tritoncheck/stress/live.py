"""What a person sees while a run goes on: a live view on a terminal, a line for each attempt elsewhere.

Everything goes to stderr, so that a report on stdout can be piped on. A listener of the engine; it never fails the run.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from tritoncheck.report.paths import printable
from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.fold import LETTERS
from tritoncheck.stress.listener import Listener
from tritoncheck.stress.progress import ModelProgress, Progress, between, counted, pace, what_happened
from tritoncheck.stress.records import Attempt, Facts, ModelOutcome, Plan
from tritoncheck.stress.wording import duration

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.text import Text

_STYLES = {
    ".": "green",
    "d": "yellow",
    "F": "bold red",
    "k": "magenta",
    "H": "bold red",
    "C": "bold red",
    "?": "yellow",
}
_NAME, _COUNTS, _INTERVAL, _LEAST, _BAR, _NARROW = 24, 11, 17, 10, 40, 60


class LiveView(Listener):
    """Listens to the engine. terminal: whether to draw; None: if the stream is one."""

    def __init__(self, stream: TextIO | None = None, terminal: bool | None = None) -> None:
        self.stream = stream or sys.stderr
        if terminal is None:
            terminal = self.stream.isatty() and os.environ.get("TERM", "") != "dumb"
        self.terminal = terminal
        self.progress: Progress | None = None
        self.facts: Facts | None = None
        self.noted = ""
        self.running = 0
        self.since = 0.0
        self.current: dict[str, str] = {}
        self._live: Any = None

    def begin(self, plan: Plan, facts: Facts, done: list[Attempt]) -> None:
        """A session begins; `done` are the attempts of a run that is resumed."""
        self.progress, self.facts = Progress(plan), facts
        for attempt in done:
            self.progress.add(attempt)
        if self.terminal:
            self._open()
            return
        where = plan.image or facts.engine or plan.host
        going = f", {len(done)} done before" if done else ""
        rules = ", or ".join(rule.declared for rule in rules_of(plan))
        self._line(f"starts of {where}{going}; ends {rules}; models: {', '.join(plan.expected)}")

    def started(self, number: int) -> None:
        """An attempt has started its server."""
        self.running, self.since, self.current = number, time.monotonic(), {}

    def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
        """The log told what became of a model, before the attempt is over."""
        self.current[name] = LETTERS.get(outcome.outcome, "?")

    def finished(self, attempt: Attempt) -> None:
        """An attempt is over and in the journal."""
        self.running, self.current = 0, {}
        if self.progress is None:
            return
        self.progress.add(attempt)
        if self._live is None:
            text = f"{pace(self.progress)}: {what_happened(attempt)}, {duration(attempt.seconds)}"
            self._line(f"{text}; {self.progress.sentence}")

    def note(self, text: str) -> None:
        """Something that a person should know."""
        if self._live is None and text != self.noted:
            self._line(text)
        self.noted = text

    def end(self, reason: str) -> None:
        """The session is over, for this reason."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        spent = ""
        if self.progress and self.progress.attempts:
            count = self.progress.attempts
            spent = f" ({count} attempt{'s' * (count > 1)}, {duration(self.progress.spent)})"
        self._line(f"{reason}{spent}")

    def _open(self) -> None:
        """Begin to draw. The view is wiped at the end: the report says it all again."""
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self.stream, force_terminal=True, highlight=False, markup=False, emoji=False)
        options: dict[str, Any] = {"redirect_stdout": False, "redirect_stderr": False, "vertical_overflow": "crop"}
        self._live = Live(console=console, get_renderable=self.frame, refresh_per_second=5, transient=True, **options)
        self._live.start()

    def _line(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more; the run goes on
            print(printable(text), file=self.stream, flush=True)

    def frame(self) -> Group:
        """What is drawn now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        progress = self.progress
        assert progress is not None
        width, height = self._size()
        into = time.monotonic() - self.since if self.running else 0.0
        head = Table.grid(padding=(0, 1))
        done = Text(counted(progress), style="bold")
        left = progress.time_left(into) or ("" if progress.attempts else "no idea yet how long")
        bar = ProgressBar(1.0, progress.share, width=min(_BAR, width // 3))
        head.add_row(done, bar, Text(left, style="dim"))
        parts: list[RenderableType] = [head]
        now = f"attempt {self.running}, {duration(into)}" if self.running else "between two attempts"
        now += f"; {printable(self.noted)}" if self.noted else ""
        parts.append(Text(now, style="dim", overflow="ellipsis", no_wrap=True))
        verdict = "red" if progress.bad else "green" if progress.n else "dim"
        parts.append(
            Text(f"{progress.sentence} (95 % at any time)" if progress.n else progress.sentence, style=verdict)
        )
        parts += [Text(), self._models(progress, width, max(3, height - 8))]
        if progress.last_failure:
            last = Text("last: " + printable(progress.last_failure), "red", no_wrap=True, overflow="ellipsis")
            parts += [Text(), last]
        return Group(*parts)

    def _models(self, progress: Progress, width: int, most: int) -> RenderableType:
        """A row for each model, those with failures first where there is no room for all."""
        from rich.table import Table
        from rich.text import Text

        rows = list(progress.models.items())
        if len(rows) > most:
            rows.sort(key=lambda row: -row[1].bad)
        # name, counts, interval, two columns of space behind each; the rest shows attempts
        interval = _INTERVAL if width >= _NARROW else 0
        fixed = _COUNTS + interval + 6
        room = max((len(printable(name)) for name, _ in rows), default=0)
        room = max(5, min(_NAME, room, width - fixed - _LEAST))
        shown = max(1, width - fixed - room)
        table = Table.grid(padding=(0, 2, 0, 0))
        for name, model in rows[:most]:
            limits = between(model.interval) if model.n and interval else ""
            table.add_row(
                Text(_short(name, room)),
                Text(f"{model.bad} of {model.n}".rjust(_COUNTS), style="red" if model.bad else "dim"),
                Text(limits.rjust(interval), style="dim"),
                self._strip(model, self.current.get(name, ""), shown),
            )
        if len(rows) > most:
            table.add_row(Text(f"… {len(rows) - most} more", style="dim"))
        return table

    @staticmethod
    def _strip(model: ModelProgress, now: str, room: int) -> Text:
        from rich.text import Text

        strip = Text(no_wrap=True)
        for letter in list(model.strip)[-room + 1 :]:
            strip.append(letter, _STYLES.get(letter, ""))
        if now:
            strip.append(now, f"reverse {_STYLES.get(now, '')}")
        return strip

    def _size(self) -> tuple[int, int]:
        if self._live is None:
            return 80, 24
        return self._live.console.width, self._live.console.height


def _short(name: str, room: int) -> str:
    name = printable(name)
    return name if len(name) <= room else name[: room - 1] + "…"
