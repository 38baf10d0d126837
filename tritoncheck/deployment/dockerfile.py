"""How the images that a Dockerfile builds start a Triton server.

Reads the command of every stage that is not only the base of another. Ports, GPUs and memory are decided when the image
is run and are not known here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from tritoncheck.deployment.carried import started_by_script
from tritoncheck.deployment.command_line import find_servers, parse_words
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.instructions import Instruction
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.deployment.server_flags import CommandLine, is_server
from tritoncheck.deployment.serving import release_in, serves
from tritoncheck.deployment.stage import Stage
from tritoncheck.deployment.stages import read_stages
from tritoncheck.deployment.started import Place, started
from tritoncheck.rule import Span

MOST_CHARACTERS = 256 * 1024


def read_dockerfile(
    text: str, path: str, target: str = "", arguments: Mapping[str, str] | None = None, files: Files | None = None
) -> Reading:
    """The servers that the images of a Dockerfile start. target: the stage that is built, all that are no mere base if
    "". arguments: given by `--build-arg`. files: reads the scripts that are copied into the image."""
    if len(text) > MOST_CHARACTERS:
        return Reading((), (Fault(f"{len(text)} characters, too large for a Dockerfile", Span(path)),))
    lines = Lines(text, path)
    stages = read_stages(lines, arguments or {})
    wanted = [one for one in stages if one.name == target] if target else [one for one in stages if not one.is_base]
    found = [launch for stage in wanted if (launch := _launch(stage, lines, files)) is not None]
    return Reading(tuple(found), tuple(fault for stage in wanted for fault in _faults(stage, lines)))


def _launch(stage: Stage, lines: Lines, files: Files | None) -> Launch | None:
    """The launch of a stage; None where it starts no Triton server, as far as can be told."""
    image = stage.image.text
    command, place = _server(stage, lines)
    of_triton = serves(image)
    if command is None and not of_triton:
        return None
    doubts = [] if stage.image.known else [Doubt("image", f"`{image}` has no value in this file", stage.place)]
    base = Launch(
        release=(release_in(image) if of_triton else None) or release_in(stage.copied),
        image=image,
        environment=tuple((name, value) for name, (value, known, _) in stage.environment.items() if known),
        probes=(stage.probe[0],) if stage.probe else (),
        mounts=tuple(mount for mount, _ in stage.mounts.values()),
        built=True,
        packages=tuple((name, version) for name, (version, _) in stage.packages.items()),
        backends=tuple((name, origin) for name, (origin, _) in stage.backends.items()),
        service=stage.name,
        source=lines.path,
        origins={
            "image": stage.place,
            "service": stage.place,
            **{f"environment:{name}": span for name, (_, _, span) in stage.environment.items()},
            **{f"mount:{name}": span for name, (_, span) in stage.mounts.items()},
            **{f"package:{name}": span for name, (_, span) in stage.packages.items()},
            **{f"backend:{name}": span for name, (_, span) in stage.backends.items()},
            **({"probe:healthcheck": stage.probe[1]} if stage.probe else {}),
        },
        doubts=tuple(doubts),
    )
    if command is None:
        return (started_by_script(base, _scripts(stage), files) if files else None) or base
    return started(base, command, place)


def _scripts(stage: Stage) -> Iterator[str]:
    """The paths in the image that its command names."""
    for one in (stage.entrypoint, stage.command):
        for text in one.texts() if one is not None else ():
            if "." in text:
                yield os.path.normpath(os.path.join(stage.workdir, text))


def _server(stage: Stage, lines: Lines) -> tuple[CommandLine | None, Place]:
    """How entry point and command together start the server, and what makes spans of its offsets."""
    entry, cmd = stage.entrypoint, stage.command
    # A script is run by `/bin/sh -c`. An entry point of that form ignores the command.
    script = next((one for one in (entry, cmd) if one is not None and one.words is None), None)
    environment = {name: value for name, (value, known, _) in stage.environment.items() if known}
    if script is not None and not _mistaken(stage):
        found = next(find_servers(script.instruction.text, environment), None)
        return found, _placing(lines, script.instruction)
    words = [word for one in (entry, cmd) if one is not None and one.words is not None for word in one.placed()]
    alone = entry is None and bool(words) and words[0].text.startswith("-")
    command = None if alone else parse_words(words, environment)
    return command and command._replace(hidden=command.hidden or _mistaken(stage)), lines.span


def _mistaken(stage: Stage) -> bool:
    """Whether the entry point is the server and the command a script, so that the server gets `/bin/sh -c …`."""
    entry, cmd = stage.entrypoint, stage.command
    if entry is None or not entry.words or cmd is None or cmd.words is not None:
        return False
    return is_server(entry.words[-1].text)


def _placing(lines: Lines, instruction: Instruction) -> Place:
    return lambda start, end: lines.span(*instruction.place(start, end))


def _faults(stage: Stage, lines: Lines) -> list[Fault]:
    """A `CMD` that reaches `tritonserver` as something else than it looks like."""
    cmd = stage.command
    if cmd is None or not _mistaken(stage):
        return []
    span = lines.span(*cmd.instruction.place(0, len(cmd.instruction.text)))
    return [
        Fault(
            "the server gets `/bin/sh -c …` as its arguments: a `CMD` that is no list is a command for a shell",
            span,
            'write the flags as a list: CMD ["--model-repository=/models"]',
        )
    ]
