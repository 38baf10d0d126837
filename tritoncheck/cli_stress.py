"""The part of the command line that is about servers that run: `stress` and `explain-log`.

A lint does without it: what is here costs time to load.
"""

from typing import Annotated

import typer

from tritoncheck.cli import app, split


@app.command(name="explain-log")
def explain_log(
    log: Annotated[str, typer.Argument(metavar="FILE", help="The log of a Triton server; - reads it from stdin.")],
    repo: Annotated[str, typer.Option(help="The model repository, to name the fields behind the failures.")] = "",
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """Read a server's log and say per model what became of it, why, and who caused it."""
    from tritoncheck.stress import command

    raise typer.Exit(command.explain_log(log, repo, format))


@app.command("stress")
def stress(
    repository: Annotated[str, typer.Argument(help="The model repository.")] = ".",
    restarts: Annotated[int | None, typer.Option(help="Starts of the server, 50 unless something else says.")] = None,
    image: Annotated[str, typer.Option(help="Image of the server, by tag or digest.")] = "",
    host: Annotated[str, typer.Option(help="auto, docker, process or embedded: where the server runs.")] = "auto",
    server: Annotated[str, typer.Option(help="A tritonserver program of this machine.")] = "",
    restart_mode: Annotated[str, typer.Option(help="fresh: a new container each time; restart: one.")] = "fresh",
    flag: Annotated[
        list[str] | None, typer.Option("--flag", help="A further flag of tritonserver: --flag=--log-verbose=1.")
    ] = None,
    as_deployed: Annotated[
        bool, typer.Option("--as-deployed", help="Only these flags, without those that let every model be tried.")
    ] = False,
    gpus: Annotated[str, typer.Option(help="all, none, or ids: 0,1.")] = "",
    shm_size: Annotated[str, typer.Option(help="Shared memory of the container, such as 256m.")] = "",
    env: Annotated[list[str] | None, typer.Option("--env", "-e", help="NAME=VALUE for the server.")] = None,
    cpus: Annotated[float | None, typer.Option(help="CPUs of the container.")] = None,
    memory: Annotated[str, typer.Option(help="Memory of the container, such as 8g.")] = "",
    startup_timeout: Annotated[str, typer.Option(help="How long one start may take.")] = "120s",
    expect: Annotated[list[str] | None, typer.Option(help="Models that must come up; all unless said.")] = None,
    claim: Annotated[str, typer.Option(help='A rate of failure to rule out, such as "<1%".')] = "",
    until: Annotated[
        str,
        typer.Option(
            help="decided: stop as soon as the counts answer (confidence sequence); sprt: as soon as they tell the "
            "claimed rate from that of --against (sequential test)."
        ),
    ] = "",
    against: Annotated[str, typer.Option(help="With --until sprt: the rate that would be too bad, such as 5%.")] = "",
    budget: Annotated[str, typer.Option("--for", help="Time for the whole run, such as 30m.")] = "",
    output: Annotated[str, typer.Option("--output", "-o", help="Folder for the journal and the logs.")] = "",
    resume: Annotated[str, typer.Option(help="Go on with the run in this folder.")] = "",
    report: Annotated[str, typer.Option(help="Report the run in this folder again.")] = "",
    format: Annotated[str, typer.Option("--format", help="text, json, junit or markdown.")] = "text",
    html: Annotated[str, typer.Option(help="Write a page to this file too.")] = "",
    keep_logs: Annotated[bool, typer.Option("--keep-logs", help="Keep the log of every start.")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Play a made-up run, without any server.")] = False,
) -> None:
    """Start the server many times and say how often which model fails, why, and how sure that is."""
    from tritoncheck.stress.plan import Wish
    from tritoncheck.stress.run import StressOptions, run_stress

    wish = Wish(
        repository=repository,
        restarts=restarts,
        claim=claim,
        until=until,
        against=against,
        budget=budget,
        image=image,
        server=server,
        restart_mode=restart_mode,
        flags=tuple(flag or ()),
        as_deployed=as_deployed,
        gpus=gpus,
        shm_size=shm_size,
        cpus=cpus,
        memory=memory,
        environment=tuple(env or ()),
        startup_timeout=startup_timeout,
        expected=split(expect),
    )
    options = StressOptions(
        wish=wish,
        host=host,
        output=output,
        resume=resume,
        report=report,
        format=format,
        html=html,
        keep_logs=keep_logs,
        demo=demo,
    )
    raise typer.Exit(run_stress(options))
