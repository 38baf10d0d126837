"""Finds and loads rule files, once. Knows where they lie, not what they say.

An installed package keeps them in `tritoncheck/rules`, a checkout beside the package. A user's folders follow the
same contract, with codes that begin with `X`.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import cache, partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tritoncheck import rule as contract
from tritoncheck.compiled import Kept, compile_file
from tritoncheck.rule import Confidence, Finding, Rule, Severity

Check = Callable[[Any], Iterator[Finding]]


class RuleError(Exception):
    """A rule file that cannot be loaded; the text names it and says why."""


class LoadedRule(NamedTuple):
    """A rule, and what brings its generator and its page when one of them is asked for: most of our own rules are about
    things that one model does not have."""

    rule: Rule
    path: str
    load: Callable[[], tuple[Check, str]]

    @property
    def check(self) -> Check:
        """The generator of its findings."""
        return self.load()[0]

    @property
    def page(self) -> str:
        """What `tritoncheck explain` prints."""
        return self.load()[1]


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
    """The rules in a folder; of our own, which are many, the records are kept, each with its code."""
    if not folder.is_dir():
        raise RuleError(f"{folder}: no such folder of rules")
    folders = (str(folder), *(entry.path for entry in os.scandir(folder) if entry.is_dir()))
    files = sorted(
        entry.path
        for one in folders
        for entry in os.scandir(one)
        if entry.name.endswith(".py") and not entry.name.startswith("_")
    )
    if folder != rules_folder():
        yield from map(_of_file, files)
        return
    pack = Kept("all_rules", folder, [*files, __file__, contract.__file__])
    packed = pack.get()
    if packed is None:
        loaded = [_of_file(path) for path in files]
        pack.put(lambda: [_packed(one) for one in loaded])
        yield from loaded
        return
    for path, (record, code) in zip(files, packed, strict=True):
        rule = Rule._make(record)._replace(severity=Severity(record[3]), confidence=Confidence(record[4]))
        yield LoadedRule(rule, path, cache(partial(_unpacked, path, code)))


def _packed(loaded: LoadedRule) -> tuple[tuple[Any, ...], bytes]:
    """The fields of a rule and its code, as `marshal` takes them."""
    record = tuple(int(one) if isinstance(one, IntEnum) else one for one in loaded.rule)
    return record, marshal.dumps(compile_file(loaded.path))


def _unpacked(path: str, code: bytes) -> tuple[Check, str]:
    module = _run(path, marshal.loads(code))
    return module.check, module.__doc__ or ""


def _of_file(path: str) -> LoadedRule:
    try:
        module = _run(path, compile_file(path))
    except Exception as error:
        raise RuleError(f"{path}: {type(error).__name__}: {error}") from error
    rule, check = getattr(module, "RULE", None), getattr(module, "check", None)
    if not isinstance(rule, Rule) or not callable(check):
        raise RuleError(f"{path}: a rule file defines `RULE` and `check`")
    brought = check, module.__doc__ or ""
    return LoadedRule(rule, path, lambda: brought)


def _run(path: str, code: CodeType) -> ModuleType:
    module = ModuleType(f"tritoncheck.rules.{Path(path).stem}")
    module.__file__ = path
    # While it runs, too: dataclasses and pickle look a module up by its name.
    sys.modules[module.__name__] = module
    exec(code, module.__dict__)
    return module


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
