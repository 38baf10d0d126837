"""Runs the rules over repositories: read, check, sort.

Knows nothing of terminals, formats or exit codes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from tritoncheck.checking import Checker, Steps
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.outcome import Report, finding_order
from tritoncheck.repository import ModelFolder, read_alone, read_repository
from tritoncheck.run import Run
from tritoncheck.unchecked import unchecked


def lint(paths: Iterable[str], run: Run, trees: Mapping[str, str] | None = None, alone: Iterable[str] = ()) -> Report:
    """Lint repositories, given by their folders, and models without neighbours, given by theirs.

    trees: for each repository the folder that links must not leave.
    """
    report = Report(launch=run.launch)
    folders = [read_repository(path, (trees or {}).get(path, path)) for path in paths]
    folders += [read_alone(path) for path in alone]
    repositories = [Repository(folder, run.launch, run.settings.deployed, run.edited) for folder in folders]
    for one in repositories:
        one.faults = run.faults.get(one.path, ())
        one.siblings = [other for other in repositories if other is not one]
    steps = Steps(run.tick, 2 * sum(len(folder.models) for folder in folders))
    for one in repositories:
        for folder in one.folder.models:
            one.models += read_models(one, folder)
            steps.step()
    state = Checker(run, report, run.on, steps)
    for one in repositories:
        state.repository(one)
    report.findings.sort(key=finding_order)
    report.hidden = state.hidden
    report.unchecked = unchecked(run.launch, run.settings.deployed, repositories, state.hidden)
    return report


def lint_file(path: str, run: Run) -> Report:
    """Lint one configuration file that lies in no repository."""
    stem = os.path.basename(path).removesuffix(".pbtxt")
    folder = read_repository(os.path.dirname(path) or ".")
    folder.models, folder.entries, folder.alone = (), (), True
    repository = Repository(folder, run.launch, run.settings.deployed, run.edited)
    lone = ModelFolder(stem, os.path.dirname(path) or ".", (), ())
    repository.models = [Model(repository, lone, path, variant=stem)]
    report = Report(launch=run.launch)
    on = [one for one in run.on if one.rule.scope != "repository" and "files" not in one.rule.needs]
    state = Checker(run, report, on, Steps(run.tick, 1))
    state.repository(repository)
    report.findings.sort(key=finding_order)
    report.unchecked = unchecked(run.launch, run.settings.deployed, [repository], state.hidden)
    return report


def read_models(repository: Repository, folder: ModelFolder) -> list[Model]:
    """The models of a folder: one by its `config.pbtxt` or its versions, and one per variant in `configs/`.

    A folder with neither is no model; Triton tries to load it all the same, which is for a rule to say.
    """
    models = []
    if folder.entry("config.pbtxt") is not None or folder.error:
        models.append(Model(repository, folder, f"{folder.path}/config.pbtxt"))
    elif any(version.number is not None and version.entries for version in folder.folders):
        models.append(Model(repository, folder, ""))
    for inner in folder.folders:
        if inner.name != "configs":
            continue
        for entry in inner.entries:
            if entry.name.endswith(".pbtxt"):
                stem = entry.name.removesuffix(".pbtxt")
                models.append(Model(repository, folder, f"{folder.path}/configs/{entry.name}", stem))
    return models
