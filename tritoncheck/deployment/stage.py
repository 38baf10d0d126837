"""The record of what one stage of a Dockerfile holds, and of its command. `stages` fills it in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.instructions import Instruction
from tritoncheck.deployment.parts import Mount, Probe
from tritoncheck.deployment.words import Word
from tritoncheck.rule import Span


class Command(NamedTuple):
    """`CMD` or `ENTRYPOINT`: its words in the form of a list, or the script that a shell runs."""

    instruction: Instruction
    words: tuple[Word, ...] | None

    def placed(self) -> list[Word]:
        """The words of the list, with places in the file."""
        return [_placed(word, self.instruction) for word in self.words or ()]

    def texts(self) -> list[str]:
        """The words of either form."""
        script = Script(self.instruction.text)
        words = self.words
        return [word.text for word in words or (one for command in script.commands() for one in command.words)]


def _placed(word: Word, instruction: Instruction) -> Word:
    start, end = instruction.place(word.start, word.end)
    inner = (
        instruction.place(word.inner, word.inner)[0] if word.inner >= 0 and end - start == word.end - word.start else -1
    )
    return word._replace(start=start, end=end, inner=inner)


@dataclass(slots=True)
class Stage:
    """What one stage holds at its end. image: the word of the `FROM` that it goes back to. copied: the image whose
    server it takes over by `COPY --from`. workdir: where its commands run. packages: see `pip`; backends: folders of
    backends copied from another image, with its name. Both with places."""

    name: str
    image: Word
    place: Span
    copied: str = ""
    workdir: str = "/"
    is_base: bool = False
    values: dict[str, str | None] = field(default_factory=dict)
    environment: dict[str, tuple[str, bool, Span]] = field(default_factory=dict)
    entrypoint: Command | None = None
    command: Command | None = None
    own_command: bool = False
    probe: tuple[Probe, Span] | None = None
    mounts: dict[str, tuple[Mount, Span]] = field(default_factory=dict)
    packages: dict[str, tuple[str, Span]] = field(default_factory=dict)
    backends: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def child(self, name: str) -> Stage:
        """A stage that begins with all that this one holds, build arguments excepted."""
        return Stage(
            name,
            self.image,
            self.place,
            self.copied,
            self.workdir,
            values={key: value for key, value in self.values.items() if key in self.environment},
            environment=dict(self.environment),
            entrypoint=self.entrypoint,
            command=self.command,
            probe=self.probe,
            mounts=dict(self.mounts),
            packages=dict(self.packages),
            backends=dict(self.backends),
        )
