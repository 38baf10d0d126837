"""The models that Triton refuses, by what the rules found: for rules about what follows from that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.rule import Confidence, Finding, Severity

if TYPE_CHECKING:
    from tritoncheck.model_repository import Repository


class Refusals(NamedTuple):
    """A repository, and of each model in it that is surely refused the first finding that says so."""

    repository: Repository
    causes: Mapping[str, Finding]


def read_refusals(repository: Repository, findings: Iterable[Finding]) -> Refusals:
    """Sort out the findings that mean the end of a model as the server reads it, not of a variant beside that."""
    configs = {model.config_path: model for model in repository.models}
    causes: dict[str, Finding] = {}
    for finding in findings:
        if not finding.refused or finding.severity != Severity.ERROR or finding.confidence != Confidence.HIGH:
            continue
        model = configs.get(finding.span.path) or repository.served.get(finding.model)
        if model is not None and repository.served.get(model.name) is model:
            causes.setdefault(model.name, finding)
    return Refusals(repository, causes)
