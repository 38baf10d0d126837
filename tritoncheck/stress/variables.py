"""The variables that a user gives to the server. Their values may be secrets: none is ever written down.

A plan, and so the journal, keeps of each its name and a mark, by which a resumed run notices that a value has changed.
The mark takes a while to compute, so that nobody who finds a journal can try many values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import pbkdf2_hmac

_ROUNDS = 100_000


class VariableError(ValueError):
    """Variables that cannot be; the text says why, and names no value."""


class Variable:
    """One variable. value: None where only its mark is known. Not a dataclass: `asdict` would show the value."""

    __slots__ = ("mark", "name", "value")

    def __init__(self, name: str, mark: str, value: str | None = None) -> None:
        self.name = name
        self.mark = mark
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and (self.name, self.mark) == (other.name, other.mark)

    def __hash__(self) -> int:
        return hash((self.name, self.mark))

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self.mark!r})"


def read(texts: Sequence[str], own: Mapping[str, str]) -> tuple[Variable, ...]:
    """Variables from `NAME=VALUE`, or `NAME` for the value that this process has; the last of a name counts."""
    found: dict[str, Variable] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or "\0" in text:
            raise VariableError("--env takes NAME=VALUE, or NAME for a variable that is set here")
        if not equals and name not in own:
            raise VariableError(f"--env {name}: not set here; write {name}=VALUE")
        value = value if equals else own[name]
        found[name] = Variable(name, mark(name, value), value)
    return tuple(found[name] for name in sorted(found))


def again(kept: Sequence[Variable], texts: Sequence[str], own: Mapping[str, str]) -> tuple[Variable, ...]:
    """The variables of a plan that was read from a journal, with their values: those given again, or set here."""
    given = {one.name: one for one in read(texts, own)}
    if more := sorted(given.keys() - {one.name for one in kept}):
        raise VariableError(f"--env {more[0]}: the run to resume was begun without it")
    found = []
    for one in kept:
        new = given.get(one.name)
        if new is None and one.name in own:
            new = Variable(one.name, mark(one.name, own[one.name]), own[one.name])
        if new is None:
            raise VariableError(f"a journal keeps no values: give --env {one.name}=… again, as it was")
        if new != one:
            raise VariableError(f"--env {one.name}: the run was begun with another value")
        found.append(new)
    return tuple(found)


def values(variables: Sequence[Variable]) -> dict[str, str]:
    """Names and values, for the server that is started."""
    return {one.name: one.value for one in variables if one.value is not None}


def mark(name: str, value: str) -> str:
    """What is kept of a value: PBKDF2 with SHA-256, salted with the name, 32 hexadecimal digits."""
    return pbkdf2_hmac("sha256", value.encode("utf-8", "surrogateescape"), name.encode(), _ROUNDS, 16).hex()
