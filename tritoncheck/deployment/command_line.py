"""From a command line, as operators keep it, to the server's flags, environment and image.

Takes `tritonserver …` itself, the same behind `docker run …`, `kubectl run …`, `bash -c "…"` or in the form of a JSON
list. Reads words only: nothing is expanded or run, `$…` is kept as it stands.
"""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from typing import NamedTuple

from tritoncheck.deployment.launch import LaunchError

_ENDS = frozenset((";", "&&", "||", "|", "&", ";;", ":"))
_ENGINES = frozenset(("docker", "podman", "nerdctl"))
_SHELLS = frozenset(("bash", "sh", "dash", "zsh", "ash"))
# Options of `docker run` without a value; any other takes the next word unless it holds a `=`.
_ENGINE_SWITCHES = frozenset(
    (
        *("--rm", "--detach", "--interactive", "--tty", "--init", "--privileged", "--read-only", "--publish-all"),
        *("--no-healthcheck", "--oom-kill-disable", "--quiet", "--sig-proxy", "--disable-content-trust"),
    )
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)

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


class CommandLine(NamedTuple):
    """flags: the server's, in order, as (name without dashes, value; "" without one). environment: what is set for it.
    image: the container's, "" where there is none."""

    flags: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    image: str = ""


def parse_command(command: str) -> CommandLine:
    """The server's part of a command line. LaunchError where the quotes do not match, or where there is neither a
    `tritonserver` nor a flag at the beginning."""
    words = _words(command)
    if words and words[0].startswith("-"):
        return CommandLine(tuple(_flags(words)))
    for part in _commands(words):
        found = _server(part)
        if found is not None:
            return found
    raise LaunchError("the launch command names no `tritonserver` and begins with no flag")


def parse_words(words: list[str]) -> CommandLine | None:
    """The server's part of a command that is in words already, as a container's entry point and arguments are; None if
    nothing in it starts the server. Flags alone are the server's: they are for its entry point."""
    if words and words[0].startswith("-"):
        return CommandLine(tuple(_flags(words)))
    return next((found for found in map(_server, _commands(words)) if found is not None), None)


def split_words(command: str) -> list[str]:
    """The words of a command as a shell reads them. LaunchError where the quotes do not match."""
    return _words(command)


def _words(command: str) -> list[str]:
    if command.lstrip().startswith("["):
        try:
            listed = json.loads(command)
        except ValueError:
            listed = None
        if isinstance(listed, list) and all(isinstance(word, str) for word in listed):
            return listed
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=";|&")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError as error:
        raise LaunchError(f"cannot read the launch command: {error}") from None


def _commands(words: list[str]) -> list[list[str]]:
    """The commands of a line, cut at `;`, `&&` and the like."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in _ENDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _server(words: list[str]) -> CommandLine | None:
    """What starts the server in one command; None if nothing does."""
    at = 0
    while at < len(words) and _VARIABLE.fullmatch(words[at]):
        at += 1
    own = _pairs(words[:at])
    for place in range(at, len(words)):
        word = _name(words[place])
        if word in _ENGINES and "run" in words[place + 1 : place + 3]:
            return _container(words[words.index("run", place) + 1 :], own)
        if word == "kubectl":
            return _pod(words[place + 1 :], own)
        if word in _SHELLS:
            for option, script in pairwise(words[place + 1 :]):
                if re.fullmatch("-[a-z]*c", option):
                    return _inner(script, own)
        if word == "tritonserver":
            return CommandLine(tuple(_flags(words[place + 1 :])), own)
    return None


def _container(words: list[str], own: tuple[tuple[str, str], ...]) -> CommandLine | None:
    """`docker run OPTIONS IMAGE COMMAND`."""
    at, entrypoint, variables = 0, "", []
    while at < len(words) and words[at].startswith("-"):
        option, has_value, value = words[at].partition("=")
        is_switch = option in _ENGINE_SWITCHES or re.fullmatch("-[ditP]+", option) is not None
        is_joined = re.fullmatch("-[A-Za-z][^=]+", words[at]) is not None  # `-p8000:8000`
        if not has_value and not is_switch and not is_joined:
            at += 1
            value = words[at] if at < len(words) else ""
        if option == "--entrypoint":
            entrypoint = value
        elif option in ("-e", "--env"):
            variables.append(value)
        at += 1
    if at >= len(words):
        return None
    image, command = words[at], words[at + 1 :]
    environment = own + _pairs(variables)
    if _name(entrypoint) == "tritonserver":
        return CommandLine(tuple(_flags(command)), environment, image)
    found = _server(command)
    if found is None:
        # The image's own entry point may start the server; what is known of it is the image.
        return CommandLine(tuple(_flags(command)), environment, image) if "triton" in image else None
    return found._replace(environment=environment + found.environment, image=image)


def _pod(words: list[str], own: tuple[tuple[str, str], ...]) -> CommandLine | None:
    """`kubectl run NAME --image=IMAGE -- COMMAND`."""
    image = next((word.partition("=")[2] for word in words if word.startswith("--image=")), "")
    if not image and "--image" in words[:-1]:
        image = words[words.index("--image") + 1]
    found = _server(words[words.index("--") + 1 :]) if "--" in words else None
    return found._replace(image=image, environment=own + found.environment) if found else None


def _inner(command: str, own: tuple[tuple[str, str], ...]) -> CommandLine | None:
    for part in _commands(_words(command)):
        found = _server(part)
        if found is not None:
            return found._replace(environment=own + found.environment)
    return None


def _name(word: str) -> str:
    """The program that a word calls."""
    return word.rsplit("/", 1)[-1]


def _pairs(words: list[str]) -> tuple[tuple[str, str], ...]:
    found = (word.partition("=") for word in words)
    return tuple((name, value) for name, equals, value in found if equals)


def _flags(words: list[str]) -> list[tuple[str, str]]:
    flags, at = [], 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        name = _SHORT.get(name, name)
        following = words[at] if at < len(words) else "--"
        takes = not following.startswith("-") or (name not in _SWITCHES and re.fullmatch(r"-\d+", following))
        if not has_value and takes and (name not in _SWITCHES or following.lower() in ("true", "false", "0", "1")):
            value = following
            at += 1
        flags.append((name, value))
    return flags
