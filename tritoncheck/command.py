"""What the commands do, between the command line and the parts: settings, rules, run, report, exit code."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.config import FAIL_ON, ConfigError, Settings, find_settings
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.options import check_agreement, launch_from
from tritoncheck.deployment.release_names import newest_release
from tritoncheck.deployments import asked_plan, make_plan
from tritoncheck.lint import lint_file
from tritoncheck.outcome import Report
from tritoncheck.output import UsageError, replace_file, write
from tritoncheck.progress import Progress
from tritoncheck.registry import LoadedRule, RuleError, check_patterns, load_rules, own_rules, rules_folder
from tritoncheck.report.paths import printable
from tritoncheck.rule import Severity, release_tag
from tritoncheck.run import Run
from tritoncheck.several import lint_planned
from tritoncheck.targets import TargetError, Targets, resolve

if TYPE_CHECKING:
    from tritoncheck.deployment.machine import Machine
    from tritoncheck.timings import Timings

OK, FINDINGS, USAGE, NOTHING = 0, 1, 2, 3
FORMATS = ("text", "json")


class LintOptions(NamedTuple):
    """The options of `lint` as typed. typed: those that a configuration file may hold too."""

    paths: list[str]
    typed: Settings
    format: str = "text"
    output: str = ""
    fix: bool = False
    unsafe: bool = False
    diff: bool = False
    timings: Timings | None = None
    show_effective: bool = False


def run_lint(options: LintOptions) -> int:
    """Lint and report; the exit code."""
    started = time.perf_counter()
    try:
        check_choice(options.format, FORMATS, "--format")
        if options.unsafe and not (options.fix or options.diff):
            raise UsageError("--unsafe goes with --fix or --diff")
        if options.typed.fail_on:
            check_choice(options.typed.fail_on, FAIL_ON, "--fail-on")
        check_agreement(options.typed.triton, options.typed.image)
        check_deployment(options.typed)
        targets = resolve(options.paths)
        if not (targets.repositories or targets.alone or targets.files):
            where = ", ".join(options.paths)
            message = f"nothing to check: no model (`config.pbtxt`) in {printable(where)}"
            print(f"tritoncheck: {message}", file=sys.stderr)
            return NOTHING
        if options.show_effective:
            from tritoncheck.answers import effective_text

            write(effective_text(targets, options), options.output)
            return OK
        fixing = options.fix or options.diff
        report = _fix(targets, options) if fixing else _run_all(targets, options, {})
        if not options.diff:
            write(_render(report, options, time.perf_counter() - started), options.output)
        if options.timings is not None:
            print(options.timings.table(time.perf_counter() - started), end="", file=sys.stderr)
    except (UsageError, ConfigError, LaunchError, TargetError, RuleError) as error:
        print(f"tritoncheck: {printable(str(error))}", file=sys.stderr)
        return USAGE
    return FINDINGS if report.failed else OK


def _fix(targets: Targets, options: LintOptions) -> Report:
    """Fix what can be fixed, in the files or as a diff; what is left to say."""
    from tritoncheck.fix import fix_all
    from tritoncheck.report.fixes import diff, told

    fixed = fix_all(lambda edited: _run_all(targets, options, edited), options.unsafe)
    if options.diff:
        write(diff(fixed), options.output)
        fixed.report.failed = fixed.report.failed or bool(fixed.texts)
    else:
        for path, (before, after) in fixed.texts.items():
            _rewrite(path, before, after)
    print(told(fixed, done=not options.diff), end="", file=sys.stderr)
    return fixed.report


def _rewrite(path: str, before: str, after: str) -> None:
    """Put the new text in the place of the old one, unless somebody else has changed the file meanwhile."""
    try:
        if Path(path).read_bytes() != before.encode("latin-1"):
            raise UsageError(f"{path}: changed while it was looked at; it was not written")
        replace_file(Path(path), after.encode("latin-1"))
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}") from None


@dataclass(slots=True)
class _Group:
    """What shares a configuration file: repositories with their trees, models alone, single files."""

    settings: Settings
    trees: dict[str, str] = field(default_factory=dict)
    alone: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def _group(groups: dict[str, _Group], path: str) -> _Group:
    settings = find_settings(path)
    return groups.setdefault(settings.source, _Group(settings))


def _run_all(targets: Targets, options: LintOptions, edited: Mapping[str, str]) -> Report:
    """Lint what shares a configuration file together. edited: texts that stand for those of some files."""
    groups: dict[str, _Group] = {}
    for repository, tree in targets.repositories.items():
        _group(groups, repository).trees[repository] = tree
    for folder in targets.alone:
        _group(groups, folder).alone.append(folder)
    for path in targets.files:
        _group(groups, os.path.dirname(path) or ".").files.append(path)
    whole = Report()
    with Progress() as progress:
        for group in groups.values():
            check_agreement(group.settings.triton, group.settings.image)
            settings = group.settings.under(options.typed)
            launch = launch_of(settings)
            rules = rules_of(settings)
            if options.timings is not None:
                rules = tuple(map(options.timings.timed, rules))
            run = Run(settings, launch, rules, date.today(), progress.tick, edited)
            parts = []
            if group.trees or group.alone:
                plan = asked_plan(make_plan(group.trees, settings, launch), launch)
                parts.append(lint_planned(plan, run, group.trees, group.alone))
            if group.files and settings.deployment:
                given = make_plan(["."], settings, launch).deployments
                run = replace(run, launch=given[0].launch) if len(given) == 1 else run
            parts += [lint_file(path, run) for path in group.files]
            for part in parts:
                whole.failed = whole.failed or _fails(part, settings.fail_on)
                whole.launch = part.launch
                whole.merge(part)
    return whole


def rules_of(settings: Settings) -> tuple[LoadedRule, ...]:
    rules = load_rules([rules_folder(), *settings.rules]) if settings.rules else own_rules()
    known = [loaded.rule for loaded in rules]
    patterns = [*settings.select, *settings.ignore]
    for one in settings.paths:
        patterns += [*one.select, *one.ignore]
    unknown = check_patterns([one for one in patterns if one.upper() != "ALL"], known)
    if unknown:
        raise UsageError(unknown)
    return rules


def launch_of(settings: Settings, machine: Machine | None = None) -> Launch:
    """How the server is started, from the settings; said where its release is newer than what is known here. machine:
    the one to ask with `host`, this one if it is None.

    LaunchError where something cannot be understood.
    """
    launch = launch_from(settings)
    if settings.host:
        from tritoncheck.deployment.probe import asked

        launch = asked(launch, machine)
    if launch.release is not None and launch.release > newest_release():
        newest = release_tag(newest_release())
        print(
            f"tritoncheck: {release_tag(launch.release)} is newer than the newest release known here ({newest}), "
            "whose rules are used",
            file=sys.stderr,
        )
    return launch


def _fails(report: Report, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    least = Severity[fail_on.upper()]
    return any(finding.severity >= least for finding in report.findings)


def _render(report: Report, options: LintOptions, seconds: float) -> str:
    if options.format == "json":
        from tritoncheck.report import json

        return json.render(report)
    from tritoncheck.report import text

    terminal = not options.output and sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return text.render(report, seconds, colour, width_of(terminal))


def width_of(terminal: bool) -> int:
    if not terminal and "COLUMNS" not in os.environ:
        return 80
    from shutil import get_terminal_size

    return min(120, get_terminal_size((80, 24)).columns)


def check_deployment(typed: Settings) -> None:
    """UsageError where a file is named and none is to be read."""
    if typed.deployment and typed.no_deployment:
        raise UsageError("--deployment and --no-deployment exclude each other")


def check_choice(value: str, choices: tuple[str, ...], option: str) -> None:
    if value not in choices:
        raise UsageError(f"{option} must be one of {', '.join(choices)}, not `{value}`")
