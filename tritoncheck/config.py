"""Settings: `tritoncheck.toml`, or `[tool.tritoncheck]` of the nearest `pyproject.toml`, with options on top.

The file is looked for from what is linted upwards, so that a run from anywhere gives the same findings. A key that
does not exist is refused with the nearest that does. Knows nothing of rules but their names as text.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

FAIL_ON = ("error", "warning", "info", "never")


class ConfigError(Exception):
    """A configuration that cannot be used; the text names the file and the key."""


class PathRule(NamedTuple):
    """What holds for findings in paths that fit a pattern, seen from the configuration file's folder."""

    pattern: str
    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()


class Settings(NamedTuple):
    """All settings of a run, or those of them that one place gives.

    select, ignore: codes, their beginnings, or names. fail_on: the severity from which on the run fails.
    paths: overrides by path. rules: more folders of rules. triton, image, launch, driver, gpu, compute_capability,
    shm_size: how the server is started, as text. host: the driver and GPU of this machine are those of the server's.
    deployment: files that say how the server is started. no_deployment: none is looked for. deployed: what is linted is
    what a server reads. root: the folder of the configuration file.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    paths: tuple[PathRule, ...] = ()
    rules: tuple[Path, ...] = ()
    triton: str = ""
    image: str = ""
    launch: str = ""
    driver: str = ""
    gpu: str = ""
    compute_capability: str = ""
    shm_size: str = ""
    host: bool = False
    deployment: tuple[str, ...] = ()
    no_deployment: bool = False
    deployed: bool = False
    source: str = ""
    root: Path = Path()

    def under(self, typed: Settings) -> Settings:
        """These settings of a file with those of the command line on top; what is empty or False there was not typed.

        `--ignore` adds to what the file leaves out, and `--image` wins over a release that the file names.
        """
        given = {name: value for name, value in typed._asdict().items() if value and name != "root"}
        if typed.ignore:
            given["ignore"] = (*self.ignore, *typed.ignore)
        if typed.image:
            given.setdefault("triton", "")
        if typed.deployment or typed.no_deployment:  # the one that was typed, whatever the file says
            given |= {"deployment": typed.deployment, "no_deployment": typed.no_deployment}
        return self._replace(**given)

    def path_rules(self, path: str) -> list[PathRule]:
        """The overrides that hold for a path."""
        if not self.paths:
            return []
        full = Path(path).resolve()
        root = self.root.resolve()
        shown = full.relative_to(root).as_posix() if full.is_relative_to(root) else full.as_posix()
        return [rule for rule in self.paths if _fits(shown, rule.pattern)]


def _fits(path: str, pattern: str) -> bool:
    pattern = pattern.removeprefix("./").rstrip("/")
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern}/*")


def find_settings(path: str) -> Settings:
    """The settings for what is linted at a path; the default ones if no file gives any. ConfigError if one is bad."""
    start = Path(path).resolve()
    for folder in (start, *start.parents):
        own = folder / "tritoncheck.toml"
        if os.path.lexists(own):
            return read_settings(own)
        project = folder / "pyproject.toml"
        if os.path.isfile(project) and b"tritoncheck" in _bytes(project):
            table = _load(project).get("tool", {})
            section = table.get("tritoncheck") if isinstance(table, Mapping) else None
            if section is not None:
                return _settings(section, project, "tool.tritoncheck.")
    return Settings()


def read_settings(path: Path) -> Settings:
    """The settings of one file, a `tritoncheck.toml` or a `pyproject.toml`."""
    table = _load(path)
    if path.name == "pyproject.toml":
        tool = table.get("tool", {})
        table = tool.get("tritoncheck", {}) if isinstance(tool, Mapping) else {}
    return _settings(table, path, "")


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_bytes(path).decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None


_TEXTS = ("triton", "image", "launch", "driver", "gpu", "compute-capability", "shm-size")
_LISTS = ("select", "ignore", "rules", "deployment")
_SWITCHES = ("deployed", "host", "no-deployment")
_KEYS = (*_TEXTS, *_LISTS, *_SWITCHES, "fail-on", "paths")


def _settings(table: object, path: Path, prefix: str) -> Settings:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: `{prefix.rstrip('.')}` must be a table")
    _known(table, _KEYS, path, prefix)
    values: dict[str, Any] = {}
    for key in _TEXTS:
        if key in table:
            values[key.replace("-", "_")] = _text(table[key], path, prefix + key)
    for key in _LISTS:
        if key in table:
            values[key] = _texts(table[key], path, prefix + key)
    if "rules" in values:
        values["rules"] = tuple(path.parent / one for one in values["rules"])
    if "deployment" in values:
        values["deployment"] = tuple(str(path.parent / one) for one in values["deployment"])
    if "fail-on" in table:
        values["fail_on"] = _choice(table["fail-on"], FAIL_ON, path, prefix + "fail-on")
    for key in _SWITCHES:
        if key in table:
            if not isinstance(table[key], bool):
                raise ConfigError(f"{path}: `{prefix}{key}` must be true or false")
            values[key.replace("-", "_")] = table[key]
    if values.get("no_deployment") and values.get("deployment"):
        raise ConfigError(f"{path}: `{prefix}deployment` and `{prefix}no-deployment` exclude each other")
    if "paths" in table:
        values["paths"] = _path_rules(table["paths"], path, prefix)
    return Settings(source=str(path), root=path.parent, **values)


def _path_rules(value: object, path: Path, prefix: str) -> tuple[PathRule, ...]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: `{prefix}paths` must be a table of patterns")
    rules = []
    for pattern, inner in value.items():
        key = f'{prefix}paths."{pattern}"'
        if not isinstance(inner, Mapping):
            raise ConfigError(f"{path}: `{key}` must be a table")
        _known(inner, ("ignore", "select"), path, f"{key}.")
        lists = {name: _texts(inner[name], path, f"{key}.{name}") for name in inner}
        rules.append(PathRule(pattern, **lists))
    return tuple(rules)


def _known(table: Mapping[str, object], keys: tuple[str, ...], path: Path, prefix: str) -> None:
    for key in table:
        if key in keys:
            continue
        from tritoncheck.schema.advice import nearest

        near = nearest(key.replace("_", "-"), keys)
        hint = f"; did you mean `{near}`?" if near else f"; known: {', '.join(keys)}"
        raise ConfigError(f"{path}: unknown key `{prefix}{key}`{hint}")


def _text(value: object, path: Path, key: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{path}: `{key}` must be a string")
    return value


def _texts(value: object, path: Path, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ConfigError(f"{path}: `{key}` must be a list of strings")
    return tuple(value)


def _choice(value: object, choices: tuple[str, ...], path: Path, key: str) -> str:
    if value not in choices:
        raise ConfigError(f"{path}: `{key}` must be one of {', '.join(choices)}, not {value!r}")
    return str(value)
