"""Which Triton releases accept each model, and what sets each limit.

Lints a repository once for every release with the rules that can say that Triton refuses a model, so that the answer is
never another than that of `lint --triton`. Knows nothing of terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import NamedTuple

from tritoncheck.config import Settings
from tritoncheck.deployment.launch import Launch, Release
from tritoncheck.deployment.tables import triton_versions
from tritoncheck.lint import lint
from tritoncheck.registry import LoadedRule
from tritoncheck.rule import Finding
from tritoncheck.run import Run

# What a rule may look at to be asked here: not the host, not how the server is started.
_OWN = {"config", "files", "repository", "modelfile"}


@dataclass(slots=True)
class Acceptance:
    """One model. refusals: for each release, oldest first, the findings for which Triton refuses the model there."""

    model: str
    refusals: dict[Release, list[Finding]] = field(default_factory=dict)

    @property
    def stretches(self) -> list[Stretch]:
        """The releases in order, cut where the model is accepted or refused for other reasons than before."""
        found = []
        for keys, run in groupby(self.refusals.items(), lambda pair: _keys(pair[1])):
            pairs = list(run)
            found.append(Stretch(pairs[0][0], pairs[-1][0], not keys, pairs[0][1], pairs[-1][1]))
        return found


class Stretch(NamedTuple):
    """Releases that follow each other and say the same. early, late: the findings of the first and of the last."""

    first: Release
    last: Release
    accepted: bool
    early: list[Finding]
    late: list[Finding]


def _keys(findings: list[Finding]) -> frozenset[tuple[str, str, int]]:
    return frozenset((one.rule.code, one.span.path, one.span.start) for one in findings)


def acceptance(
    repository: str,
    tree: str,
    settings: Settings,
    rules: Iterable[LoadedRule],
    today: date,
    tick: Callable[[int, int], None] | None = None,
) -> list[Acceptance]:
    """For each model of a repository, in the order of names, what every release says. tree: what links must not leave;
    "" for the folder of one model without neighbours."""
    asked = tuple(one for one in rules if set(one.rule.needs) <= _OWN and one.rule.scope != "suppressions")
    settings = settings._replace(triton="", image="", launch="")
    models: dict[str, Acceptance] = {}
    releases = list(triton_versions())
    trees, alone = ({repository: tree}, []) if tree else ({}, [repository])
    for number, release in enumerate(releases, 1):
        report = lint(trees, Run(settings, Launch(release=release), asked, today), trees, alone)
        for name in report.names:
            models.setdefault(name, Acceptance(name)).refusals[release] = []
        for finding in report.findings:
            if finding.refused and finding.model in models and not _is_variant(finding, repository):
                models[finding.model].refusals[release].append(finding)
        if tick:
            tick(number, len(releases))
    return [models[name] for name in sorted(models)]


def _is_variant(finding: Finding, repository: str) -> bool:
    """Whether a finding is about one of a model's other configurations, which no server reads unless told to."""
    return "/configs/" in finding.span.path.removeprefix(repository)
