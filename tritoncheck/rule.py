"""The contract of a rule: the only module of this package that a rule file imports.

A rule file holds a docstring that is its page, one record `RULE`, and one generator `check` that yields findings
made by `RULE.finding(…)`. This module must not know how rules are found, run or printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tritoncheck.deployment.fit import Fit
    from tritoncheck.deployment.launch import Launch
    from tritoncheck.graphs import GraphBound, GraphSpec
    from tritoncheck.model import Model
    from tritoncheck.model_repository import Repository
    from tritoncheck.modelfile.network_file import Network, NetworkTensor
    from tritoncheck.modelfile.onnx_file import OnnxModel, OnnxTensor
    from tritoncheck.modelfile.opened import OpenedFile
    from tritoncheck.modelfile.python_file import Method, ModelClass, PythonModule
    from tritoncheck.race import Race
    from tritoncheck.refusals import Refusals
    from tritoncheck.repository import Entry, VersionFolder
    from tritoncheck.suppress import Ledger, Suppression
    from tritoncheck.textproto import Problem

    __all__ = [
        "Confidence",
        "Edit",
        "Entry",
        "Finding",
        "Fit",
        "Fix",
        "GraphBound",
        "GraphSpec",
        "Launch",
        "Ledger",
        "Method",
        "Model",
        "ModelClass",
        "Network",
        "NetworkTensor",
        "OnnxModel",
        "OnnxTensor",
        "OpenedFile",
        "Problem",
        "PythonModule",
        "Race",
        "Refusals",
        "Related",
        "Repository",
        "Rule",
        "Severity",
        "Span",
        "Suppression",
        "VersionFolder",
        "has_hole",
        "listing",
        "release_tag",
    ]
else:
    # A rule names these in annotations only; the real classes cost imports.
    GraphBound = GraphSpec = Refusals = object
    Method = ModelClass = Network = NetworkTensor = OnnxModel = OnnxTensor = PythonModule = object
    OpenedFile = list  # what takes an index
    Entry = Fit = Launch = Ledger = Model = Problem = Race = Repository = Suppression = VersionFolder = object

Release = tuple[int, ...]
Path = tuple[str | int, ...]


class Severity(IntEnum):
    """error: Triton refuses the model, crashes, or the start is a lottery; warning: it loads, but wrongly, flakily
    or uselessly; info: advice."""

    INFO = 1
    WARNING = 2
    ERROR = 3


class Confidence(IntEnum):
    """How sure a finding is: low where it rests on something that the files do not show."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Span(NamedTuple):
    """A place. Lines and columns from 1, columns in characters, ends exclusive; start and end are byte offsets.

    For a folder or a file that is no text: line 1, column 1, nothing in between.
    """

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    start: int = 0
    end: int = 0


class Related(NamedTuple):
    """A second place that a finding speaks of."""

    message: str
    span: Span


class Edit(NamedTuple):
    """Replace the bytes `start`..`end` of a file by `text`, which is written as UTF-8."""

    path: str
    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """Edits that cure a finding. safe: they cannot change what a working server does."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Finding(NamedTuple):
    """One thing to say about one place."""

    rule: Rule
    span: Span
    message: str
    help: str
    severity: Severity
    confidence: Confidence
    refused: bool
    model: str
    related: tuple[Related, ...] = ()
    fix: Fix | None = None


class Rule(NamedTuple):
    """What a rule is.

    code, name: `TCG001`, `graph-load-race`; the name says the pattern, not the cure.
    title: the rule in one line.
    scope: what `check` is called with: `model` (a Model), `repository` (a Repository), `refusals` (the models of a
        repository that other rules call refused) or `suppressions` (those of one file, with their use).
    needs: what it looks at: `config`, `files`, `repository`, `launch`, `host`, `modelfile`.
    reads: field paths with dots whose value it relies on (`optimization.cuda`); where one of them is hidden behind
        a placeholder or a fault the rule is not run for that model. `*` = any field of the config.
    refused: Triton itself refuses the model for it. since, until: first and last release it holds for.
    evidence: the Triton source file and release, or the measurement, that it rests on.
    on_broken: whether it is run for a model whose text has faults (rules about those faults).
    only_with: top-level fields of which one must be set for it to find anything; spares the call for other models.
    backends: backends of which one must serve the model for it to find anything; the same.
    once: it is told once a file, however many launches or repositories it is found for.
    """

    code: str
    name: str
    title: str
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    scope: str = "model"
    needs: tuple[str, ...] = ("config",)
    reads: tuple[str, ...] = ()
    refused: bool = False
    since: Release | None = None
    until: Release | None = None
    evidence: tuple[str, ...] = ()
    on_broken: bool = False
    only_with: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    once: bool = False

    def finding(
        self,
        span: Span,
        message: str,
        *,
        help: str = "",
        model: str = "",
        related: Iterable[Related] = (),
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        refused: bool | None = None,
        fix: Fix | None = None,
    ) -> Finding:
        """A finding of this rule; what is left out is the rule's own. `model` is filled in for model rules."""
        return Finding(
            rule=self,
            span=span,
            message=message,
            help=help,
            severity=self.severity if severity is None else severity,
            confidence=self.confidence if confidence is None else confidence,
            refused=self.refused if refused is None else refused,
            model=model,
            related=tuple(related),
            fix=fix,
        )


def release_tag(release: Release) -> str:
    """(24, 1) as `24.01`."""
    return ".".join(f"{part:02}" for part in release[:2]) + "".join(f".{part}" for part in release[2:])


def has_hole(text: str) -> bool:
    """Whether a template's hole, `${…}` or `{{…}}`, still stands in a string: nobody knows what it will be."""
    return "${" in text or "{{" in text


def listing(names: Iterable[str], count: int | None = None, most: int = 3) -> str:
    """Names as a sentence has them: `a`; `a` and `b`; `a`, `b`, `c` and 37 more. count: how many there are, where
    not all are given."""
    quoted = [f"`{name}`" for name in names]
    total = len(quoted) if count is None else count
    if total > most + 1:
        quoted = [*quoted[:most], f"{total - most} more"]
    return " and ".join((", ".join(quoted[:-1]), quoted[-1])) if len(quoted) > 1 else "".join(quoted)


def alike(word: str, known: str) -> bool:
    """Whether a word is meant to be a known one: differs in case, in the signs between its parts, or, if it is long,
    in at most two letters."""
    left, right = (one.lower().replace("-", "_").replace(".", "_") for one in (word, known))
    if left == right:
        return True
    if len(known) < 8 or abs(len(left) - len(right)) > 2:
        return False
    row = list(range(len(right) + 1))
    for number, letter in enumerate(left, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(right, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != other))
    return row[-1] <= 2
