"""Applies the suppressions in files that start servers, once all that a run finds is known: such a file may be for many
repositories, and a suppression in it is unused only if none of them needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from tritoncheck.checking import LAUNCH_ONLY
from tritoncheck.deployment.kinds import kind_of
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment_comments import read_suppressions
from tritoncheck.outcome import Report, finding_order
from tritoncheck.rule import Finding
from tritoncheck.run import Run, allowed, holds, selected
from tritoncheck.suppress import Ledger, Suppression, apply, names_of, varying

# Elsewhere a `#` behind something belongs to it: an instruction of a Dockerfile, the value of a variable.
_TRAILING = frozenset(("compose", "yaml", "values", "script", "makefile", "manual"))


def silence(report: Report, texts: Mapping[str, str], run: Run) -> None:
    """Take out of a report what comments in these files silence, and add what is to be said of the comments."""
    for path, text in texts.items():
        marks = read_suppressions(text, path, kind_of(os.path.basename(path)) in _TRAILING)
        if not marks:
            continue
        inside = [one for one in report.findings if one.span.path == path]
        kept, count = apply(inside, marks, run.today)
        report.findings = [one for one in report.findings if one.span.path != path] + kept
        report.suppressed += count
        report.findings += _about(report, path, text, marks, run)
    report.findings.sort(key=finding_order)


def _about(report: Report, path: str, text: str, marks: list[Suppression], run: Run) -> Iterator[Finding]:
    """What the rules on suppressions say. Their fixes are for configurations: no other file is edited."""
    rules = [one.rule for one in run.rules]
    ran = _ran(report, path, run)
    ledger = Ledger(text.encode().decode("latin-1"), marks, run.today, ran, names_of(rules), varying(rules))
    overrides = run.settings.path_rules(path)
    for loaded in run.rules:
        rule = loaded.rule
        if rule.scope == "suppressions" and selected(rule, run.settings) and allowed(rule, overrides):
            yield from (one._replace(fix=None) for one in loaded.check(ledger))


def _ran(report: Report, path: str, run: Run) -> frozenset[str]:
    """The codes of the rules that looked at all that a file says; none where it was used for no repository."""
    launches = [one.launch for one in report.deployments if path in _files(one.launch)]
    overrides = run.settings.path_rules(path)
    return frozenset(
        loaded.rule.code
        for loaded in run.rules
        if selected(loaded.rule, run.settings)
        and allowed(loaded.rule, overrides)
        and any(holds(loaded.rule, launch) for launch in launches)
        and (not report.hidden or LAUNCH_ONLY.issuperset(loaded.rule.needs))
    )


def _files(launch: Launch) -> set[str]:
    """The files that a launch was read from."""
    return {launch.source, *(span.path for span in launch.origins.values())}
