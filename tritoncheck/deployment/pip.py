"""The Python packages that a shell script installs with `pip`, as far as they stand in it by name.

Knows the form of the command, not what a package is: files of requirements, indexes and local folders are passed over.
"""

from __future__ import annotations

import re

from tritoncheck.deployment.shell import read_commands

_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?(?:===?([\w.+!*-]+))?(?:[<>=!~,;].*)?")
# Options of `pip install` that take the next word. Source: pip `_internal/commands/install.py`, 21 to 25.
_WITH_VALUE = frozenset(
    (
        *("-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-t", "--target", "-i", "--index-url"),
        *("--extra-index-url", "-f", "--find-links", "--platform", "--python-version", "--prefix", "--root", "--src"),
        *("--no-binary", "--only-binary", "--progress-bar", "--timeout", "--retries", "--trusted-host", "--abi"),
    )
)
_RUN_BY = frozenset(("sudo", "uv", "-m", "exec", "time"))


def installed(script: str) -> dict[str, tuple[str, int, int]]:
    """Each package by its normalised name: the exact version asked for, "" without one, and its place in the script."""
    found: dict[str, tuple[str, int, int]] = {}
    if "pip" not in script:
        return found
    for command in read_commands(script):
        texts = [word.text for word in command.words]
        at = next((n for n, text in enumerate(texts) if re.fullmatch(r"(?:.*/)?pip\d?(?:\.\d+)?", text)), None)
        if at is None or "install" not in texts[at + 1 : at + 4]:
            continue
        if any(text not in _RUN_BY and "python" not in text for text in texts[:at]):
            continue  # an argument of another program
        words = iter(command.words[texts.index("install", at) + 1 :])
        for word in words:
            if word.text in _WITH_VALUE:
                next(words, None)
            elif not word.text.startswith("-") and word.known and (name := _NAME.fullmatch(word.text)):
                found[re.sub(r"[-_.]+", "-", name[1]).lower()] = (name[2] or "", word.start, word.end)
    return found
