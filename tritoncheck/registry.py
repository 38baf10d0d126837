"""Finds and loads rule files, once. Knows where they lie, not what they say.

An installed package keeps them in `tritoncheck/rules`, a checkout beside the package. A user's folders follow the
same contract, with codes that begin with `X`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tritoncheck.compiled import compile_file, compiled
from tritoncheck.rule import Finding, Rule


class RuleError(Exception):
    """A rule file that cannot be loaded; the text names it and says why."""


class LoadedRule(NamedTuple):
    """A rule with its generator and its page."""

    rule: Rule
    check: Callable[[Any], Iterator[Finding]]
    page: str
    path: str


def rules_folder() -> Path:
    """Where the rules of this package lie."""
    package = Path(__file__).parent
    inside = package / "rules"
    return inside if inside.is_dir() else package.parent / "rules"


@cache
def own_rules() -> tuple[LoadedRule, ...]:
    """The rules of this package, by code."""
    return load_rules([rules_folder()])


def load_rules(folders: Iterable[Path]) -> tuple[LoadedRule, ...]:
    """The rules in some folders and the folders in these, by code. RuleError for a file that is no rule."""
    found: dict[str, LoadedRule] = {}
    for folder in folders:
        for loaded in _in(folder):
            if loaded.rule.code in found:
                other = found[loaded.rule.code].path
                raise RuleError(f"{loaded.path}: the code {loaded.rule.code} is taken by {other}")
            found[loaded.rule.code] = loaded
    return tuple(found[code] for code in sorted(found))


def _in(folder: Path) -> Iterator[LoadedRule]:
    """The rules in a folder; the code of our own, which are many, is kept in one file."""
    if not folder.is_dir():
        raise RuleError(f"{folder}: no such folder of rules")
    folders = (str(folder), *(entry.path for entry in os.scandir(folder) if entry.is_dir()))
    files = sorted(
        entry.path
        for one in folders
        for entry in os.scandir(one)
        if entry.name.endswith(".py") and not entry.name.startswith("_")
    )
    codes = compiled("all_rules", files, folder) if folder == rules_folder() else map(_code, files)
    for path, code in zip(files, codes, strict=True):
        yield _load(path, code)


def _code(path: str) -> CodeType:
    try:
        return compile_file(path)
    except Exception as error:
        raise RuleError(f"{path}: {type(error).__name__}: {error}") from error


def _load(path: str, code: CodeType) -> LoadedRule:
    module = ModuleType(f"tritoncheck.rules.{Path(path).stem}")
    module.__file__ = path
    # While it runs, too: dataclasses and pickle look a module up by its name.
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except Exception as error:
        raise RuleError(f"{path}: {type(error).__name__}: {error}") from error
    rule, check = getattr(module, "RULE", None), getattr(module, "check", None)
    if not isinstance(rule, Rule) or not callable(check):
        raise RuleError(f"{path}: a rule file defines `RULE` and `check`")
    return LoadedRule(rule, check, module.__doc__ or "", path)


def matches(rule: Rule, pattern: str) -> bool:
    """Whether a pattern of `--select` or `--ignore` means this rule: a code, its beginning, a name, or `ALL`."""
    return pattern == "ALL" or rule.name == pattern.lower() or rule.code.startswith(pattern.upper())


def check_patterns(patterns: Iterable[str], rules: Iterable[Rule]) -> str:
    """The first pattern that means no rule, with what may have been meant; "" if all do."""
    known = list(rules)
    for pattern in patterns:
        if any(matches(rule, pattern) for rule in known):
            continue
        from tritoncheck.schema.advice import nearest

        near = nearest(pattern, [rule.name for rule in known] + [rule.code for rule in known])
        return f"unknown rule `{pattern}`" + (f"; did you mean `{near}`?" if near else "")
    return ""
