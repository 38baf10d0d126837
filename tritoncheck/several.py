"""Lints repositories with each way in which the server is started, and makes one report of it.

What is found with every launch is said once; what only some of them bring names these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tritoncheck.checking import MENTION
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployments import Deployment, Plan
from tritoncheck.lint import lint
from tritoncheck.outcome import Report, Unchecked, finding_order
from tritoncheck.report.paths import shown_path
from tritoncheck.rule import Finding, Related
from tritoncheck.run import Run


def lint_planned(plan: Plan, run: Run, trees: Mapping[str, str], alone: list[str]) -> Report:
    """Lint each repository with the launches that are for it. alone: models without neighbours, which have the launch
    that the options describe."""
    deployments = [one for one in plan.deployments if one.repositories]
    if alone and all(one.launch is not run.launch for one in deployments):
        deployments.append(Deployment(run.launch, ()))
    reports = []
    for one in deployments:
        mine = {path: trees[path] for path in one.repositories}
        own = replace(run, launch=one.launch, faults=plan.faults)
        reports.append(lint(mine, own, mine, alone if one.launch is run.launch else ()))
    whole = reports[0] if len(reports) == 1 else _together(deployments, reports)
    whole.deployments = [one for one in deployments if one.launch.source]
    whole.findings = list(dict.fromkeys(whole.findings))
    marked = [path for path, text in plan.texts.items() if MENTION.search(text)]
    if marked:
        from tritoncheck.silence import silence

        silence(whole, {path: plan.texts[path] for path in marked}, run)
    whole.findings = _once_a_file(whole.findings)
    whole.texts |= _texts(plan, whole.findings)
    whole.unchecked += plan.questions
    if plan.unread:
        files = list(dict.fromkeys(shown_path(one.path) for one in plan.unread))
        shown = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        enable = "--deployment FILE (what `helm template` prints)"
        whole.unchecked.append(Unchecked("templates", f"`{{{{ }}}}` in {shown} is filled in by Helm", enable))
    return whole


def _together(deployments: list[Deployment], reports: list[Report]) -> Report:
    """One report of several: each repository counts once."""
    whole = Report(launch=reports[0].launch)
    for report in reports:
        whole.merge(report)
    times: dict[str, list[Launch]] = {}
    for one in deployments:
        for path in one.repositories:
            times.setdefault(path, []).append(one.launch)
    again = sum(len(launches) - 1 for launches in times.values())
    if not again:
        return whole
    whole.repositories -= again
    seen: set[str] = set()
    for one, report in zip(deployments, reports, strict=True):
        if seen.intersection(one.repositories):
            # Counts cannot be split by repository; those of a repeated one are left out as a whole.
            whole.models -= report.models
            whole.files -= report.files
            whole.suppressed -= report.suppressed
        seen.update(one.repositories)
    found: dict[tuple[object, ...], list[tuple[Finding, Launch]]] = {}
    for one, report in zip(deployments, reports, strict=True):
        for finding in report.findings:
            found.setdefault(finding[:8], []).append((finding, one.launch))
    whole.findings = sorted((_one(same, times) for same in found.values()), key=finding_order)
    return whole


def _one(same: list[tuple[Finding, Launch]], times: dict[str, list[Launch]]) -> Finding:
    """One finding for the same one with several launches; it names them where others do not have it."""
    first = same[0][0]
    related: dict[Related, None] = {}
    for finding, _ in same:
        related |= dict.fromkeys(finding.related)
    first = first._replace(related=tuple(related))
    place = first.span.path
    holders = [path for path in times if place == path or place.startswith("" if path == "." else f"{path}/")]
    of_all = times[max(holders, key=len)] if holders else []
    if len(of_all) <= len(same):
        return first
    names = ", ".join(f"`{one.service or 'the server'}` in {shown_path(one.source)}" for _, one in same if one.source)
    return (
        first._replace(message=f"{first.message}\nThis holds as started by {names or 'the options'}")
        if names
        else first
    )


def _once_a_file(findings: list[Finding]) -> list[Finding]:
    """The findings, of rules that say so only the first in each file. Comes after silencing: what a comment hides does
    not stand for the others."""
    told: set[tuple[str, str]] = set()
    kept = []
    for one in findings:
        key = (one.rule.code, one.span.path)
        if not one.rule.once or key not in told:
            kept.append(one)
            told.add(key)
    return kept


def _texts(plan: Plan, findings: list[Finding]) -> dict[str, str]:
    """The texts of the deployment files that findings point into, as Latin-1."""
    wanted = {span.path for one in findings for span in (one.span, *(other.span for other in one.related))}
    return {path: plan.texts[path].encode().decode("latin-1") for path in wanted & plan.texts.keys()}
