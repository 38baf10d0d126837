"""The flags behind `tritonserver`, and the record of a command that starts it.

Flag names and which of them take no value: server `src/command_line_parser.cc`, `SetupOptions`, 20.01 to 26.09.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tritoncheck.deployment.flags import meant
from tritoncheck.deployment.option import Option
from tritoncheck.deployment.words import Word

# Flags that take no value, or whose value is optional; any other takes the next word if it has no `=`.
_SWITCHES = frozenset(
    (
        *("disable-auto-complete-config", "allow-metrics", "allow-gpu-metrics", "allow-cpu-metrics", "allow-http"),
        *("allow-grpc", "allow-sagemaker", "allow-vertex-ai", "model-namespacing", "enable-peer-access", "help"),
        *("version", "log-info", "log-warning", "log-error", "strict-model-config", "strict-readiness"),
        "exit-on-error",
    )
)
_SHORT = {"i": "id", "m": "model-repository", "model-store": "model-repository"}
# A word that something else fills in: a shell, Compose, Helm, or the reader of a manual.
_HIDES = re.compile(r"\$|\{\{|`|<[A-Za-z]")
Pairs = tuple[tuple[str, str], ...]


class CommandLine(NamedTuple):
    """How a command starts the server; each part with its place in the text that was read.

    program: the word `tritonserver`, None where an image's own entry point starts it. server: the server's flags, in
    order, names without dashes. variables: what is set for it. container: the image. engine: the options of
    `docker run`, by their long names. arguments: the server's words as read. hidden: whether one of them may stand
    for any number of flags, such as `$FLAGS`. apart: whether it runs in a container, where the variables of the script
    around it do not hold. strays: those of the server's words that belong to no flag. copies: how many servers
    `mpirun` starts with these words. streams: where a shell puts its stdout and stderr, as those of `Command`.
    """

    program: Word | None = None
    server: tuple[Option, ...] = ()
    variables: tuple[Option, ...] = ()
    container: Word | None = None
    engine: tuple[Option, ...] = ()
    arguments: tuple[Word, ...] = ()
    hidden: bool = False
    apart: bool = False
    strays: tuple[Word, ...] = ()
    copies: int = 1
    streams: tuple[str, str] = ("", "")

    @property
    def asks(self) -> bool:
        """Whether it only asks the program for its help or its version."""
        return any(one.name in ("help", "version", "h") for one in self.server)

    @property
    def words(self) -> tuple[str, ...]:
        """The server's arguments, as texts."""
        return tuple(word.text for word in self.arguments)

    @property
    def flags(self) -> Pairs:
        """The server's flags as (name, value; "" without one)."""
        return tuple((one.name, one.value) for one in self.server)

    @property
    def environment(self) -> Pairs:
        """The variables set for the server as (name, value)."""
        return tuple((one.name, one.value) for one in self.variables)

    @property
    def image(self) -> str:
        """The container's image, "" where there is none."""
        return self.container.text if self.container else ""


def names_repository(words: Iterable[str]) -> bool:
    """Whether these are arguments of a server, whatever its image is called: a repository is given to no other."""
    return any(re.match(r"--model-(?:repository|store)(?:=|$)", one) for one in words)


def is_server(word: str) -> bool:
    """Whether a word calls the server's program, by its name or its path."""
    return word.rsplit("/", 1)[-1] == "tritonserver"


def read_flags(words: Sequence[Word]) -> CommandLine:
    """The flags behind the server's name."""
    flags, strays, at, hidden = [], [], 0, False
    while at < len(words):
        word = words[at]
        at += 1
        if word.text == ":":  # mpirun starts another program from here on
            words = words[: at - 1]
            break
        if not word.text.startswith("-"):
            hidden = hidden or word.open or _HIDES.match(word.text) is not None
            strays.append(word)
            continue
        bare = word.text.lstrip("-")
        name, has_value, value = bare.partition("=")
        known_as = meant(name)
        name = known_as[0] if len(known_as) == 1 else name
        name = _SHORT.get(name, name)
        following = words[at] if at < len(words) else Word("--")
        takes = not following.text.startswith("-") or (name not in _SWITCHES and re.fullmatch(r"-\d+", following.text))
        end, known = word.end, word.known
        if not has_value and takes and (name not in _SWITCHES or following.text.lower() in ("true", "false", "0", "1")):
            value, end, known = following.text, following.end, known and following.known
            at += 1
        flags.append(Option(name, value, word.start, max(end, word.end), known))
    return CommandLine(server=tuple(flags), arguments=tuple(words), hidden=hidden, strays=tuple(strays))
