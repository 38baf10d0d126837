"""The command `doctor`: what is known of how the server is started, and what is missing, before anything is linted."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from datetime import date

from tritoncheck.command import FINDINGS, FORMATS, OK, USAGE, check_choice, check_deployment, launch_of
from tritoncheck.config import ConfigError, Settings, find_settings
from tritoncheck.deployment.finding import near
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.machine import Machine, ThisMachine
from tritoncheck.deployment.options import check_agreement
from tritoncheck.deployment.probe import probe
from tritoncheck.deployments import Deployment, Plan, asked_plan, make_plan
from tritoncheck.diagnosis import Diagnosis, Started, host_rows, started, tables_on
from tritoncheck.output import UsageError, write
from tritoncheck.report.diagnosis import render_json, render_text
from tritoncheck.report.paths import printable, shown_path
from tritoncheck.rule import Span
from tritoncheck.targets import TargetError, resolve

# Which options may have given a value, by its key; the first that is set has.
_OPTIONS = {
    "image": ("image", "launch"),
    "release": ("triton",),
    "command": ("launch",),
    "environment": ("launch",),
    "driver": ("driver",),
    "gpu": ("gpu", "compute_capability"),
    "gpus": ("launch",),
    "shm_size": ("shm_size", "launch"),
}


def run_doctor(
    path: str, typed: Settings, format: str, machine: Machine | None = None, today: date | None = None
) -> int:
    """Look at everything and report; the exit code: 2 for wrong usage, 1 where a server is known not to run, else 0.
    typed: the options of the command."""
    try:
        check_choice(format, FORMATS, "--format")
        check_agreement(typed.triton, typed.image)
        check_deployment(typed)
        diagnosis = examine(path, typed, machine or ThisMachine(), today or date.today())
        write(render_json(diagnosis) if format == "json" else render_text(diagnosis))
    except (UsageError, ConfigError, LaunchError, TargetError) as error:
        print(f"tritoncheck: {printable(str(error))}", file=sys.stderr)
        return USAGE
    return FINDINGS if any(one.fails for one in diagnosis.started) else OK


def examine(path: str, typed: Settings, machine: Machine, today: date) -> Diagnosis:
    """What is known of the servers for a path."""
    repositories = list(resolve([path]).repositories)
    settings = find_settings(repositories[0] if repositories else path).under(typed)
    said = launch_of(settings, machine)
    plan = asked_plan(_plan(repositories, path, settings, said), said, machine)
    found = [_started(one.launch, one.repositories, typed, settings) for one in plan.deployments]
    notes = [
        f"{shown_path(fault.span.path)}:{fault.span.line}: {fault.message}"
        for faults in plan.faults.values()
        for fault in faults
    ]
    here = probe(machine)
    return Diagnosis(
        tuple(found),
        tuple(host_rows(here, None, lambda key: "")),
        tables_on(today),
        tuple(dict.fromkeys((*notes, *(one.enable or one.why for one in plan.questions)))),
    )


def _plan(repositories: list[str], path: str, settings: Settings, said: Launch) -> Plan:
    """The ways of starting the server; where there is no repository, all those of the files near the path."""
    if repositories or settings.deployment or settings.no_deployment or settings.launch.strip():
        return make_plan(repositories or [path], settings, said)
    files = near(os.path.normpath(path))
    if files:
        with contextlib.suppress(LaunchError):  # none of them starts a server
            return make_plan([path], settings._replace(deployment=files), said)
    return Plan([Deployment(said, ())])


def _started(launch: Launch, repositories: tuple[str, ...], typed: Settings, settings: Settings) -> Started:
    if launch.source:
        service = f"`{launch.service}` in " if launch.service else ""
        title = f"How {service}{shown_path(launch.source)} starts the server"
    else:
        title = "How the server is started"
    return started(launch, repositories, title, _source(launch, typed, settings))


def _source(launch: Launch, typed: Settings, settings: Settings) -> Callable[[str], str]:
    """Where a value of a launch comes from: a file and line, an option, or the configuration file."""

    def source(key: str) -> str:
        span = launch.origin(key)
        if span is None:
            for name in _OPTIONS.get(key.partition(":")[0], ()):
                if getattr(typed, name):
                    return f"--{name.replace('_', '-')}"
                if getattr(settings, name):
                    return shown_path(settings.source)
            span = launch.place(key)
        return _shown(span) if span else ""

    return source


def _shown(span: Span) -> str:
    return f"{shown_path(span.path)}:{span.line}"
