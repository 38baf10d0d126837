"""Variables in the values of a Compose file. Never looks at the environment of this process: what a file's findings
are must not depend on who asks.

Grammar: compose-go `template/template.go`, 2.0 to 2.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_START = re.compile(r"\$(?:(?P<escaped>\$)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*))")
_BRACE = re.compile(r"\$\{|\}")
_SIGN = re.compile(r":?[-?+]")
_DEPTH = 20
# What is put in may be long, and often.
_LONGEST = 64 * 1024


class Filled(NamedTuple):
    """A text with its variables put in. missing: those without a value; each stays in the text as written."""

    text: str
    missing: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether every variable had a value."""
        return not self.missing


def fill(text: str, variables: Mapping[str, str], depth: int = 0, most: int = _LONGEST) -> Filled:
    """Put variables in: `$A`, `${A}`, `${A:-x}`, `${A-x}`, `${A:?x}`, `${A:+x}`; `$$` is a dollar.

    A variable that is nowhere set is empty to Compose unless its shell has it, so it counts as not known; its default
    does not count as long as `:-` and `-` are what asks for it. What gets longer than `most` characters is not known.
    """
    if "$" not in text:
        return Filled(text)
    parts: list[str] = []
    missing: list[str] = []
    closings = _closings(text)
    at = size = 0
    while found := _START.search(text, at):
        parts.append(text[at : found.start()])
        at = found.end()
        if found["escaped"]:
            parts.append("$")
            continue
        name, inner = found["name"] or found["braced"], ""
        sign = ""
        if found["braced"]:
            end = closings.get(found.start())
            if end is None:
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
            chosen = fill(inner, variables, depth + 1, most) if is_set and depth < _DEPTH else Filled("")
        elif is_set:
            chosen = Filled(value or "")
        elif sign.endswith("-") and depth < _DEPTH:
            chosen = fill(inner, variables, depth + 1, most)
        else:
            chosen = Filled(text[found.start() : at], (name,))
        size += len(chosen.text)
        if size > most:
            return Filled(text, (name,))
        parts.append(chosen.text)
        missing += chosen.missing
    parts.append(text[at:])
    return Filled("".join(parts), tuple(missing))


def _closings(text: str) -> dict[int, int]:
    """Where each `${` closes, by its place, in one pass; those that never do are not among them."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for brace in _BRACE.finditer(text):
        if brace[0] != "}":
            opened.append(brace.start())
        elif opened:
            found[opened.pop()] = brace.start()
    return found
