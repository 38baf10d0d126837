"""What lint says of a repository, told as it would be to somebody who starts a server of one release on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cases import run_lint
from tests.conformance.core import STRICT
from tests.oracle.wheels import RELEASES
from tritoncheck.rule import Finding, Rule, Severity

TAGS = {"0.1.5": "22.11", "0.2.5": "23.04", "0.3.1": "23.07", "0.4.2": "23.10", "0.5.5": "24.03", "0.5.14": "24.10"}
"""Version of the nvidia-pytriton wheel → release, as `--triton` takes it."""

# The core looks at it, and it is the backend that misses the file: a link to nowhere, the folder of a version.
_BACKENDS_TOO = ("TCR003", "TCR008")

assert TAGS.keys() <= RELEASES.keys()


@dataclass(frozen=True, slots=True)
class Opinion:
    """The findings on one repository, the names of its models, and two kinds of them.

    real: models whose backend is the real one. completed: models of which a real backend would complete what the
    configuration leaves out, where a stub stands in its place.
    """

    findings: tuple[Finding, ...]
    models: frozenset[str]
    real: frozenset[str] = frozenset()
    completed: frozenset[str] = frozenset()

    def errors(self, model: str) -> list[Finding]:
        """The errors that explain why the core refuses a model. What lies beside the models may concern any."""
        errors = [one for one in self.findings if one.severity is Severity.ERROR]
        return [one for one in errors if one.model not in self.models or one.model == model and self.judged(one)]

    def refused(self, model: str) -> list[Finding]:
        """The findings that say that the core refuses a model."""
        own = [one for one in self.findings if one.refused and one.model == model]
        left_out = () if model in self.real else _BACKENDS_TOO
        return [one for one in own if self.judged(one) and one.rule.code not in left_out]

    def refused_beside(self) -> list[Finding]:
        """The findings that say that something beside the models is refused."""
        return [one for one in self.findings if one.refused and one.model not in self.models]

    def judged(self, finding: Finding) -> bool:
        """Whether a core can tell if it is right: it is not about what a backend alone, here a stub, would refuse."""
        return finding.model in self.real or not by_backend(finding.rule)


def by_backend(rule: Rule) -> bool:
    """Whether a rule rests on the source of a backend, and not on the core's too; what follows from the findings of
    other rules may do so."""
    if rule.scope == "refusals":
        return True
    backend = any("_backend " in one for one in rule.evidence)
    return backend and not any(one.startswith(("core ", "common ", "libprotobuf")) for one in rule.evidence)


def opinion(
    repository: Path, tag: str, flags: Sequence[str] = (), *, roots: Sequence[str] = (), python: bool = True
) -> Opinion:
    """Lint a repository as deployed on a release, with the flags of the server.

    roots: the folders of the repositories, where it is several. python: whether Python's backend is the real one.
    """
    launch = " ".join(["tritonserver", *(f"--model-repository=/{one}" for one in roots), *flags])
    report = run_lint(repository, {"triton": tag, "launch": launch, "deployed": True})
    folders = [repository / one for one in roots] or [repository]
    models = [one for folder in folders for one in folder.iterdir() if one.is_dir()]
    backends = {one.name: _backend(one) for one in models}
    completed = [name for name, backend in backends.items() if STRICT not in flags and backend not in _INCOMPLETE]
    real = [name for name, backend in backends.items() if python and backend == "python"]
    return Opinion(tuple(report.findings), frozenset(backends), frozenset(real), frozenset(completed))


_INCOMPLETE = ("pytorch", "ensemble")
_NAMED = re.compile(rb"""^\s*(?:backend|platform)\s*:\s*["'](\w+)["']""", re.MULTILINE)
_FILES = {"model.py": "python", "model.pt": "pytorch"}


def _backend(model: Path) -> str:
    """The backend that is meant, well enough for what is asked here."""
    config = model / "config.pbtxt"
    named = _NAMED.search(config.read_bytes()) if config.is_file() else None
    if named:
        return named[1].decode().removesuffix("_libtorch")
    return next((backend for file, backend in _FILES.items() if any(model.glob(f"*/{file}"))), "")
