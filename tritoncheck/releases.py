"""Which Triton releases accept each model, and what sets each limit.

Lints a repository once for every release with the rules that can say that Triton refuses a model, so that the answer is
never another than that of `lint --triton`. Knows nothing of terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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

# A rule that looks at nothing of these speaks of how the server is started, of which no more is assumed here than the
# release.
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
    releases: Sequence[Release] = (),
) -> list[Acceptance]:
    """For each model of a repository, in the order of names, what every release says. tree: what links must not leave;
    "" for the folder of one model without neighbours. releases: those to ask, () for all that are known."""
    asked = tuple(one for one in rules if _OWN.intersection(one.rule.needs) and one.rule.scope != "suppressions")
    settings = settings._replace(triton="", image="", launch="")
    releases = releases or tuple(triton_versions())
    names: set[str] = set()
    refused: dict[Release, list[Finding]] = {}
    trees, alone = ({repository: tree}, []) if tree else ({}, [repository])
    for number, release in enumerate(releases, 1):
        report = lint(trees, Run(settings, Launch(release=release), asked, today), trees, alone)
        refused[release] = [one for one in report.findings if one.refused and not _is_variant(one, repository)]
        # What ends the load of a repository may be none of its models: a link to nothing.
        names |= report.names | {one.model for one in refused[release] if one.model}
        if tick:
            tick(number, len(releases))
    return [
        Acceptance(name, {release: [one for one in found if one.model == name] for release, found in refused.items()})
        for name in sorted(names)
    ]


def _is_variant(finding: Finding, repository: str) -> bool:
    """Whether a finding is about one of a model's other configurations, which no server reads unless told to."""
    return "/configs/" in finding.span.path.removeprefix(repository)
