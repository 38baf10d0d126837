"""Finds and loads rule files, once. Knows where they lie, not what they say.

An installed package keeps them in `tritoncheck/rules`, a checkout beside the package. A user's folders follow the
same contract, with codes that begin with `X`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

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
        if not folder.is_dir():
            raise RuleError(f"{folder}: no such folder of rules")
        for path in sorted((*folder.glob("*.py"), *folder.glob("*/*.py"))):
            if path.name.startswith("_"):
                continue
            loaded = _load(path)
            if loaded.rule.code in found:
                other = found[loaded.rule.code].path
                raise RuleError(f"{path}: the code {loaded.rule.code} is taken by {other}")
            found[loaded.rule.code] = loaded
    return tuple(found[code] for code in sorted(found))


def _load(path: Path) -> LoadedRule:
    name = f"tritoncheck.rules.{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuleError(f"{path}: not a Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise RuleError(f"{path}: {type(error).__name__}: {error}") from error
    rule, check = getattr(module, "RULE", None), getattr(module, "check", None)
    if not isinstance(rule, Rule) or not callable(check):
        raise RuleError(f"{path}: a rule file defines `RULE` and `check`")
    sys.modules[name] = module
    return LoadedRule(rule, check, module.__doc__ or "", str(path))


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
