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
from tritoncheck.deployment.server_flags import CommandLine, is_server, read_flags
from tritoncheck.deployment.serving import serves
from tritoncheck.deployment.shell import read_commands
from tritoncheck.deployment.words import Word, read_list

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

# Those of them that run it several times at once.
_STARTERS = frozenset(("mpirun", "mpiexec", "orterun", "srun"))

_ENDS = frozenset((";", "&&", "||", "|", "&", ";;"))
_DEPTH = 8

_Piece = TypeVar("_Piece", Word, Option)


class _Where(NamedTuple):
    """Where a command stands. lax: it is known to start a server, so that the program may be anywhere in it. Else it
    must be called, not named: `echo tritonserver` starts none. depth: in how many others. constants: what is set."""

    lax: bool = False
    depth: int = 0
    constants: Mapping[str, str] = {}

    @property
    def inside(self) -> _Where:
        """One command further in."""
        return self._replace(depth=self.depth + 1)


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
        return read_flags(parts[0][0])
    for words, variables in parts:
        found = _server(words, _Where(lax=True))
        if found is not None:
            return found._replace(variables=variables + found.variables)
    raise LaunchError("the launch command names no `tritonserver` and begins with no flag")


def parse_words(words: Sequence[str | Word], environment: Mapping[str, str] | None = None) -> CommandLine | None:
    """The server's part of a command that is in words already, as a container's entry point and arguments are; None if
    nothing in it starts the server. Flags alone are the server's: they are for its entry point. environment: what a
    script in these words finds set."""
    placed = [word if isinstance(word, Word) else Word(word) for word in words]
    if placed and placed[0].text.startswith("-"):
        return read_flags(placed)
    parts: list[list[Word]] = [[]]
    for word in placed:
        if word.text in _ENDS:
            parts.append([])
        else:
            parts[-1].append(word)
    where = _Where(True, constants=environment or {})
    return next((found for part in parts if (found := _server(part, where)) is not None), None)


def find_servers(script: str, constants: Mapping[str, str] | None = None) -> Iterator[CommandLine]:
    """Every start of a server in a script, each with the variables that the script exports. constants: variables that
    are set already."""
    for command in read_commands(script, constants):
        found = _server(command.words, _Where())
        if found is not None:
            exported = () if found.apart else command.variables
            yield _placed(found._replace(variables=exported + found.variables), command.streams)


def _server(words: Sequence[Word], where: _Where) -> CommandLine | None:
    """What starts the server in one command; None if nothing does."""
    at = 0
    own: list[Option] = []
    while at < len(words) and (option := assigned(words[at])):
        own.append(option)
        at += 1
    found = _called(words[at:], own, where)
    return found if found is None or found.apart else found._replace(variables=(*own, *found.variables))


def _called(words: Sequence[Word], own: list[Option], where: _Where) -> CommandLine | None:
    for place, word in enumerate(words):
        name = word.text.rsplit("/", 1)[-1]
        if is_server(word.text):
            found = read_flags(words[place + 1 :])
            # A question to the program starts no server.
            asks = found.asks and not (where.lax and not where.depth)
            return None if asks else found._replace(program=word, copies=_copies(words[:place]))
        if name in _ENGINES:
            found_inside = _engine(words[place + 1 :], own, where)
            gives_gpus = found_inside is not None and name == "nvidia-docker"
            return _with_gpus(found_inside, word) if found_inside and gives_gpus else found_inside
        if name == "kubectl":
            return _pod(words[place + 1 :], where)
        if name in _SHELLS:
            for option, script in pairwise(words[place + 1 :]):
                if re.fullmatch("-[a-z]*c", option.text):
                    return _inner(script, where)
        if place == 0 and not where.lax and name not in _RUNNERS and not word.open:
            # Some other program, which may still be told to run what follows its `--`.
            texts = [one.text for one in words]
            told = "--" in texts[:-1] and where.depth < _DEPTH
            return _called(words[texts.index("--") + 1 :], own, where.inside) if told else None
    return None


def _placed(command: CommandLine, streams: tuple[str, str]) -> CommandLine:
    """A command with where its streams go. An engine with a terminal makes one of the two, one in the background
    prints nothing of the server."""
    if any(option.name in ("tty", "detach") for option in command.engine):
        return command._replace(streams=("", ""))
    return command._replace(streams=streams) if any(streams) else command


