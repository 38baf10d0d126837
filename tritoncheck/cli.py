"""The command line: parse, call, map to an exit code; nothing else.

Exit codes of `lint`: 0 nothing at or above `--fail-on`, 1 findings, 2 wrong usage or configuration, 3 nothing to
check, 4 an error of this program.

Annotations are real ones here: Typer would have to evaluate each from its text.
"""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tritoncheck import __version__

if TYPE_CHECKING:
    from tritoncheck.timings import Timings

app = typer.Typer(
    name="tritoncheck",
    help="Checks model repositories of Triton Inference Server before they are deployed.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

OK, FINDINGS, USAGE, NOTHING, INTERNAL = 0, 1, 2, 3, 4


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tritoncheck {__version__}")
        raise typer.Exit(OK)


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Checks model repositories of Triton Inference Server before they are deployed."""


def split(values: list[str] | None) -> tuple[str, ...]:
    """The parts of options that may be repeated and may hold several, with commas between."""
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())


def _not_empty(context: typer.Context, option: typer.CallbackParam, value: str) -> str:
    """Refuse an option whose value is empty, as that of a variable that nobody set."""
    source = context.get_parameter_source(option.name or "")
    if source is not None and source.name == "COMMANDLINE" and not value.strip():
        raise typer.BadParameter("is empty; leave the option out, or give it a value")
    return value


# What both `lint` and `doctor` ask about the server.
Triton = Annotated[str, typer.Option(callback=_not_empty, help="Triton release, such as 24.01 or 2.42.0.")]
Image = Annotated[str, typer.Option(callback=_not_empty, help="Image of the server; its tag names the release.")]
Command = Annotated[
    str,
    typer.Option(
        "--launch", callback=_not_empty, help='The server\'s command line: "tritonserver --model-repository=…".'
    ),
]
Driver = Annotated[
    str, typer.Option(callback=_not_empty, help="NVIDIA driver of the server's host, such as 580.173.02.")
]
GpuName = Annotated[
    str, typer.Option("--gpu", callback=_not_empty, help='GPU of the host, as nvidia-smi names it: "NVIDIA L4".')
]
Capability = Annotated[
    str, typer.Option("--compute-capability", callback=_not_empty, help="Compute capability of the GPU, such as 8.6.")
]
ShmSize = Annotated[
    str, typer.Option("--shm-size", callback=_not_empty, help="Size of the container's /dev/shm, such as 1g.")
]
Here = Annotated[bool, typer.Option("--host", help="The server runs on this machine: ask it.")]
Files = Annotated[
    list[str] | None,
    typer.Option("--deployment", metavar="FILE", help="A file that starts the server, such as compose.yaml."),
]
NoFiles = Annotated[bool, typer.Option("--no-deployment", help="Look for no such file near the repository.")]


@app.command("lint")
def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="Repositories, model folders, config.pbtxt files, or trees."),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    output: Annotated[str, typer.Option("--output", "-o", help="Write the report to this file.")] = "",
    select: Annotated[list[str] | None, typer.Option(help="Only these rules: codes, their beginnings, names.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these rules.")] = None,
    fail_on: Annotated[str, typer.Option(help="error, warning, info or never: what makes the exit code 1.")] = "",
    triton: Triton = "",
    image: Image = "",
    launch: Command = "",
    driver: Driver = "",
    gpu: GpuName = "",
    compute_capability: Capability = "",
    shm_size: ShmSize = "",
    host: Here = False,
    deployment: Files = None,
    no_deployment: NoFiles = False,
    deployed: Annotated[
        bool, typer.Option("--deployed", help="This is what a server reads: missing files are errors.")
    ] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Apply the fixes that cannot change what works.")] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help="With --fix or --diff: all fixes.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, and change nothing.")] = False,
    show_effective: Annotated[
        bool, typer.Option("--show-effective", help="Print the configurations as the server will have them.")
    ] = False,
    timings: Annotated[bool, typer.Option("--timings", help="Say how long each rule took, on stderr.")] = False,
) -> None:
    """Check model repositories and say what Triton will refuse, ignore, or load by luck."""
    from tritoncheck.command import LintOptions, run_lint
    from tritoncheck.config import Settings

    typed = Settings(
        select=split(select),
        ignore=split(ignore),
        fail_on=fail_on,
        triton=triton,
        image=image,
        launch=launch,
        driver=driver,
        gpu=gpu,
        compute_capability=compute_capability,
        shm_size=shm_size,
        host=host,
        no_deployment=no_deployment,
        deployment=tuple(deployment or ()),
        deployed=deployed,
    )
    options = LintOptions(
        paths or ["."],
        typed,
        format=format,
        output=output,
        fix=fix,
        unsafe=unsafe,
        diff=diff,
        timings=_timings() if timings else None,
        show_effective=show_effective,
    )
    raise typer.Exit(run_lint(options))


@app.command("doctor")
def doctor(
    path: Annotated[str, typer.Argument(help="A repository, or anything that lint takes.")] = ".",
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    triton: Triton = "",
    image: Image = "",
    launch: Command = "",
    driver: Driver = "",
    gpu: GpuName = "",
    compute_capability: Capability = "",
    shm_size: ShmSize = "",
    host: Here = False,
    deployment: Files = None,
    no_deployment: NoFiles = False,
) -> None:
    """Show what is known of how the server is started, from where, and what is missing; exit code 1 where it is known
    that the image does not run on that machine."""
    from tritoncheck.config import Settings
    from tritoncheck.doctor import run_doctor

    typed = Settings(
        fail_on="",
        triton=triton,
        image=image,
        launch=launch,
        driver=driver,
        gpu=gpu,
        compute_capability=compute_capability,
        shm_size=shm_size,
        host=host,
        no_deployment=no_deployment,
        deployment=tuple(deployment or ()),
    )
    raise typer.Exit(run_doctor(path, typed, format))


@app.command("explain")
def explain(
    code: Annotated[str, typer.Argument(help="A rule's code or name, such as TCG001 or graph-load-race.")],
) -> None:
    """Show the page of a rule: what it finds, why it matters, what Triton says, the evidence."""
    from tritoncheck.answers import explain_rule

    raise typer.Exit(explain_rule(code))


@app.command("releases")
def releases(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Repositories or models.")] = None,
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    output: Annotated[str, typer.Option("--output", "-o", help="Write the report to this file.")] = "",
) -> None:
    """Say for each model which Triton releases accept it, and what sets the limits."""
    from tritoncheck.answers import show_releases

    raise typer.Exit(show_releases(paths or ["."], format, output))


@app.command("rules")
def rules(
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """List all rules."""
    from tritoncheck.answers import list_rules

    raise typer.Exit(list_rules(format))


def _timings() -> "Timings":
    from tritoncheck.timings import Timings

    return Timings()


def main() -> None:
    """Run the command line; an error of this program ends with one line and exit code 4."""
    _load_commands(sys.argv[1] if len(sys.argv) > 1 else "")
    try:
        app()
    except Exception as error:  # the last resort: a user never sees a traceback unless he asks for it
        if _wants_traceback():
            raise
        typer.echo(
            f"tritoncheck: internal error: {type(error).__name__}: {error}\n"
            "This is a bug. Run again with TRITONCHECK_TRACEBACK=1 and report what it prints.",
            err=True,
        )
        sys.exit(INTERNAL)


def _load_commands(name: str) -> None:
    """Leave out the other commands where one of these is called, else add the rest: Typer builds all options first."""
    called = [one for one in app.registered_commands if one.name == name]
    if called:
        app.registered_commands = called
    else:
        from tritoncheck import cli_stress  # noqa: F401  it adds its commands to `app`


def _wants_traceback() -> bool:
    import os

    return bool(os.environ.get("TRITONCHECK_TRACEBACK"))
