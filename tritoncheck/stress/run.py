"""What `tritoncheck stress` does, between the command line and the parts: plan, host, run, report, exit code."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from tritoncheck.stress.host import Host, HostError, MissingExtra
from tritoncheck.stress.journal import NAME, Journal, JournalError, default_folder, read_plan
from tritoncheck.stress.listener import Listener, Silent
from tritoncheck.stress.plan import PlanError, Wish, changed, fingerprint, make_plan
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
            _check_page(options.html)
        if options.report and options.resume:
            raise PlanError("--report reports a run, --resume goes on with one: give one of the two")
        if options.report:
            return _report(_folder(options.report), options)
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
    folder = _folder(options.resume) if options.resume else Path(options.output or default_folder(plan))
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
            except OSError as error:
                if not journal.attempts:
                    raise
                fault = f"{error.filename or folder}: {error.strerror or error}"
        except BaseException:
            journal.discard_if_empty()
            raise
        attempts = journal.attempts
        journal.discard_if_empty()
    code = _report(folder, options) if attempts else INCONCLUSIVE
    if fault:
        kept = f"; gave up after {attempts} attempts, which are kept: --resume {folder}" if attempts else ""
        _say(fault + kept)
        return ENVIRONMENT
    if not attempts:
        _say("no attempt was finished")
    return code


def _check_page(path: str) -> None:
    """Whether a page can be written there: better before a long run than after it."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise PlanError(f"--html {path}: a folder, not a file")
    if not os.path.isdir(folder):
        raise PlanError(f"--html {path}: there is no folder {folder}")


def _folder(named: str) -> Path:
    """The folder of a run, also where its journal is named."""
    path = Path(named)
    return path.parent if path.name == NAME and path.is_file() else path


def _plan(options: StressOptions) -> Plan:
    if options.demo and not options.resume:
        from tritoncheck.stress.mock_host import DEMO_MODELS

        wish = replace(options.wish, expected=DEMO_MODELS, repository="demo", restarts=options.wish.restarts or 20)
        return make_plan(wish, "mock")
    if options.resume:
        plan = read_plan(_folder(options.resume))
        if other := changed(plan, options.wish, options.host):
            raise PlanError(f"{options.resume}: that run was begun with another {other}; leave it out to go on")
        environment = again(plan.environment, options.wish.environment, os.environ)
        contents = fingerprint(plan.repository) if plan.host != "mock" else plan.contents
        return replace(plan, contents=contents, environment=environment)
    host = options.host
    if host not in HOSTS:
        raise PlanError(f"--host must be one of {', '.join(HOSTS)}, not `{host}`")
    if host == "auto":
        plan = make_plan(options.wish, "docker")  # wrong usage is said before a missing server
        return replace(plan, host=_choose(options.wish))
    return make_plan(options.wish, host)


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
    width = shutil.get_terminal_size().columns if terminal else 100
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
    with contextlib.suppress(OSError):  # nobody reads it
        print(f"tritoncheck: {plain}", file=sys.stderr)
