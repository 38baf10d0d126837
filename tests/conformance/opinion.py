"""What lint says of a repository, told as it would be to somebody who starts a server of one release on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cases import run_lint
from tests.oracle.wheels import RELEASES
from tritoncheck.rule import Finding, Rule, Severity

TAGS = {"0.1.5": "22.11", "0.2.5": "23.04", "0.3.1": "23.07", "0.4.2": "23.10", "0.5.5": "24.03", "0.5.14": "24.10"}
"""Version of the nvidia-pytriton wheel → release, as `--triton` takes it."""

assert TAGS.keys() <= RELEASES.keys()


@dataclass(frozen=True, slots=True)
class Opinion:
    """The findings on one repository, and the names of its models."""

    findings: tuple[Finding, ...]
    models: frozenset[str]

    def about_core(self) -> Opinion:
        """Without what only a real backend would refuse, which the stub in its place does not."""
        return Opinion(tuple(one for one in self.findings if not by_backend(one.rule)), self.models)

    def errors(self, model: str = "") -> list[Finding]:
        """The errors, of one model or of all."""
        return [one for one in self._of(model) if one.severity is Severity.ERROR]

    def refused(self, model: str = "") -> list[Finding]:
        """The findings that say that Triton refuses."""
        return [one for one in self._of(model) if one.refused]

    def _of(self, model: str) -> list[Finding]:
        # What lies beside the models concerns all of them.
        return [one for one in self.findings if not model or one.model == model or one.model not in self.models]


def by_backend(rule: Rule) -> bool:
    """Whether a rule rests on the source of a backend, and not on the core's too; what follows from the findings of
    other rules may do so."""
    if rule.scope == "refusals":
        return True
    backend = any("_backend " in one for one in rule.evidence)
    return backend and not any(one.startswith(("core ", "common ", "libprotobuf")) for one in rule.evidence)


def opinion(repository: Path, tag: str, flags: Sequence[str] = ()) -> Opinion:
    """Lint a repository as deployed on a release, with the flags of the server."""
    launch = " ".join(["tritonserver", *flags])
    report = run_lint(repository, {"triton": tag, "launch": launch, "deployed": True})
    models = frozenset(one.name for one in repository.iterdir() if one.is_dir())
    return Opinion(tuple(report.findings), models)
