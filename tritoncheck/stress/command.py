"""What `tritoncheck explain-log` does, between the command line and the parts: read, judge, place, print, exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from tritoncheck.stress.classify import classify, histories
from tritoncheck.stress.explain import chosen, to_json
from tritoncheck.stress.explain_text import to_text
from tritoncheck.stress.logs import Event, LogReader
from tritoncheck.stress.order import in_order
from tritoncheck.stress.place import Place, Places
from tritoncheck.stress.verdict import Diagnosis

OK, USAGE, NOTHING = 0, 2, 3
FORMATS = ("text", "json")
_PIECE = 256 * 1024


def explain_log(path: str, repo_dir: str = "", format: str = "text") -> int:
    """Explain the log in a file, or from stdin (`-`); the exit code: 0 explained, 2 wrong usage, 3 no log of Triton."""
    problem = _check(path, repo_dir, format)
    if problem:
        print(f"tritoncheck: {problem}", file=sys.stderr)
        return USAGE
    try:
        if path == "-":
            starts = histories(in_order(_events(sys.stdin.buffer)))
        else:
            with open(path, "rb") as file:
                starts = histories(in_order(_events(file)))
    except OSError as error:
        print(f"tritoncheck: {path}: {error.strerror or 'cannot be read'}", file=sys.stderr)
        return USAGE
    name = "<stdin>" if path == "-" else path
    diagnoses = [classify(start) for start in starts]
    number = chosen(diagnoses)
    one, earlier = diagnoses[number], diagnoses[:number]
    if not any(start.recognised for start in starts):
        print(f"tritoncheck: {name}: no line of a Triton server in it", file=sys.stderr)
        return NOTHING
    reader = Places(repo_dir, one) if repo_dir else None
    places = _places(reader, one)
    if format == "json":
        _print(to_json(one, places, number + 1, len(diagnoses)))
        return OK
    suspects = {}
    for model, verdict in one.models.items():
        if reader and verdict.kind == "legacy-stream-dependency" and not verdict.culprits:
            suspects[model] = reader.capturers(model)
    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width, count = _width(terminal), len(diagnoses)
    _print(to_text(one, places, earlier, name=name, starts=count, suspects=suspects, colour=colour, width=width))
    return OK


def _check(path: str, repo_dir: str, format: str) -> str:
    """What is wrong with the usage, "" if nothing is."""
    if format not in FORMATS:
        return f"--format must be one of {', '.join(FORMATS)}, not `{format}`"
    if repo_dir and not os.path.isdir(repo_dir):
        return f"--repo {repo_dir}: no such folder"
    if path != "-" and os.path.isdir(path):
        return f"{path}: a folder, not a log"
    return ""


def _events(file: BinaryIO) -> Iterator[Event]:
    reader = LogReader()
    while data := file.read(_PIECE):
        yield from reader.feed(data)
    yield from reader.close()


def _places(reader: Places | None, diagnosis: Diagnosis) -> dict[str, Place]:
    if reader is None:
        return {}
    found = ((name, reader.of(verdict)) for name, verdict in diagnosis.models.items())
    return {name: place for name, place in found if place is not None}


def _width(terminal: bool) -> int:
    if not terminal and "COLUMNS" not in os.environ:
        return 80
    from shutil import get_terminal_size

    return min(100, get_terminal_size((80, 24)).columns)


def _print(text: str) -> None:
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
