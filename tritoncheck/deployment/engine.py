"""The options of `docker run`, which podman and nerdctl share: from words to long names with values.

Source: docker/cli `cli/command/container/opts.go` and `run.go`, 20.10 to 29.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from tritoncheck.deployment.option import Option
from tritoncheck.deployment.words import Word

# Options without a value; any other takes the next word unless it holds a `=`.
_SWITCHES = frozenset(
    (
        *("detach", "init", "interactive", "no-healthcheck", "oom-kill-disable", "privileged", "publish-all", "quiet"),
        *("read-only", "rm", "sig-proxy", "tty", "disable-content-trust", "help", "use-api-socket"),
        *("replace", "rmi", "tls-verify", "env-host", "http-proxy", "no-hosts", "read-only-tmpfs"),  # podman
    )
)
_SHORT_SWITCHES = {"d": "detach", "i": "interactive", "t": "tty", "P": "publish-all", "q": "quiet"}
_SHORT = {"p": "publish", "v": "volume", "e": "env", "m": "memory", "h": "hostname", "u": "user", "w": "workdir"} | {
    "l": "label",
    "a": "attach",
    "c": "cpu-shares",
}
_SAME = {"net": "network", "dns-opt": "dns-option", "net-alias": "network-alias"}


def read_engine_options(words: Sequence[Word]) -> tuple[list[Option], Sequence[Word]]:
    """The options at the beginning, and the words from the image on. A switch without value has `true`; a word that
    may stand for any options, `$OPTIONS`, has the name ""."""
    options: list[Option] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.open:
            # `docker run $OPTIONS image`: what it holds is not known, but it is no image.
            options.append(Option("", word.text, word.start, word.end, False))
            at += 1
            continue
        if word.text == "--":
            at += 1
            break
        if not word.text.startswith("-") or len(word.text) == 1:
            break
        at += 1
        if word.text.startswith("--"):
            name, has_value, value = word.text[2:].partition("=")
            if has_value or name in _SWITCHES:
                options.append(Option(_SAME.get(name, name), value or "true", word.start, word.end, word.known))
                continue
            options.append(_with_next(_SAME.get(name, name), word, words[at : at + 1]))
            at += 1
            continue
        switches, name, value = _short(word.text[1:])
        options += (Option(one, "true", word.start, word.end) for one in switches)
        if not name:
            continue
        if value:
            options.append(Option(name, value, word.start, word.end, word.known))
        else:
            options.append(_with_next(name, word, words[at : at + 1]))
            at += 1
    return options, words[at:]


def _with_next(name: str, word: Word, following: Sequence[Word]) -> Option:
    if not following:
        return Option(name, "", word.start, word.end, False)
    value = following[0]
    return Option(name, value.text, word.start, max(word.end, value.end), value.known)


def _short(letters: str) -> tuple[list[str], str, str]:
    """`dp8000:8000` as the switches `detach`, the option `publish` and its value."""
    switches = []
    for place, letter in enumerate(letters):
        if letter in _SHORT_SWITCHES:
            switches.append(_SHORT_SWITCHES[letter])
            continue
        return switches, _SHORT.get(letter, letter), letters[place + 1 :].removeprefix("=")
    return switches, "", ""
