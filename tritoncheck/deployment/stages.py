"""The stages of a Dockerfile: what each holds at its end, what `FROM` brings from the one before included.

What is decided when the image is built is known only where it is given: a build argument has its default, or none.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping
from itertools import islice

from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.health import health_check
from tritoncheck.deployment.instructions import Instruction, read_instructions
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.parts import Mount
from tritoncheck.deployment.pip import installed
from tritoncheck.deployment.stage import Command, Stage
from tritoncheck.deployment.words import Word, read_list
from tritoncheck.rule import Span

_SERVER = "tritonserver"
_BACKEND = re.compile(r"/opt/tritonserver/backends/([\w.-]+)/?$")
# No Dockerfile has more; the rest is not read.
MOST_STAGES = 200
MOST_INSTRUCTIONS = 2_000


def read_stages(lines: Lines, arguments: Mapping[str, str]) -> list[Stage]:
    """All stages, in order. arguments: given by `--build-arg`."""
    return _Build(lines, dict(arguments)).run()


class _Build:
    """The stages of one file, instruction by instruction."""

    def __init__(self, lines: Lines, arguments: dict[str, str]) -> None:
        self.lines = lines
        self.folder = os.path.dirname(lines.path)
        self.arguments = arguments
        self.globals: dict[str, str | None] = {}
        self.stages: list[Stage] = []
        self.by_name: dict[str, Stage] = {}

    def run(self) -> list[Stage]:
        """All stages."""
        for one in islice(read_instructions(self.lines.text), MOST_INSTRUCTIONS):
            if one.name == "FROM":
                if len(self.stages) == MOST_STAGES:
                    break
                self.begin(one)
            elif one.name == "ARG":
                self.argument(one)
            elif self.stages and (step := _STEPS.get(one.name)):
                step(self, self.stages[-1], one)
        return self.stages

    def span(self, one: Instruction, start: int, end: int) -> Span:
        """A place in an instruction's text."""
        return self.lines.span(*one.place(start, end))

    def words(self, one: Instruction, values: Mapping[str, str | None]) -> list[Word]:
        """The words of an instruction, parameters put in."""
        script = Script(one.text, values.get, plain=True)
        return [word for command in script.commands() for word in command.words]

    def begin(self, one: Instruction) -> None:
        """`FROM image AS name`."""
        words = self.words(one, self.globals)
        if not words:
            return
        name = words[2].text.lower() if len(words) > 2 and words[1].text.lower() == "as" else ""
        base = self.stage(words[0].text)
        if base is None:
            self.stages.append(Stage(name, words[0], self.span(one, words[0].start, words[0].end)))
        else:
            base.is_base = True
            self.stages.append(base.child(name))
        if name:
            self.by_name[name] = self.stages[-1]

    def stage(self, name: str) -> Stage | None:
        """A stage by its name or number."""
        if name.isdigit() and len(name) < 6 and int(name) < len(self.stages):
            return self.stages[int(name)]
        return self.by_name.get(name.lower())

    def argument(self, one: Instruction) -> None:
        """`ARG NAME=default`: before the first stage for the `FROM`s, in a stage for what follows in it."""
        values = self.stages[-1].values if self.stages else self.globals
        for word in self.words(one, values):
            name, equals, default = word.text.partition("=")
            value = default if equals and word.known else None
            if not equals and self.stages:
                value = self.globals.get(name)
            if self.stages and name in self.stages[-1].environment:
                continue  # ENV wins over ARG
            values[name] = self.arguments.get(name, value)

    def env(self, stage: Stage, one: Instruction) -> None:
        """`ENV A=b C=d` and the old `ENV A b`."""
        words = self.words(one, stage.values)
        if words and "=" not in words[0].text:
            rest = one.text[words[0].end :].strip()
            words = [Word(f"{words[0].text}={rest}", words[0].start, len(one.text), "$" not in rest)]
        for word in words:
            name, _, value = word.text.partition("=")
            stage.values[name] = value if word.known else None
            stage.environment[name] = (value, word.known, self.span(one, word.start, word.end))

    def entrypoint(self, stage: Stage, one: Instruction) -> None:
        """`ENTRYPOINT`: drops the `CMD` of the base."""
        stage.entrypoint = self.command_of(one)
        if not stage.own_command:
            stage.command = None

    def cmd(self, stage: Stage, one: Instruction) -> None:
        """`CMD`."""
        stage.command, stage.own_command = self.command_of(one), True

    def command_of(self, one: Instruction) -> Command:
        """Either form."""
        listed = read_list(one.text)
        return Command(one, None if listed is None else tuple(listed))

    def healthcheck(self, stage: Stage, one: Instruction) -> None:
        """`HEALTHCHECK --interval=… CMD …` or `NONE`."""
        kind, _, rest = one.text.partition(" ")
        if kind.upper() != "CMD":
            stage.probe = None
            return
        command = [word.text for word in read_list(rest) or self.words(one, {})[1:]]
        probe = health_check(command, one.flags.get)
        stage.probe = (probe, self.lines.span(one.start, one.place(0, len(one.text))[1]))

    def copy(self, stage: Stage, one: Instruction) -> None:
        """`COPY source … target`: a model repository put into the image, or the server of another image."""
        words = self.words(one, stage.values)
        listed = read_list(one.text)
        paths = [word.text for word in listed or words]
        if len(paths) < 2:
            return
        origin = one.flags.get("from", "")
        if origin:
            base = self.stage(origin)
            if base and base.command is None and base.entrypoint is None:
                base.is_base = True
            image = base.copied or base.image.text if base else origin
            if _SERVER in image and any(_SERVER in source for source in paths[:-1]):
                stage.copied = image
            for source in paths[:-1]:
                if found := _BACKEND.search(source):
                    stage.backends[found[1]] = (image, self.span(one, 0, len(one.text)))
            return
        target, span = paths[-1], self.span(one, 0, len(one.text))
        is_folder = target.endswith(("/", ".")) or len(paths) > 2
        for source in paths[:-1]:
            if "$" in source + target or "://" in source:
                continue
            whole = os.path.normpath(os.path.join(os.path.abspath(self.folder or "."), source.lstrip("/")))
            name = os.path.basename(whole)
            # A folder's contents are put into the target, a file itself is.
            inside = name if is_folder and "." in name.strip(".") else ""
            there = posixpath.normpath(posixpath.join(stage.workdir, target, inside)).replace("//", "/")
            stage.mounts[there] = (Mount(there, whole.replace(os.sep, "/"), kind="copy"), span)

    def run_command(self, stage: Stage, one: Instruction) -> None:
        """`RUN … pip install …`."""
        for name, (version, start, end) in installed(one.text).items():
            stage.packages[name] = (version, self.span(one, start, end))

    def enter(self, stage: Stage, one: Instruction) -> None:
        """`WORKDIR path`."""
        path = "".join(word.text for word in self.words(one, stage.values))
        if path and "$" not in path:
            stage.workdir = posixpath.normpath(posixpath.join(stage.workdir, path))


_STEPS: dict[str, Callable[[_Build, Stage, Instruction], None]] = {
    "ENV": _Build.env,
    "ENTRYPOINT": _Build.entrypoint,
    "CMD": _Build.cmd,
    "HEALTHCHECK": _Build.healthcheck,
    "COPY": _Build.copy,
    "RUN": _Build.run_command,
    "WORKDIR": _Build.enter,
    "ADD": _Build.copy,
}
