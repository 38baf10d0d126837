"""From a command, as operators keep it, to the server's flags, environment, image and what the engine is told.

Takes `tritonserver …` itself, the same behind `docker run …`, `docker exec …`, `kubectl run …`, `bash -c "…"` or in the
form of a JSON list. Reads words only: nothing is run, and a `$…` whose value the text does not say stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from tritoncheck.deployment.engine import read_engine_options
from tritoncheck.deployment.launch import LaunchError
from tritoncheck.deployment.option import Option, assigned
from tritoncheck.deployment.serving import serves
from tritoncheck.deployment.shell import read_commands
from tritoncheck.deployment.words import Script, Word, read_list

_ENGINES = frozenset(("docker", "podman", "nerdctl", "nvidia-docker"))
_SHELLS = frozenset(("bash", "sh", "dash", "zsh", "ash"))
# Programs and words of the shell that run what follows them.
_RUNNERS = frozenset(
    (
        *("exec", "sudo", "doas", "nohup", "time", "env", "nice", "ionice", "numactl", "taskset", "stdbuf", "setsid"),
        *("tini", "dumb-init", "gosu", "su-exec", "timeout", "strace", "unbuffer", "catchsegv", "nsys", "ncu"),
        *("valgrind", "mpirun", "mpiexec", "orterun", "srun", "chrt", "prlimit", "command", "opentelemetry-instrument"),
        *("nvidia_entrypoint.sh", "xargs", "if", "then", "else", "elif", "do", "while", "until", "!", "{", "("),
    )
)

# Flags that take no value, or whose value is optional; any other takes the next word if it has no `=`.
# Source: server `src/command_line_parser.cc`, `SetupOptions`, 20.01 to 26.09.
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
_ENDS = frozenset((";", "&&", "||", "|", "&", ";;"))
_DEPTH = 8

_Piece = TypeVar("_Piece", Word, Option)
Pairs = tuple[tuple[str, str], ...]


class CommandLine(NamedTuple):
    """How a command starts the server; each part with its place in the text that was read.

    program: the word `tritonserver`, None where an image's own entry point starts it. server: the server's flags, in
    order, names without dashes. variables: what is set for it. container: the image. engine: the options of
    `docker run`, by their long names. arguments: the server's words as read. hidden: whether one of them may stand
    for any number of flags, such as `$FLAGS`.
    """

    program: Word | None = None
    server: tuple[Option, ...] = ()
    variables: tuple[Option, ...] = ()
    container: Word | None = None
    engine: tuple[Option, ...] = ()
    arguments: tuple[Word, ...] = ()
    hidden: bool = False

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


def parse_command(command: str) -> CommandLine:
    """The server's part of a command line. LaunchError where the quotes do not match, or where there is neither a
    `tritonserver` nor a flag at the beginning."""
    listed = read_list(command)
    if listed is not None:
        parts: list[tuple[tuple[Word, ...], tuple[Option, ...]]] = [(tuple(listed), ())]
    else:
        commands = list(read_commands(command))
        if any(one.torn for one in commands):
            raise LaunchError("cannot read the launch command: a quote or a bracket is not closed")
        parts = [(one.words, one.variables) for one in commands]
    if parts and parts[0][0] and parts[0][0][0].text.startswith("-"):
        return _flags(parts[0][0])
    for words, variables in parts:
        found = find_server(words, lax=True)
        if found is not None:
            return found._replace(variables=variables + found.variables)
    raise LaunchError("the launch command names no `tritonserver` and begins with no flag")


def parse_words(words: Sequence[str | Word]) -> CommandLine | None:
    """The server's part of a command that is in words already, as a container's entry point and arguments are; None if
    nothing in it starts the server. Flags alone are the server's: they are for its entry point."""
    placed = [word if isinstance(word, Word) else Word(word) for word in words]
    if placed and placed[0].text.startswith("-"):
        return _flags(placed)
    parts: list[list[Word]] = [[]]
    for word in placed:
        if word.text in _ENDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return next((found for part in parts if (found := find_server(part, lax=True)) is not None), None)


def split_words(command: str) -> list[str]:
    """The words of a command as a shell reads them, `;`, `&&` and the like among them. LaunchError where the quotes do
    not match."""
    listed = read_list(command)
    if listed is not None:
        return [word.text for word in listed]
    script = Script(command)
    words = []
    for one in script.commands():
        words += [word.text for word in one.words]
        words += [one.operator] if one.operator in _ENDS else []
    if script.torn:
        raise LaunchError("cannot read the launch command: a quote or a bracket is not closed")
    return words


def find_servers(script: str, constants: Mapping[str, str] | None = None) -> Iterator[CommandLine]:
    """Every start of a server in a script, each with the variables that the script exports. constants: variables that
    are set already."""
    for command in read_commands(script, constants):
        found = find_server(command.words)
        if found is not None:
            exported = command.variables if found.container is None else ()
            yield found._replace(variables=exported + found.variables)


def find_server(words: Sequence[Word], lax: bool = False, depth: int = 0) -> CommandLine | None:
    """What starts the server in one command; None if nothing does.

    lax: the command is known to start a server, so that the program may be anywhere in it. Else it must be called, not
    named: `echo tritonserver` starts none.
    """
    at = 0
    own: list[Option] = []
    while at < len(words) and (option := assigned(words[at])):
        own.append(option)
        at += 1
    found = _called(words[at:], own, lax, depth)
    return found if found is None or found.container else found._replace(variables=(*own, *found.variables))


