"""One run of the rules: what it is given, and which rules are on in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from tritoncheck.config import PathRule, Settings
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.release_names import newest_release
from tritoncheck.registry import LoadedRule, matches
from tritoncheck.rule import Rule

Tick = Callable[[int, int], None]


@dataclass(slots=True)
class Run:
    """One run: its settings, how the server is started, the rules to use, and a callback for progress.

    edited: texts that stand for those of some files, by path, Latin-1. faults: by repository what is wrong with the
    files that say how the server is started.
    """

    settings: Settings
    launch: Launch
    rules: tuple[LoadedRule, ...]
    today: date
    tick: Tick | None = None
    edited: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

    @property
    def on(self) -> list[LoadedRule]:
        """The rules that the settings select and that hold for the release."""
        return [one for one in self.rules if selected(one.rule, self.settings) and holds(one.rule, self.launch)]


def selected(rule: Rule, settings: Settings) -> bool:
    """Whether a rule is on: named by `select` (all are, if it is empty) and not by `ignore`."""
    wanted = not settings.select or any(matches(rule, one) for one in settings.select)
    return wanted and not any(matches(rule, one) for one in settings.ignore)


def holds(rule: Rule, launch: Launch) -> bool:
    """Whether a rule holds for the target release; without one, what holds for the newest."""
    release = launch.release or newest_release()
    return (rule.since is None or rule.since <= release) and (rule.until is None or release[:2] <= rule.until)


def allowed(rule: Rule, overrides: list[PathRule]) -> bool:
    """Whether a rule is on where these overrides hold."""
    for override in overrides:
        if override.select and not any(matches(rule, one) for one in override.select):
            return False
        if any(matches(rule, one) for one in override.ignore):
            return False
    return True
