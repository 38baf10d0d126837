"""The rules at work on one repository after the other: check, silence, follow up.

Reads no repository and sorts no findings; `lint` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.outcome import Report
from tritoncheck.refusals import read_refusals
from tritoncheck.registry import Check, LoadedRule
from tritoncheck.rule import Finding, Rule
from tritoncheck.run import Run, Tick, allowed

if TYPE_CHECKING:
    from tritoncheck.suppress import Ledger, Suppression

# Every spelling of our name in a comment begins like this.
MENTION = re.compile(r"triton[-_ ]?check", re.ASCII | re.IGNORECASE)

# A rule that needs no more than these speaks of how the server is started and of nothing else.
LAUNCH_ONLY = frozenset(("launch", "host"))


@dataclass(slots=True)
class Steps:
    """Counts steps for the progress callback: one for reading a model, one for checking it."""

    tick: Tick | None
    total: int
    done: int = 0

    def step(self) -> None:
        """One more step is done."""
        self.done += 1
        if self.tick:
            self.tick(self.done, self.total)


class Checker:
    """The rules at work on one repository after the other."""

    def __init__(self, run: Run, report: Report, on: list[LoadedRule], steps: Steps) -> None:
        self.run = run
        self.report = report
        self.steps = steps
        self.model_rules = [one for one in on if one.rule.scope == "model"]
        self.repository_rules = [one for one in on if one.rule.scope == "repository"]
        self.refusal_rules = [one for one in on if one.rule.scope == "refusals"]
        self.suppression_rules = [one for one in on if one.rule.scope == "suppressions"]
        self.hidden: set[str] = set()
        self.checks: dict[tuple[frozenset[str], str], list[Check]] = {}
        self.launch_said: set[tuple[str, str]] = set()

    def repository(self, repository: Repository) -> None:
        """Check one repository; findings go into the report."""
        found: list[Finding] = []
        suppressions: dict[str, tuple[Model, list[Suppression]]] = {}
        for model in repository.models:
            found += self._model(model)
            marks = _suppressions(model)
            if marks:
                suppressions[model.config_path] = (model, marks)
            model.rest()
            self.steps.step()
        nothing_said = repository.launch.is_blank and not repository.faults
        for loaded in self.repository_rules:
            if not (nothing_said and LAUNCH_ONLY.issuperset(loaded.rule.needs)):
                found += loaded.check(repository)
        found = self._by_path(found)
        found = self._silence(found, suppressions, repository)
        found = [one for one in found if self._is_news(one)]
        if self.refusal_rules:
            refusals = read_refusals(repository, found)
            follows = [one for loaded in self.refusal_rules for one in loaded.check(refusals)]
            found += self._silence(self._by_path(follows), suppressions, repository)
        for model, marks in suppressions.values():
            ledger = self._ledger(model, marks, repository)
            for loaded in self.suppression_rules:
                about = [one._replace(model=model.name) for one in loaded.check(ledger)]
                found += self._by_path(about)
        self._keep_texts(found, repository)
        report = self.report
        report.findings += found
        report.repositories += 1
        names = {model.name for model in repository.models}
        report.models += len(names)
        report.names |= names
        report.files += sum(bool(model.config_path) for model in repository.models)

    def _model(self, model: Model) -> list[Finding]:
        found: list[Finding] = []
        if model.broken:
            for one in self.model_rules:
                if one.rule.on_broken or not self._hides(model, one.rule):
                    found += one.check(model)
        else:
            for check in self._checks(model):
                found += check(model)
        return [one if one.model else one._replace(model=model.name) for one in found]

    def _checks(self, model: Model) -> list[Check]:
        """The rules that may find something in a model with these fields and this backend; most models are alike."""
        present = frozenset(field.name for field, _ in model.config.ListFields())
        key = (present, model.backend.name)
        if key not in self.checks:
            self.checks[key] = [
                one.check
                for one in self.model_rules
                if (not one.rule.only_with or not present.isdisjoint(one.rule.only_with))
                and (not one.rule.backends or model.backend.name in one.rule.backends)
            ]
        return self.checks[key]

    def _ran(self, model: Model, repository: Repository) -> frozenset[str]:
        """The codes of the rules that looked at all of a model, so that their silence means that nothing is there."""
        rules = [one.rule for one in self.model_rules]
        if model.broken:
            rules = [rule for rule in rules if rule.on_broken or not self._hides(model, rule)]
        if not any(one.broken for one in repository.models):
            rules += [one.rule for one in self.repository_rules]
        rules += [one.rule for one in (*self.refusal_rules, *self.suppression_rules)]
        overrides = self.run.settings.path_rules(model.config_path)
        return frozenset(rule.code for rule in rules if allowed(rule, overrides))

    def _hides(self, model: Model, rule: Rule) -> bool:
        """Whether the text hides a value that a rule relies on."""
        if model.unreadable or "config" not in rule.needs:
            hurt = bool(model.unreadable)
        else:
            reads = rule.reads or ("*",)
            hurt = any(model.unknown(*(() if read == "*" else read.split("."))) for read in reads)
        if hurt:
            self.hidden.add(model.name)
        return hurt

    def _by_path(self, found: list[Finding]) -> list[Finding]:
        """Apply the overrides by path."""
        if not self.run.settings.paths:
            return found
        return [one for one in found if allowed(one.rule, self.run.settings.path_rules(one.span.path))]

    def _is_news(self, finding: Finding) -> bool:
        """Whether it was not said of another repository: what only the launch and the host show is said once."""
        if not LAUNCH_ONLY.issuperset(finding.rule.needs):
            return True
        said = (finding.rule.code, finding.message.split("\n")[0])
        news = said not in self.launch_said
        self.launch_said.add(said)
        return news

    def _ledger(self, model: Model, marks: list[Suppression], repository: Repository) -> Ledger:
        from tritoncheck.suppress import Ledger, names_of, varying

        rules = [one.rule for one in self.run.rules]
        ran = self._ran(model, repository)
        return Ledger(model.text, marks, self.run.today, ran, names_of(rules), varying(rules))

    def _silence(
        self, found: list[Finding], suppressions: dict[str, tuple[Model, list[Suppression]]], repository: Repository
    ) -> list[Finding]:
        """Take out what comments silence: by those of its own file, and what lies at other files and folders of a
        model by `ignore-file` in its `config.pbtxt`."""
        if not suppressions:
            return found
        from tritoncheck.suppress import apply

        kept: list[Finding] = []
        by_file: dict[str, list[Finding]] = {}
        configs = {model.config_path for model in repository.models}
        for finding in found:
            path = finding.span.path
            if path not in suppressions:
                model = None if path in configs else repository.by_name.get(finding.model)
                whole = suppressions.get(model.config_path, (None, []))[1] if model else []
                marks = [one for one in whole if one.whole_file]
                left, count = apply([finding], marks, self.run.today)
                kept += left
                self.report.suppressed += count
            else:
                by_file.setdefault(path, []).append(finding)
        for path, inside in by_file.items():
            left, count = apply(inside, suppressions[path][1], self.run.today)
            kept += left
            self.report.suppressed += count
        return kept

    def _keep_texts(self, found: list[Finding], repository: Repository) -> None:
        wanted = {span.path for one in found for span in (one.span, *(other.span for other in one.related))}
        for model in repository.models:
            if model.config_path in wanted:
                self.report.texts[model.config_path] = model.text
        for path in wanted:
            if path.endswith(".py") and path not in self.report.texts:
                self.report.texts[path] = _module_text(path)


def _suppressions(model: Model) -> list[Suppression]:
    """The suppressions in a model's configuration; what reads them is loaded where there may be one."""
    if not MENTION.search(model.text):
        return []
    from tritoncheck.config_comments import read_suppressions

    return read_suppressions(model)


def _module_text(path: str) -> str:
    """A Python file as Latin-1, like the text of a configuration; "" where it cannot be read."""
    from tritoncheck.modelfile.python_file import SIZE_LIMIT
    from tritoncheck.modelfile.window import read_whole

    return (read_whole(path, SIZE_LIMIT) or b"").decode("latin-1")
