"""Every rule against its fixtures and against its own page; and the contract that all rules keep."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.cases import FIXTURES, Case, cases_of, page_cases, places, run_case
from tests.findings import FOLDER, kept, said
from tritoncheck.checking import LAUNCH_ONLY
from tritoncheck.deployment.launch import Launch
from tritoncheck.lint import read_models
from tritoncheck.model_repository import Repository
from tritoncheck.registry import LoadedRule, own_rules
from tritoncheck.repository import read_repository
from tritoncheck.rule import Severity
from tritoncheck.schema.descriptors import model_config_class

RULES = {loaded.rule.code: loaded for loaded in own_rules()}
FAMILIES = {
    "TCR": "repository",
    "TCS": "schema",
    "TCH": "shapes",
    "TCB": "batching",
    "TCI": "instances",
    "TCG": "graphs",
    "TCX": "ensembles",
    "TCP": "parameters",
    "TCV": "deployment",
    "TCF": "performance",
    "TCZ": "security",
    "TCC": "tool",
}
HEADINGS = ["What it finds", "Why it matters", "Bad", "Good", "What Triton says", "Evidence"]
NEEDS = {"config", "files", "repository", "launch", "host", "modelfile"}


def _all_cases() -> list[tuple[str, Case]]:
    return [(code, case) for code in RULES for case in cases_of(code)]


@pytest.mark.parametrize(("code", "case"), _all_cases(), ids=lambda one: one.name if isinstance(one, Case) else one)
def test_fixture(code: str, case: Case, tmp_path: Path) -> None:
    """A bad case gives exactly the findings it names; a good one or a near miss none; nobody else cries error.

    What it names of other rules is found, too, and each of those that may cry error does.
    """
    folder = tmp_path / "repo"
    report = run_case(case, folder)
    expected = sorted(one for one in case.expect if one[0] == code)
    assert places(report, folder, code) == expected
    assert bool(expected) == case.name.startswith("bad")
    assert set(case.expect) <= set(places(report, folder))
    noise = {one.rule.code for one in report.findings if one.severity == Severity.ERROR} - {code}
    assert noise == set(case.also), [one for one in report.findings if one.rule.code in noise]
    # Is it meant? `python -m tests.findings CODE` keeps the words of today.
    assert said(report, folder, code) == kept(code).get(case.name, "")


@pytest.mark.parametrize("code", RULES)
def test_page(code: str, tmp_path: Path) -> None:
    """The page has its headings, and its examples lint as it claims."""
    loaded = RULES[code]
    headings = re.findall(r"^## (.*)$", loaded.page, re.MULTILINE)
    assert headings == HEADINGS
    assert re.match(rf"# {code} {loaded.rule.name}\n", loaded.page)
    bad, good = page_cases(loaded, "Bad"), page_cases(loaded, "Good")
    assert bad
    assert good
    for number, case in enumerate(bad):
        folder = tmp_path / f"bad{number}"
        assert places(run_case(case, folder), folder, code), f"{case.name} is not found"
    for number, case in enumerate(good):
        folder = tmp_path / f"good{number}"
        report = run_case(case, folder)
        assert not places(report, folder, code)
        assert not [one for one in report.findings if one.severity == Severity.ERROR]


@pytest.mark.parametrize("triton", ["20.03", "20.11", "21.06", "22.05", "23.06", "24.02"])
def test_no_rule_raises_in_any_release(triton: str, tmp_path: Path) -> None:
    """Old releases lack fields that a rule may ask for."""
    for code in RULES:
        case = next(one for one in cases_of(code) if one.name.startswith("bad"))
        if not {"triton", "image"} & set(case.options):
            run_case(case, tmp_path / code, triton=triton)


@pytest.mark.parametrize("code", RULES)
def test_contract(code: str) -> None:
    """One file, one record, evidence, fixtures; imports nothing but the contract."""
    loaded = RULES[code]
    rule, path = loaded.rule, Path(loaded.path)
    assert re.fullmatch(r"TC[A-Z]\d{3}", code)
    assert path.parent.name == FAMILIES[code[:3]]
    assert path.stem == f"{code.lower()}_{rule.name.replace('-', '_')}"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.title
    assert len(rule.title) <= 80
    assert not rule.title.endswith(".")
    assert set(rule.needs) <= NEEDS
    assert not rule.only_with or rule.scope == "model"
    assert set(rule.only_with) <= set(model_config_class().DESCRIPTOR.fields_by_name)
    assert rule.scope in ("model", "repository", "refusals", "suppressions")
    assert rule.scope == "suppressions" or any(re.search(r"\d\d\.\d\d|measured|H200", one) for one in rule.evidence), (
        "evidence names a release or a measurement"
    )
    kinds = {case.name.split("_")[0] for case in cases_of(code)}
    assert {"bad", "good"} <= kinds
    assert kinds <= {"bad", "good", "miss"}
    assert len(path.read_text().splitlines()) <= 250
    _check_imports(loaded)


def _check_imports(loaded: LoadedRule) -> None:
    allowed = {"collections.abc", "__future__", "re", "math", "itertools", "datetime", "typing"}
    allowed |= {"tritoncheck.rule", "tritoncheck.known_faults"}
    for node in ast.walk(ast.parse(Path(loaded.path).read_text())):
        if isinstance(node, ast.Import):
            assert {name.name for name in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert node.module in allowed


def test_fixtures_belong_to_rules() -> None:
    """No fixture folder without its rule, no words without their fixture."""
    assert {one.name for one in (FIXTURES / "rules").iterdir()} == set(RULES)
    assert {one.stem for one in FOLDER.iterdir()} == set(RULES)
    for code in RULES:
        assert set(kept(code)) == {case.name for case in cases_of(code) if case.name.startswith("bad")}


def test_codes_and_names_are_unique() -> None:
    """Names can be used instead of codes."""
    names = [loaded.rule.name for loaded in own_rules()]
    assert len(names) == len(set(names))


LAUNCH_RULES = [code for code, one in RULES.items() if one.rule.needs and LAUNCH_ONLY.issuperset(one.rule.needs)]


@pytest.mark.parametrize("code", LAUNCH_RULES)
def test_nothing_said_of_the_launch(code: str, tmp_path: Path) -> None:
    """Of a server of which nothing is known, a rule that needs no more than the launch has nothing to say; such rules
    are then not run."""
    for case in cases_of(code):
        folder = read_repository(str(case.build(tmp_path / case.name)))
        repository = Repository(folder, Launch())
        repository.models = [one for each in folder.models for one in read_models(repository, each)]
        assert not list(RULES[code].check(repository))


def test_rules_say_what_they_need() -> None:
    """One that names nothing would count as one about the launch."""
    assert not [code for code, one in RULES.items() if one.rule.scope == "repository" and not one.rule.needs]
    assert len(LAUNCH_RULES) > 20
