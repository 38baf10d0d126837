"""Faults of single releases, as records: which releases have one, what in a set-up meets it, what is said of it.

Rules that hold such records share the walk over them. This module knows no fault by itself.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tritoncheck.rule import Confidence, Finding, Model, Repository, Rule, Severity, Span, listing, release_tag

Release = tuple[int, ...]

FIRST: Release = (20, 3)
"""The oldest release that is told apart: where a report names no first one, the fault counts from here on."""


class Met(NamedTuple):
    """Where the set-up has what a fault needs, and the models it is about."""

    place: Span
    models: tuple[Model, ...] = ()


class Known(NamedTuple):
    """One fault. first, last: the releases that have it. says: with `{release}` and `{models}`."""

    first: Release
    last: Release
    met: Callable[[Repository], Met | None]
    says: str
    cure: str
    severity: Severity = Severity.WARNING
    confidence: Confidence = Confidence.MEDIUM


def findings(rule: Rule, faults: tuple[Known, ...], repository: Repository) -> Iterator[Finding]:
    """What `rule` has to say of each fault of the server's release that is met; nothing where that is not known."""
    release = repository.launch.release
    if release is None:
        return
    for known in faults:
        if not (known.first <= release[:2] <= known.last):
            continue
        met = known.met(repository)
        if met is None:
            continue
        who = listing((one.name for one in met.models), len(met.models))
        yield rule.finding(
            met.place,
            known.says.format(release=release_tag(release[:2]), models=who),
            help=known.cure,
            severity=known.severity,
            confidence=known.confidence,
            model=met.models[0].name if len(met.models) == 1 else "",
        )


def served(repository: Repository, *backends: str) -> tuple[Model, ...]:
    """The served models of some backends, of any if none is named; no ensembles and none whose file is broken."""
    models = (one for one in repository.served.values() if not one.broken and not one.is_ensemble)
    return tuple(one for one in models if one.backend.name in backends or (not backends and one.backend.name))
