"""How long each rule takes: `lint --timings`. Measures by standing between the runner and the rule."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tritoncheck.registry import LoadedRule
from tritoncheck.rule import Finding


class Timings:
    """Seconds and calls by rule. What a rule is the first to ask of a model is counted as its own, parsing too."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: Counter[str] = Counter()
        self._names: dict[str, str] = {}

    def timed(self, loaded: LoadedRule) -> LoadedRule:
        """A rule that is measured whenever it is called."""
        self._names[loaded.rule.code] = loaded.rule.name
        return loaded._replace(load=lambda: (self._timed(loaded.rule.code, loaded.check), loaded.page))

    def _timed(self, code: str, check: Callable[[Any], Iterator[Finding]]) -> Callable[[Any], Iterator[Finding]]:
        def measure(subject: Any) -> Iterator[Finding]:
            begin = time.perf_counter()
            found = list(check(subject))
            self.seconds[code] = self.seconds.get(code, 0.0) + time.perf_counter() - begin
            self.calls[code] += 1
            return iter(found)

        return measure

    def table(self, whole: float) -> str:
        """All rules that were called, the slowest first, and what is left of the whole run. whole: its seconds."""
        rules = sum(self.seconds.values())
        lines = [f"{'rule':38}{'calls':>8}{'ms':>10}{'share':>8}"]
        for code, seconds in sorted(self.seconds.items(), key=lambda one: -one[1]):
            name = f"{code} {self._names[code]}"
            lines.append(f"{name:38}{self.calls[code]:8}{seconds * 1000:10.1f}{seconds / whole:8.1%}")
        lines.append(f"{'all rules':38}{self.calls.total():8}{rules * 1000:10.1f}{rules / whole:8.1%}")
        rest = max(0.0, whole - rules)
        lines.append(f"{'starting, reading, parsing, reporting':38}{'':8}{rest * 1000:10.1f}{rest / whole:8.1%}")
        return "\n".join(lines) + "\n"
