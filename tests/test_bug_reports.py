"""Public reports of failures: for each that files and flags decide, the rule that would have said so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases import FIXTURES, read_case, read_example, run_case

TABLE = tomllib.loads((FIXTURES / "bug-reports.toml").read_text())
REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference" / "bug-reports.md"


@pytest.mark.parametrize("row", TABLE["proved"])
def test_the_rule_says_so(row: str, tmp_path: Path) -> None:
    one: dict[str, Any] = TABLE["proved"][row]
    if "fixture" in one:
        case = read_case(FIXTURES / "rules" / one["code"] / one["fixture"])
    else:
        case = read_example(row, one["case"])
    report = run_case(case, tmp_path / "repo")
    found = [finding for finding in report.findings if finding.rule.code == one["code"]]
    assert found
    assert any(one.get("says", "") in f"{finding.message} {finding.help}" for finding in found), found


def test_no_report_is_forgotten() -> None:
    """Each is proved or left out with a reason, once."""
    if not REFERENCE.is_file():
        pytest.skip("the list of reports is not beside this checkout")
    known = dict(re.findall(r"^\| ([A-Z]{1,2}\d\d) \| ([^|]+?) \|", REFERENCE.read_text(), re.MULTILINE))
    told = {row: one["report"] for table in (TABLE["proved"], TABLE["left"]) for row, one in table.items()}
    assert told == known
    assert not TABLE["proved"].keys() & TABLE["left"].keys()
    assert all(one["why"] for one in TABLE["left"].values())