def _copies(before: Sequence[Word]) -> int:
    """How many times the words before a program have it run: `mpirun -n 2`; 1 where they do not say."""
    texts = [word.text for word in before]
    if not any(text.rsplit("/", 1)[-1] in _STARTERS for text in texts):
        return 1
    for option, value in reversed(list(pairwise(texts))):
        if option in ("-n", "-np", "--np", "--ntasks") and value.isdecimal() and len(value) < 5:
            return max(1, int(value))
    return 1


def _engine(words: Sequence[Word], own: list[Option], where: _Where) -> CommandLine | None:
    """`docker run OPTIONS IMAGE COMMAND` and `docker exec OPTIONS CONTAINER COMMAND`."""
    at = next((n for n, word in enumerate(words) if not word.text.startswith("-")), len(words))
    if at < len(words) and words[at].text == "container":
        at += 1
    verb = words[at].text if at < len(words) else ""
    if verb not in ("run", "create", "exec"):
        return None
    options, rest = read_engine_options(words[at + 1 :])
    if not rest or where.depth >= _DEPTH:
        return None
    command = rest[1:]
    given = {option.name: option.value for option in own}
    variables = tuple(_variable(option, given) for option in options if option.name == "env")
    inside = _Where(True, where.depth + 1, {one.name: one.value for one in variables if one.known})
    if verb == "exec":
        found = _server(command, inside._replace(lax=where.lax))
        return found._replace(variables=variables + found.variables, apart=True) if found else None
    image = rest[0]
    entrypoint = next((option.value for option in reversed(options) if option.name == "entrypoint"), "")
    if is_server(entrypoint):
        found = read_flags(command)
    elif entrypoint.rsplit("/", 1)[-1] in _SHELLS:
        found = _server((Word(entrypoint), *command), inside)
    else:
        found = _server(command, inside)
    if found is None:
        # The image's own entry point may start the server; what is known of it is the image.
        served = any(option.name in ("publish", "publish-all") for option in options)
        if not where.lax and not (serves(image.text) and (served or not command or command[0].text.startswith("-"))):
            return None
        found = read_flags(command)._replace(hidden=True)
    return found._replace(variables=variables + found.variables, container=image, engine=tuple(options), apart=True)


def _with_gpus(command: CommandLine, program: Word) -> CommandLine:
    """`nvidia-docker run` gives all GPUs."""
    return command._replace(engine=(Option("gpus", "all", program.start, program.end), *command.engine))


def _variable(option: Option, given: dict[str, str]) -> Option:
    """`--env NAME=VALUE`; without a value it is that of the command's own surroundings."""
    name, equals, value = option.value.partition("=")
    known = option.known and bool(equals or name in given)
    return option._replace(name=name, value=value if equals else given.get(name, ""), known=known)


def _pod(words: Sequence[Word], where: _Where) -> CommandLine | None:
    """`kubectl run NAME --image=IMAGE -- COMMAND`."""
    texts = [word.text for word in words]
    if "run" not in texts or "--" not in texts or where.depth >= _DEPTH:
        return None
    image = None
    for word, following in pairwise(words):
        if word.text == "--image":
            image = following
        elif word.text.startswith("--image="):
            image = word.part(len("--image="), len(word.text))
    found = _server(words[texts.index("--") + 1 :], where.inside)
    return found._replace(container=image, apart=True) if found else None


def _inner(word: Word, where: _Where) -> CommandLine | None:
    """The server that a script in one word starts, as in `bash -c "…"`."""
    if where.depth >= _DEPTH:
        return None
    for command in read_commands(word.text, where.constants):
        found = _server([_moved(one, word) for one in command.words], where.inside._replace(lax=False))
        if found is not None:
            variables = tuple(_moved(one, word) for one in command.variables)
            return _placed(found._replace(variables=variables + found.variables), command.streams)
    return None


def _moved(one: _Piece, outer: Word) -> _Piece:
    """A piece of a script inside a word: its place in the file, or the word's where the word is not written plainly."""
    if outer.inner < 0:
        return one._replace(start=outer.start, end=outer.end)
    return one._replace(start=outer.inner + one.start, end=outer.inner + one.end)
