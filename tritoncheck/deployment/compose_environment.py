"""The variables of a Compose service: those of its `env_file`, then those of `environment`, each with its place.

A file that is not here, as one with passwords is in no tree, leaves its variables unknown, which is said. Source:
compose-spec `05-services.md`, `env_file` and `environment`; compose-go `types/project.go`, 2.0 to 2.9.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from tritoncheck.deployment.compose_merge import pairs
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.files import FileError
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.variable_files import (
    Setting,
    Settings,
    read_dotenv,
    read_plain,
    read_settings,
    setting_of,
)
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span


@dataclass(slots=True)
class Environment:
    """values: those known. unknown: names that are set to what is not. origins: where each stands, by the keys of
    `Launch.origins`."""

    values: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    origins: dict[str, Span] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def over(self, below: dict[str, str]) -> dict[str, str]:
        """These variables on top of others, such as those of the image."""
        return {name: value for name, value in below.items() if name not in self.unknown} | self.values

    def set(self, name: str, one: Setting) -> None:
        """A variable gets a value, in place of the one that it had."""
        key = f"environment:{name}"
        self.origins[key] = one.span
        self.doubts = [doubt for doubt in self.doubts if doubt.key != key]
        self.values.pop(name, None)
        self.unknown.discard(name)
        if one.value is not None:
            self.values[name] = one.value
        else:
            self.unknown.add(name)
            self.doubts += unset(key, one.missing, one.span)


def unset(key: str, missing: tuple[str, ...], span: Span) -> Iterator[Doubt]:
    """The doubt about a value that hangs on variables that nobody sets, if there are any."""
    if missing:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(missing))
        yield Doubt(key, f"nothing sets {names}", span)


def read_environment(service: Node, reader: Reader) -> Environment:
    """The variables of a service."""
    found = Environment()
    node = service.get("env_file")
    for one in node.entries or [node] if node is not None else []:
        for name, setting in _file(one, reader, found).items():
            found.set(name, setting)
    for name, (value, span) in pairs(service.get("environment")).items():
        filled = reader.fill(value)
        given = Setting(filled.text if filled.known else None, missing=filled.missing)
        setting = setting_of(name, reader.variables(value)) if value.null else given
        found.set(name, setting._replace(span=span))
    return found


def _file(entry: Node, reader: Reader, found: Environment) -> dict[str, Setting]:
    """The variables of one file, given by its path or in parts. What the file leaves open is added to `found`."""
    path = entry.get("path") if entry.items else entry
    named = reader.fill(path)
    if not named.text or path is None:
        return {}
    required, form = entry.get("required"), reader.text(entry.get("format"))
    try:
        if not named.known:
            raise FileError("its name is not known")
        if form not in ("", "raw"):
            raise FileError(f"its format `{form}` is not known")
        settings = _read(
            os.path.normpath(os.path.join(os.path.dirname(path.span.path), named.text)), path, form, reader
        )
    except FileError as error:
        optional = required is not None and required.boolean is False
        if not (optional and "no such file" in str(error)):
            why = f"variables are set in `{named.text}`, which is not read: {error}"
            found.doubts.append(Doubt("environment", why, path.span))
        return {}
    found.faults += settings.faults
    return settings.values


def _read(path: str, entry: Node, form: str, reader: Reader) -> Settings:
    dotenv = partial(read_dotenv, known=reader.variables(entry))
    return read_settings(path, reader.files, read_plain if form == "raw" else dotenv)
