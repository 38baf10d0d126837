"""Which ways of starting the server a run has to look at: for each repository the launches that are for it.

Options come first; then the files given, or those found near the repository. Reads nothing where nothing is near.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.config import Settings
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.rule import Span

if TYPE_CHECKING:
    from tritoncheck.deployment.finding import Library
    from tritoncheck.deployment.machine import Machine
    from tritoncheck.outcome import Unchecked


class Deployment(NamedTuple):
    """One launch, and the repositories that it was found to be for."""

    launch: Launch
    repositories: tuple[str, ...]


def shown_flags(launch: Launch) -> list[str]:
    """The server's flags as a report shows them: without what may be a password."""
    shown = []
    for name, value in launch.flags:
        hidden = "restricted" in name or "password" in value
        shown.append(f"--{name}={'…' if hidden else value}" if value else f"--{name}")
    return shown


@dataclass(slots=True)
class Plan:
    """deployments: what is linted with what; every repository is in one at least. faults: those of the files near each
    repository. unread: templates in those files, which are not read. texts: of the files read, by path. questions: why
    files beside a repository are not taken."""

    deployments: list[Deployment] = field(default_factory=list)
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unread: tuple[Span, ...] = ()
    questions: tuple[Unchecked, ...] = ()


def make_plan(repositories: Iterable[str], settings: Settings, said: Launch) -> Plan:
    """The launches for some repositories. said: what the options say. LaunchError for a file given that starts none."""
    repositories = list(repositories)
    if settings.deployment:
        return _given(repositories, settings.deployment, said)
    if settings.no_deployment or _is_whole(settings.launch):
        return Plan([Deployment(said, tuple(repositories))])
    from tritoncheck.deployment.finding import Finder

    finder = Finder(tuple(repositories))
    nearby = {repository: finder.near(repository) for repository in repositories}
    if not any(nearby.values()):
        return Plan([Deployment(said, tuple(repositories))])
    from tritoncheck.deployment.belonging import launches_for
    from tritoncheck.deployment.finding import Library
    from tritoncheck.deployment_questions import questions, which

    plan, library = Plan(), Library()
    others = frozenset(map(os.path.realpath, repositories))
    open_ones: list[Unchecked] = []
    chosen: dict[str, list[Launch]] = {}
    for repository, paths in nearby.items():
        reading = library.read_all(paths)
        found = launches_for(repository, list(reading.launches))
        if not found:
            open_ones += questions(repository, reading.launches, others)
        elif len(found) > 1 and settings.launch.strip():  # whose command it replaces is not known
            open_ones.append(which(found))
            found = []
        chosen[repository] = found
        faults = _own_faults(repository, found, reading, library)
        if faults:
            plan.faults[repository] = faults
        plan.unread = tuple(dict.fromkeys((*plan.unread, *reading.unread)))
    plan.deployments = _grouped(chosen, said)
    plan.texts = library.files.texts
    plan.questions = tuple(dict.fromkeys(open_ones))
    return plan


def _own_faults(repository: str, found: list[Launch], reading: Reading, library: Library) -> tuple[Fault, ...]:
    """The faults of files that are taken, that lie right beside the repository, or that are the only ones: those of
    others are some other server's."""
    from tritoncheck.deployment.belonging import is_beside

    led = {path for one in found for path in (one.source, *library.read(one.source)[1])}
    sources = {one.source for one in reading.launches} | {one.span.path for one in reading.faults}
    return tuple(
        one
        for one in reading.faults
        if one.span.path in led or len(sources) == 1 or is_beside(one.span.path, repository, 1)
    )


def _is_whole(command: str) -> bool:
    """Whether a launch command says all of how the server is started, as `docker run` does: then no file does."""
    if not command.strip():
        return False
    from tritoncheck.deployment.command_line import parse_command

    return parse_command(command).container is not None


def asked_plan(plan: Plan, said: Launch, machine: Machine | None = None) -> Plan:
    """The plan with what the machine says, where the options have it asked: for the launches of files too."""
    if said.host is None:
        return plan
    from tritoncheck.deployment.probe import asked

    plan.deployments = [
        one if one.launch is said else Deployment(asked(one.launch._replace(host=said.host), machine), one.repositories)
        for one in plan.deployments
    ]
    return plan


def _given(repositories: list[str], paths: tuple[str, ...], said: Launch) -> Plan:
    """The launches of files that the user names: for every repository that their mounts do not lead away from."""
    from tritoncheck.deployment.belonging import Fit, fit
    from tritoncheck.deployment.finding import Library

    library = Library()
    for path in paths:
        if not library.files.exists(path):
            raise LaunchError(f"{path}: {'not a regular file' if os.path.exists(path) else 'no such file'}")
    reading = library.read_all(paths)
    if not reading.launches and not reading.faults and not reading.unread:
        raise LaunchError(f"{', '.join(paths)}: nothing in it starts a Triton server")
    chosen = {}
    for repository in repositories:
        fits = [(fit(one, repository), one) for one in reading.launches]
        best = max((how for how, _ in fits), default=Fit.OPEN)
        least = best if best in (Fit.SURE, Fit.NO) else Fit.OPEN
        chosen[repository] = [one for how, one in fits if how >= least]
    faults = dict.fromkeys(repositories, reading.faults) if reading.faults else {}
    return Plan(_grouped(chosen, said), faults, library.files.texts, reading.unread)


def _grouped(chosen: dict[str, list[Launch]], said: Launch) -> list[Deployment]:
    """The launches with options on top, each with its repositories; those without one have what the options say."""
    from tritoncheck.deployment.overlay import overlay

    by_launch: dict[int, tuple[Launch, list[str]]] = {}
    rest: list[str] = []
    for repository, launches in chosen.items():
        for one in launches:
            by_launch.setdefault(id(one), (one, []))[1].append(repository)
        if not launches:
            rest.append(repository)
    found = [Deployment(overlay(launch, said), tuple(names)) for launch, names in by_launch.values()]
    return found + ([Deployment(said, tuple(rest))] if rest else [])
