"""The outcome of a lint run, as every report reads it: findings in their order, counts, and what was not checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployments import Deployment
from tritoncheck.rule import Finding, Severity


class Unchecked(NamedTuple):
    """Something that was not checked: what, why, and the option that would change that ("" = none)."""

    what: str
    why: str
    enable: str = ""


@dataclass(slots=True)
class Report:
    """The outcome of a run.

    texts: the Latin-1 text of every file that a finding points into. failed: whether a finding is as bad as what the
    settings of its place fail on. deployments: the ways of starting the server that were found in files.
    names: those of all models. hidden: those of models for which some rule was not run.
    """

    findings: list[Finding] = field(default_factory=list)
    repositories: int = 0
    models: int = 0
    files: int = 0
    suppressed: int = 0
    unchecked: list[Unchecked] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    launch: Launch = field(default_factory=Launch)
    failed: bool = False
    deployments: list[Deployment] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def merge(self, other: Report) -> None:
        """Take in the outcome of another run."""
        self.findings += other.findings
        self.findings.sort(key=finding_order)
        self.repositories += other.repositories
        self.models += other.models
        self.files += other.files
        self.suppressed += other.suppressed
        self.names |= other.names
        self.hidden |= other.hidden
        self.texts |= other.texts
        self.deployments += other.deployments
        self.unchecked += [one for one in other.unchecked if one not in self.unchecked]


def finding_order(finding: Finding) -> tuple[str, int, int, str, str]:
    """The order in which findings are shown: path, line, column, code."""
    return (finding.span.path, finding.span.line, finding.span.column, finding.rule.code, finding.message)
