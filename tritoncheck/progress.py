"""A progress bar on stderr for runs that last; nothing where nobody watches."""

from __future__ import annotations

import os
import sys
import time

from tritoncheck.run import Tick


class Progress:
    """A bar on stderr, once a run lasts over a second, and only on a terminal."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.bar: object = None
        self.task: object = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()  # type: ignore[attr-defined]

    @property
    def tick(self) -> Tick | None:
        """The callback, or None where nobody watches, or where the terminal is to be left plain."""
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return self._tick if sys.stderr is not None and sys.stderr.isatty() and not plain else None

    def _tick(self, done: int, total: int) -> None:
        if time.monotonic() - self.started < 1:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self.bar = Bar(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task("linting", total=total)
        self.bar.update(self.task, completed=done, total=total)  # type: ignore[attr-defined]
