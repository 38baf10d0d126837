"""How a script starts a Triton server: shell scripts, the recipes of a Makefile, the code in a manual.

Each `docker run … tritonserver …`, `tritonserver …` and their like is one launch. The text around is not judged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from tritoncheck.deployment.command_line import find_servers
from tritoncheck.deployment.container import Asked, in_container
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines, Pieces, origin
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.reading import MOST_LAUNCHES, Fault, Reading
from tritoncheck.deployment.serving import release_in
from tritoncheck.deployment.started import Place, started
from tritoncheck.deployment.words import Word
from tritoncheck.rule import Span

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*([A-Za-z+-]*)[^\n]*\n((?:[^\n]*\n){0,200}?)[ \t]*\1", re.MULTILINE)
_SHELLS = frozenset(("", "sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"))
_PROMPT = re.compile(r"^[ \t]*(?:[\w.-]+@[\w.-]+[:~/\w.-]*)?[$#>][ \t]", re.MULTILINE)
_GAP = re.compile(r"<[A-Za-z][\w. -]*>")
_SET = re.compile(r"^(?:export[ \t]+|override[ \t]+)?([A-Za-z_]\w*)[ \t]*([?+!]?|:{1,3})=[ \t]*([^#\n]*)", re.MULTILINE)
_MAKE = re.compile(r"\$(?:[({]([A-Za-z_]\w*)[)}]|\$)")
_RECIPE = re.compile(r"^\t[-@+]*((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
# A larger file is no script of an operator, and is not read.
MOST_CHARACTERS = 256 * 1024


class _Part(NamedTuple):
    """A part of a file as a shell gets it. pieces: where it stands in the file. constants: what is set around it."""

    code: str
    pieces: Pieces = ((0, 0),)
    constants: Mapping[str, str] = {}


def read_script(text: str, path: str, files: Files | None = None) -> Reading:
    """The servers that a shell script starts. files: read those that `--env-file` names."""
    return _read(text, path, lambda: [_Part(text)], files)


def read_manual(text: str, path: str, files: Files | None = None) -> Reading:
    """The servers that the code in a Markdown file starts. Prompts are passed over; a
    `<gap>` that the reader fills in is a variable."""
    return _read(text, path, lambda: _fences(text), files)


def _fences(text: str) -> Iterator[_Part]:
    for found in _FENCE.finditer(text):
        if found.group(2).lower() in _SHELLS:
            code = _PROMPT.sub(lambda prompt: " " * len(prompt.group()), found.group(3))
            code = _GAP.sub(lambda gap: "$" + re.sub(r"\W", "_", gap.group()[1:]), code)
            yield _Part(code, ((0, found.start(3)),))


def read_makefile(text: str, path: str, files: Files | None = None) -> Reading:
    """The servers that the recipes of a Makefile start. A variable that is set once has its value."""
    return _read(text, path, lambda: _recipes(text), files)


def _recipes(text: str) -> Iterator[_Part]:
    values: dict[str, str | None] = {}
    for found in _SET.finditer(text):
        name, sign, value = found.group(1), found.group(2), found.group(3).strip()
        is_plain = name not in values and sign not in ("+", "!") and "$" not in value and not value.endswith("\\")
        values[name] = value if is_plain else None
    known = {name: value for name, value in values.items() if value is not None}
    for one in _RECIPE.finditer(text):
        yield _recipe(one.group(1), one.start(1), known)


def _recipe(recipe: str, start: int, constants: Mapping[str, str]) -> _Part:
    """A recipe as the shell gets it: `$(NAME)` as `${NAME}`, which the constants have, and `$$` as `$`."""
    code, pieces, at = "", [(0, start)], 0
    for found in _MAKE.finditer(recipe):
        code += recipe[at : found.start()] + (f"${{{found.group(1)}}}" if found.group(1) else "$")
        at = found.end()
        pieces.append((len(code), start + at))
    return _Part(code + recipe[at:], tuple(pieces), constants)


def _read(text: str, path: str, parts: Callable[[], Iterable[_Part]], files: Files | None) -> Reading:
    launches: list[Launch] = []
    faults: list[Fault] = []
    if "triton" not in text.lower():
        return Reading()
    if len(text) > MOST_CHARACTERS:
        return Reading((), (Fault(f"{len(text)} characters, too large for a script that starts a server", Span(path)),))
    lines, files = Lines(text, path), files or Files()
    folder = os.path.abspath(os.path.dirname(path) or ".").replace(os.sep, "/")
    for part in parts():
        place = _placing(lines, part.pieces)
        for command in find_servers(part.code, part.constants):
            launch = Launch(source=path)
            if command.container is not None:
                launch = _of_image(launch, command.container, place)
            launch = started(launch, command, place)
            if command.container is not None:
                asked = Asked(command.engine, place, folder, files)
                launch = in_container(launch, asked)
                faults += asked.faults
            launches.append(launch)
            if len(launches) == MOST_LAUNCHES:
                return Reading(tuple(launches), tuple(faults))
    return Reading(tuple(launches), tuple(faults))


def _of_image(launch: Launch, image: Word, place: Place) -> Launch:
    span = place(image.start, image.end)
    doubts = () if image.known else (Doubt("image", f"`{image.text}` has no value in this file", span),)
    return launch._replace(
        image=image.text, release=release_in(image.text), origins={"image": span, "service": span}, doubts=doubts
    )


def _placing(lines: Lines, pieces: Pieces) -> Place:
    return lambda start, end: lines.span(*origin(pieces, start, end))