def _called(words: Sequence[Word], own: list[Option], lax: bool, depth: int) -> CommandLine | None:
    for place, word in enumerate(words):
        name = word.text.rsplit("/", 1)[-1]
        if name == "tritonserver":
            return _flags(words[place + 1 :])._replace(program=word)
        if name in _ENGINES:
            return _engine(words[place + 1 :], own, lax, depth)
        if name == "kubectl":
            return _pod(words[place + 1 :], lax, depth)
        if name in _SHELLS:
            for option, script in pairwise(words[place + 1 :]):
                if re.fullmatch("-[a-z]*c", option.text):
                    return _inner(script, depth)
        if place == 0 and not lax and name not in _RUNNERS and not word.open:
            # Some other program, which may still be told to run what follows its `--`.
            texts = [one.text for one in words]
            told = "--" in texts[:-1] and depth < _DEPTH
            return _called(words[texts.index("--") + 1 :], own, lax, depth + 1) if told else None
    return None


def _engine(words: Sequence[Word], own: list[Option], lax: bool, depth: int) -> CommandLine | None:
    """`docker run OPTIONS IMAGE COMMAND` and `docker exec OPTIONS CONTAINER COMMAND`."""
    at = next((n for n, word in enumerate(words) if not word.text.startswith("-")), len(words))
    if at < len(words) and words[at].text == "container":
        at += 1
    verb = words[at].text if at < len(words) else ""
    if verb not in ("run", "create", "exec"):
        return None
    options, rest = read_engine_options(words[at + 1 :])
    if not rest or depth >= _DEPTH:
        return None
    command = rest[1:]
    given = {option.name: option.value for option in own}
    variables = tuple(_variable(option, given) for option in options if option.name == "env")
    if verb == "exec":
        found = find_server(command, lax, depth + 1)
        return found._replace(variables=variables + found.variables) if found else None
    image = rest[0]
    entrypoint = next((option.value for option in reversed(options) if option.name == "entrypoint"), "")
    if entrypoint.rsplit("/", 1)[-1] == "tritonserver":
        found = _flags(command)
    elif entrypoint.rsplit("/", 1)[-1] in _SHELLS:
        found = find_server((Word(entrypoint), *command), True, depth + 1)
    else:
        found = find_server(command, True, depth + 1)
    if found is None:
        # The image's own entry point may start the server; what is known of it is the image.
        served = any(option.name in ("publish", "publish-all") for option in options)
        if not lax and not (serves(image.text) and (served or not command or command[0].text.startswith("-"))):
            return None
        found = _flags(command)._replace(hidden=True)
    return found._replace(variables=variables + found.variables, container=image, engine=tuple(options))


def _variable(option: Option, given: dict[str, str]) -> Option:
    """`--env NAME=VALUE`; without a value it is that of the command's own surroundings."""
    name, equals, value = option.value.partition("=")
    known = option.known and bool(equals or name in given)
    return option._replace(name=name, value=value if equals else given.get(name, ""), known=known)


def _pod(words: Sequence[Word], lax: bool, depth: int) -> CommandLine | None:
    """`kubectl run NAME --image=IMAGE -- COMMAND`."""
    texts = [word.text for word in words]
    if "run" not in texts or "--" not in texts or depth >= _DEPTH:
        return None
    image = None
    for word, following in pairwise(words):
        if word.text == "--image":
            image = following
        elif word.text.startswith("--image="):
            image = word.part(len("--image="), len(word.text))
    found = find_server(words[texts.index("--") + 1 :], lax, depth + 1)
    return found._replace(container=image) if found else None


def _inner(word: Word, depth: int) -> CommandLine | None:
    """The server that a script in one word starts, as in `bash -c "…"`."""
    if depth >= _DEPTH:
        return None
    for command in read_commands(word.text):
        found = find_server([_moved(one, word) for one in command.words], depth=depth + 1)
        if found is not None:
            variables = tuple(_moved(one, word) for one in command.variables)
            return found._replace(variables=variables + found.variables)
    return None


def _moved(one: _Piece, outer: Word) -> _Piece:
    """A piece of a script inside a word: its place in the file, or the word's where the word is not written plainly."""
    if outer.inner < 0:
        return one._replace(start=outer.start, end=outer.end)
    return one._replace(start=outer.inner + one.start, end=outer.inner + one.end)


def _flags(words: Sequence[Word]) -> CommandLine:
    """The flags behind the server's name."""
    flags, at, hidden = [], 0, False
    while at < len(words):
        word = words[at]
        at += 1
        if word.text == ":":  # mpirun starts another program from here on
            words = words[: at - 1]
            break
        if not word.text.startswith("-"):
            hidden = hidden or word.open or _HIDES.match(word.text) is not None
            continue
        bare = word.text.lstrip("-")
        name, has_value, value = bare.partition("=")
        name = _SHORT.get(name, name)
        following = words[at] if at < len(words) else Word("--")
        takes = not following.text.startswith("-") or (name not in _SWITCHES and re.fullmatch(r"-\d+", following.text))
        end, known = word.end, word.known
        if not has_value and takes and (name not in _SWITCHES or following.text.lower() in ("true", "false", "0", "1")):
            value, end, known = following.text, following.end, known and following.known
            at += 1
        flags.append(Option(name, value, word.start, max(end, word.end), known))
    return CommandLine(server=tuple(flags), arguments=tuple(words), hidden=hidden)
