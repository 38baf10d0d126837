"""Variables in the values of a Compose file, and the `.env` files that they come from. Never looks at the environment
of this process: what a file's findings are must not depend on who asks.

Grammar: compose-go `template/template.go` and `dotenv/parser.go`, 2.0 to 2.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_START = re.compile(r"\$(?:(?P<escaped>\$)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*))")
_SIGN = re.compile(r":?[-?+]")
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*[=:]\s?(.*)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_DEPTH = 20


class Filled(NamedTuple):
    """A text with its variables put in. missing: those without a value; each stays in the text as written."""

    text: str
    missing: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether every variable had a value."""
        return not self.missing


def fill(text: str, variables: Mapping[str, str], depth: int = 0) -> Filled:
    """Put variables in: `$A`, `${A}`, `${A:-x}`, `${A-x}`, `${A:?x}`, `${A:+x}`; `$$` is a dollar.

    A variable that is nowhere set is empty to Compose unless its shell has it, so it counts as not known; its default
    does not count as long as `:-` and `-` are what asks for it.
    """
    if "$" not in text:
        return Filled(text)
    parts: list[str] = []
    missing: list[str] = []
    at = 0
    while found := _START.search(text, at):
        parts.append(text[at : found.start()])
        at = found.end()
        if found["escaped"]:
            parts.append("$")
            continue
        name, inner = found["name"] or found["braced"], ""
        sign = ""
        if found["braced"]:
            end = _closing(text, at)
            if end < 0:
                parts.append(found[0])
                continue
            inner = text[at:end]
            at = end + 1
            signed = _SIGN.match(inner)
            sign = signed[0] if signed else ""
            inner = inner[len(sign) :]
        value = variables.get(name)
        is_set = value is not None and not (sign.startswith(":") and value == "")
        if sign.endswith("+"):
            # That nobody's shell has the variable is not known, but most likely.
            chosen = fill(inner, variables, depth + 1) if is_set and depth < _DEPTH else Filled("")
        elif is_set:
            chosen = Filled(value or "")
        elif sign.endswith("-") and depth < _DEPTH:
            chosen = fill(inner, variables, depth + 1)
        else:
            chosen = Filled(text[found.start() : at], (name,))
        parts.append(chosen.text)
        missing += chosen.missing
    parts.append(text[at:])
    return Filled("".join(parts), tuple(missing))


def _closing(text: str, start: int) -> int:
    """Where the brace closes that is open at a place; -1 where none does."""
    level, at = 0, start
    while at < len(text):
        if text.startswith("${", at):
            level, at = level + 1, at + 2
            continue
        if text[at] == "}":
            if not level:
                return at
            level -= 1
        at += 1
    return -1


def read_variables(text: str, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a `.env` file, in order; those before, and those known, can be used by those behind."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        assigned = _LINE.fullmatch(line)
        if not assigned or line.lstrip().startswith("#"):
            continue
        name, value = assigned[1], assigned[2].strip()
        if value[:1] == "'" and value.find("'", 1) > 0:
            found[name] = value[1 : value.find("'", 1)]
            continue
        quoted = re.match(r'"((?:[^"\\]|\\.)*)"', value)
        if quoted:
            value = re.sub(r"\\(.)", lambda one: _ESCAPES.get(one[1], one[1]), quoted[1])
        else:
            value = re.split(r"\s+#", value, maxsplit=1)[0].rstrip()
        filled = fill(value, {**(known or {}), **found})
        if filled.known:
            found[name] = filled.text
    return found
