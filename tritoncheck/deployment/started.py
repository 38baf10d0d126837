"""Puts what a command line says into a launch, with where it stands. Knows no file format."""

from __future__ import annotations

from collections.abc import Callable

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.option import Option
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.server_flags import CommandLine
from tritoncheck.rule import Span

Place = Callable[[int, int], Span]


def started(base: Launch, command: CommandLine, place: Place) -> Launch:
    """A launch with the flags and variables of a command line on top. place: the span of two offsets."""
    known = [one for one in command.variables if one.known]
    environment = dict(base.environment) | {one.name: one.value for one in known}
    for one in command.variables:
        if not one.known:
            environment.pop(one.name, None)
    origins = dict(base.origins)
    origins |= {f"environment:{one.name}": place(one.start, one.end) for one in command.variables}
    origins |= {f"flag:{one.name}": place(one.start, one.end) for one in command.server}
    # From the last on, so that of equal words the first counts.
    origins |= {f"word:{word.text}": place(word.start, word.end) for word in reversed(command.strays) if word.end}
    ends = [word for word in (command.program, *command.arguments) if word is not None and word.end]
    if ends:
        origins["command"] = place(ends[0].start, ends[-1].end)
    return base._replace(
        flags=command.flags,
        flags_known=not command.hidden,
        words=command.words,
        copies=command.copies,
        streams=command.streams,
        environment=tuple(environment.items()),
        origins=origins,
        doubts=(*base.doubts, *_doubts(command, place)),
    )


def _doubts(command: CommandLine, place: Place) -> list[Doubt]:
    """What the command line leaves open."""
    found = [_unset(f"environment:{one.name}", one, place) for one in command.variables if not one.known]
    found += [_unset(f"flag:{one.name}", one, place) for one in command.server if not one.known]
    if command.hidden and command.arguments:
        span = place(command.arguments[0].start, command.arguments[-1].end)
        found.append(Doubt("command", "a word of the command may stand for further flags", span))
    return found


def _unset(key: str, option: Option, place: Place) -> Doubt:
    name = key.partition(":")[2]
    return Doubt(key, f"the value of `{name}` is not in this file", place(option.start, option.end))
