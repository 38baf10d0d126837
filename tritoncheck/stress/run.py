"""What `tritoncheck stress` does, between the command line and the parts: plan, host, run, report, exit code."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from tritoncheck.stress.host import Host, HostError, MissingExtra
from tritoncheck.stress.journal import Journal, JournalError, default_folder, read_plan
from tritoncheck.stress.listener import Listener, Silent
from tritoncheck.stress.plan import PlanError, Wish, fingerprint, make_plan
from tritoncheck.stress.records import Plan
from tritoncheck.stress.variables import again

WITHIN, ABOVE, USAGE, INCONCLUSIVE, ENVIRONMENT = 0, 1, 2, 3, 4
HOSTS = ("auto", "docker", "process", "embedded")
FORMATS = ("text", "json", "junit", "markdown")


@dataclass(frozen=True, slots=True)
class StressOptions:
    """What the command line says. host: one of `HOSTS`. report: a run to report again, "" to run."""

    wish: Wish = field(default_factory=Wish)
    host: str = "auto"
    output: str = ""
    resume: str = ""
    report: str = ""
    format: str = "text"
    html: str = ""
    keep_logs: bool = False
    demo: bool = False
    quiet: bool = False


def run_stress(options: StressOptions) -> int:
    """Run and report; the exit code."""
    try:
        if options.format not in FORMATS:
            raise PlanError(f"--format must be one of {', '.join(FORMATS)}, not `{options.format}`")
        if options.html:
            from tritoncheck.stress import report

            report.require("html")
        if options.report:
            return _report(Path(options.report), options)
        return _run(options)
    except (PlanError, JournalError, HostError, ValueError) as error:
        _say(str(error))
        return USAGE
    except OSError as error:
        _say(f"{error.filename or 'the journal'}: {error.strerror or error}")
        return ENVIRONMENT


def _run(options: StressOptions) -> int:
    from tritoncheck.stress.engine import Engine, GaveUp, Stop

    plan = _plan(options)
    folder = Path(options.resume or options.output or default_folder(plan))
    with Journal(folder, plan, resume=bool(options.resume), keep_all=options.keep_logs) as journal:
        try:
            host = make_host(plan, journal.work, options.demo)
            listener = _listener(options)
            stop = Stop()
            fault = ""
            try:
                Engine(plan, host, journal, listener, stop).run()
            except GaveUp as error:
                fault = str(error)
        except BaseException:
            journal.discard_if_empty()
            raise
        attempts = journal.attempts
        if fault and not attempts:
            journal.discard_if_empty()
    code = _report(folder, options) if attempts else INCONCLUSIVE
    if fault:
        kept = f"; gave up after {attempts} attempts, which are kept: --resume {folder}" if attempts else ""
        _say(fault + kept)
        return ENVIRONMENT
    if not attempts:
        _say("no attempt was finished")
    return code


def _plan(options: StressOptions) -> Plan:
    if options.demo:
        from tritoncheck.stress.mock_host import DEMO_MODELS

        wish = replace(options.wish, expected=DEMO_MODELS, repository="demo", restarts=options.wish.restarts or 20)
        return make_plan(wish, "mock")
    if options.resume and _is_bare(options.wish):
        plan = read_plan(Path(options.resume))
        environment = again(plan.environment, options.wish.environment, os.environ)
        contents = fingerprint(plan.repository) if plan.host != "mock" else plan.contents
        return replace(plan, contents=contents, environment=environment)
    host = options.host
    if host not in HOSTS:
        raise PlanError(f"--host must be one of {', '.join(HOSTS)}, not `{host}`")
    if host == "auto":
        make_plan(options.wish, "docker")  # wrong usage is said before a missing server
        host = _choose(options.wish)
    return make_plan(options.wish, host)


def _is_bare(wish: Wish) -> bool:
    """Whether nothing is asked for but what a journal does not keep."""
    return replace(wish, environment=()) == Wish()


def _choose(wish: Wish) -> str:
    """Where the server runs if the user does not say: what the other options imply, else what is there."""
    from tritoncheck.stress.embedded import INSTALL, is_installed
    from tritoncheck.stress.process_host import find_binary

    if wish.image:
        return "docker"
    if wish.server:
        return "process"
    if find_binary() is not None:
        _say("no --image: using the tritonserver of this machine")
        return "process"
    if is_installed():
        _say("no --image: using the embedded server of nvidia-pytriton, which serves Python models only")
        return "embedded"
    raise MissingExtra(f"name the server's image with --image, or install a server: {INSTALL}")


def make_host(plan: Plan, work: Path, demo: bool = False) -> Host:
    """The host of a plan. work: a folder for its files."""
    if plan.host == "mock":
        from tritoncheck.stress import mock_host

        return mock_host.MockHost(mock_host.demo(plan.seed), pace=0.5 if demo else 0.0)
    if plan.host == "docker":
        from tritoncheck.stress.docker_host import DockerHost

        return DockerHost(plan)
    from tritoncheck.stress.process_host import ProcessHost, find_binary

    if plan.host == "embedded":
        from tritoncheck.stress.embedded import embedded_binary

        return ProcessHost(plan, embedded_binary(work))
    binary = find_binary(plan.server)
    if binary is None:
        raise HostError("no `tritonserver` in the PATH; name one with --server")
    return ProcessHost(plan, binary)


def _listener(options: StressOptions) -> Listener:
    if options.quiet:
        return Silent()
    from tritoncheck.stress.live import LiveView

    return LiveView()


def _report(folder: Path, options: StressOptions) -> int:
    """Report a run from its journal; the exit code that its counts deserve."""
    from tritoncheck.stress import report

    summary = report.summarise(folder)
    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = max(60, shutil.get_terminal_size().columns) if terminal else 100
    _print(report.render(summary, options.format, colour, width).rstrip("\n"))
    if options.html:
        Path(options.html).write_text(report.render(summary, "html"), encoding="utf-8")
    return summary.exit_code


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader has seen enough; the exit code stands
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    plain = "".join(one if one.isprintable() or one == "\n" else "?" for one in text)
    print(f"tritoncheck: {plain}", file=sys.stderr)
