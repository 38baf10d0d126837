"""The commands that answer and judge nothing: pages and list of rules, releases, effective configurations."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import date

from tritoncheck.command import (
    FINDINGS,
    FORMATS,
    NOTHING,
    OK,
    USAGE,
    LintOptions,
    check_choice,
    launch_of,
    rules_of,
    width_of,
)
from tritoncheck.config import ConfigError, find_settings
from tritoncheck.deployments import asked_plan, make_plan
from tritoncheck.lint import read_models
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.output import UsageError, write
from tritoncheck.progress import Progress
from tritoncheck.registry import RuleError, check_patterns, own_rules
from tritoncheck.report.paths import printable, shown_path
from tritoncheck.repository import read_alone, read_repository
from tritoncheck.rule import release_tag
from tritoncheck.targets import TargetError, Targets, resolve


def effective_text(targets: Targets, options: LintOptions) -> str:
    """The configurations of the models below the paths asked for, as the server will have them."""
    from tritoncheck.effective import effective
    from tritoncheck.report.effective import render

    return "\n".join(
        render(effective(model), shown_path(model.config_path or model.folder.path))
        for model in _models(targets, options)
        if _is_asked(model.folder.path, options.paths)
    )


def _is_asked(folder: str, paths: list[str]) -> bool:
    """Whether a model's folder is one of these paths, lies below one, or holds one; a link counts at both its ends."""
    ends = {os.path.realpath(folder), os.path.join(os.path.realpath(os.path.dirname(folder)), os.path.basename(folder))}
    return any(_lies_in(end, os.path.realpath(path)) for end in ends for path in paths)


def _lies_in(folder: str, asked: str) -> bool:
    return f"{folder}/".startswith(f"{asked}/") or asked.startswith(f"{folder}/")


def _models(targets: Targets, options: LintOptions) -> Iterator[Model]:
    trees = {**targets.repositories, **dict.fromkeys(targets.alone, "")}
    for path, tree in trees.items():
        settings = find_settings(path).under(options.typed)
        launch = launch_of(settings)
        if tree:
            plan = asked_plan(make_plan({path: tree}, settings, launch), launch)
            launch = next((one.launch for one in plan.deployments if path in one.repositories), launch)
        repository = Repository(read_repository(path, tree) if tree else read_alone(path), launch, settings.deployed)
        for folder in repository.folder.models:
            yield from (model for model in read_models(repository, folder) if not model.variant)


def show_releases(paths: list[str], format: str, output: str) -> int:
    """Say for each model which releases accept it; the exit code: 1 if some model is accepted by none."""
    from tritoncheck.releases import acceptance
    from tritoncheck.report.releases import render_json, render_text

    try:
        check_choice(format, FORMATS, "--format")
        targets = resolve(paths)
        trees = {**targets.repositories, **dict.fromkeys(targets.alone, "")}
        if not trees:
            print(
                f"tritoncheck: nothing to check: no model repository in {printable(', '.join(paths))}", file=sys.stderr
            )
            return NOTHING
        found = {}
        with Progress() as progress:
            for repository, tree in trees.items():
                settings = find_settings(repository)
                rules = rules_of(settings)
                models = acceptance(repository, tree, settings, rules, date.today(), progress.tick)
                found[repository] = [one for one in models if not tree or _is_asked(f"{repository}/{one.model}", paths)]
        write(render_json(found) if format == "json" else render_text(found, width_of(not output)), output)
    except (UsageError, ConfigError, TargetError, RuleError) as error:
        print(f"tritoncheck: {printable(str(error))}", file=sys.stderr)
        return USAGE
    accepted = all(any(one.accepted for one in model.stretches) for models in found.values() for model in models)
    return OK if accepted else FINDINGS


def explain_rule(code: str) -> int:
    """Print a rule's page; the exit code."""
    for loaded in own_rules():
        if code.upper() == loaded.rule.code or code.lower() == loaded.rule.name:
            return _show(loaded.page.strip() + "\n")
    problem = check_patterns([code], [loaded.rule for loaded in own_rules()])
    print(f"tritoncheck: {problem or f'`{code}` means several rules; give a whole code'}", file=sys.stderr)
    return USAGE


def list_rules(format: str) -> int:
    """Print all rules; the exit code."""
    if format not in FORMATS:
        print(f"tritoncheck: --format must be one of {', '.join(FORMATS)}, not `{format}`", file=sys.stderr)
        return USAGE
    found = [loaded.rule for loaded in own_rules()]
    if format == "json":
        import json

        rows = [
            {
                "code": rule.code,
                "name": rule.name,
                "title": rule.title,
                "severity": rule.severity.name.lower(),
                "confidence": rule.confidence.name.lower(),
                "refused": rule.refused,
                "needs": list(rule.needs),
                "since": release_tag(rule.since) if rule.since else None,
                "until": release_tag(rule.until) if rule.until else None,
                "evidence": list(rule.evidence),
            }
            for rule in found
        ]
        return _show(json.dumps({"version": 1, "rules": rows}, indent=2, ensure_ascii=False) + "\n")
    lines = [f"{rule.code}  {rule.severity.name.lower():7}  {rule.name:28}  {rule.title}\n" for rule in found]
    return _show("".join(lines))


def _show(text: str) -> int:
    """Print a text whole; the exit code."""
    try:
        write(text)
    except UsageError as error:
        print(f"tritoncheck: {error}", file=sys.stderr)
        return USAGE
    return OK
