"""Suppressions: where they stand, what they cover, what becomes of each."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.cases import TODAY
from tritoncheck.command import launch_of
from tritoncheck.config import PathRule, Settings
from tritoncheck.lint import lint, lint_file
from tritoncheck.outcome import Report
from tritoncheck.registry import own_rules
from tritoncheck.run import Run
from tritoncheck.suppress import Suppression

BASE = 'backend: "onnxruntime"\n'
RULES = tuple(one for one in own_rules() if one.rule.code.startswith(("TCS", "TCC", "TCR004", "TCR007")))
# A fault that can be put anywhere: an unknown field, TCS002.
ODD = "odd_field: 1"


def check(folder: Path, text: str | bytes, name: str = "m", **options: Any) -> Report:
    """Lint a repository with one model."""
    path = folder / "repo" / name / "config.pbtxt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    settings = Settings(**options)
    return lint([str(folder / "repo")], Run(settings, launch_of(settings), RULES, TODAY))


def codes(report: Report, *wanted: str) -> list[str]:
    """The codes found, those of this page only: faults of the text and of suppressions."""
    found = [one.rule.code for one in report.findings]
    return [code for code in found if code.startswith(wanted or ("TCS", "TCC"))]


def mark(rest: str) -> str:
    """A suppression of TCS002."""
    return f"# tritoncheck: ignore[TCS002] {rest}"


@pytest.mark.parametrize(
    "text",
    [
        f"{BASE}{ODD}  {mark('why')}\n",
        f"{BASE}{ODD}{mark('why')}",
        f"{BASE}{mark('why')}\n{ODD}\n",
        f"{BASE}   {mark('why')}\n\n# another comment\n\n{ODD}\n",
        f"{BASE}{mark('why')}\n{mark('why, again')}\n{ODD}\n",
        f"# tritoncheck: ignore-file[TCS002] why\n{BASE}{ODD}\n",
        f"{BASE}{ODD}\n# tritoncheck: ignore-file[TCS002] why",
        f"{BASE}{ODD} # tritoncheck: ignore[unknown-field] why\n",
        f"{BASE}{ODD} # tritoncheck: ignore[Unknown-Field] why\n",
        f"{BASE}{ODD} # tritoncheck: ignore[tcs002] why\n",
        f"{BASE}{ODD} #tritoncheck:ignore[TCS002]why\n",
        f"{BASE}{ODD} ## TritonCheck : Ignore [ TCS002 , ] why\n",
        f"{BASE}{ODD} # noqa # tritoncheck: ignore[TCS002] why # pragma\n",
        f"{BASE}{ODD} # tritoncheck: ignore[TCS002] see #12\n",
        f"{BASE}{ODD} # tritoncheck: ignore[TCS002] #12\n",
        f"{BASE}{ODD} # tritoncheck: ignore[TCS002]: weil es größer ist\n",
        f"{BASE}{ODD} # tritoncheck: ignore[TCS002] 因为\n",
        # in blocks and list items
        f"{BASE}optimization {{\n  {mark('why')}\n  cuda {{\n    graphs: false\n    {ODD}\n  }}\n}}\n",
        f"{BASE}{mark('why')}\noptimization {{\n  cuda {{\n    {ODD}\n  }}\n}}\n",
        f"{BASE}optimization {{ cuda {{ {ODD} }} }} {mark('why')}\n",
        f"{BASE}optimization {{ cuda {{\n{ODD} }} }} {mark('why')}\n",
        f'{BASE}input [\n  {{ name: "a" }},\n  {mark("why")}\n  {{\n    name: "b"\n    {ODD}\n  }}\n]\n',
        f'{BASE}{mark("why")}\ninput [\n  {{ name: "a" }},\n  {{ name: "b" {ODD} }}\n]\n',
        f"{BASE}input <\n  {mark('why')}\n  {ODD}\n>\n",
        # white space, line ends, characters
        f"{BASE}\t{mark('why')}\n\t{ODD}\n".replace("\n", "\r\n"),
        f"{BASE}{ODD}\t{mark('why')}\n".replace("\n", "\r\n"),
        f'# größe\n{BASE}name: "größe" {ODD} {mark("größer")}\n',
        # what cannot be read stands around it
        f"{BASE}input {{\n  {mark('why')}\n  {ODD}\n  dims: [ 1 ]\n",
    ],
)
def test_silences(text: str, tmp_path: Path) -> None:
    report = check(tmp_path, text, select=("TCS002", "TCC"))
    assert codes(report) == []
    assert report.suppressed == 1


@pytest.mark.parametrize(
    "text",
    [
        f"{ODD}\n{BASE.strip()} {mark('why')}\n",
        f"{BASE}{mark('why')}\nmax_batch_size: 8\n{ODD}\n",
        f"{BASE}optimization {{\n  cuda {{ }}\n  {mark('why')}\n}}\n{ODD}\n",
        f"{BASE}{ODD}\n{mark('why')}\n",
        f'{BASE}input [\n  {mark("why")}\n  {{ name: "a" }},\n  {{ name: "b" {ODD} }}\n]\n',
        f"{BASE}optimization {{  {mark('why')}\n  {ODD}\n}}\n",
    ],
)
def test_covers_no_more(text: str, tmp_path: Path) -> None:
    report = check(tmp_path, text)
    assert sorted(codes(report)) == ["TCC001", "TCS002"]
    assert report.suppressed == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"x" } # tritoncheck: ignore[TCS001] why\n',
        "# tritoncheck: ignore[TCS001] why\n{ }\n",
        "max_batch_size: 8,, # tritoncheck: ignore[TCS001] why\n",
        'name: "m\n# tritoncheck: ignore-file[TCS001, TCS018] why\n',
        "# tritoncheck: ignore[TCS006] why\n// no comment\n",
        "// no comment\n# tritoncheck: ignore-file[TCS006] why\n",
        "max_batch_size: ${x}  # tritoncheck: ignore[TCS017] filled in by the deployment\n",
    ],
)
def test_works_in_broken_files(text: str, tmp_path: Path) -> None:
    report = check(tmp_path, text)
    assert codes(report, "TCS") == []
    assert report.suppressed >= 1


def test_a_bom_before_the_first_comment(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf# tritoncheck: ignore[TCS002] why\nodd_field: 1\n"
    assert codes(check(tmp_path, text)) == ["TCS001"]


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        ("# tritoncheck: ignore[TCS002]", "TCC003"),
        ("# tritoncheck: ignore[TCS002] - ", "TCC003"),
        ("# tritoncheck: ignore[TCS002] until 2026-07-01", "TCC003"),
        ("# tritoncheck: ignore[TCS002]  # another remark", "TCC003"),
        ("# tritoncheck: ignore[TCS002] why, until 2026-05-31", "TCC002"),
        ("# tritoncheck: ignore[TCS002] until 2026-05-31 why", "TCC002"),
        ("# tritoncheck: ignore[TCS002] (until: 2026-05-31)", "TCC002"),
        ("# tritoncheck: ignore[TCS02] why", "TCC004"),
        ("# tritoncheck: ignore[TCS] why", "TCC004"),
        ("# tritoncheck: ignore[unknown_field] why", "TCC004"),
        ("# tritoncheck: ignore[größe] why", "TCC004"),
        ("# tritoncheck: ignore", "TCC005"),
        ("# tritoncheck: ignore TCS002 why", "TCC005"),
        ("# tritoncheck: ignore(TCS002) why", "TCC005"),
        ("# tritoncheck: ignore[] why", "TCC005"),
        ("# tritoncheck: ignore[,] why", "TCC005"),
        ("# tritoncheck: ignore[TCS002 why", "TCC005"),
        ("# tritoncheck: ignore_file[TCS002] why", "TCC005"),
        ("# tritoncheck: ignored[TCS002] why", "TCC005"),
        ("# tritoncheck: disable=TCS002 why", "TCC005"),
        ("# tritoncheck: noqa", "TCC005"),
        ("# tritoncheck: TCS002 why", "TCC005"),
        ("# tritoncheck: [TCS002] why", "TCC005"),
        ("# tritoncheck ignore[TCS002] why", "TCC005"),
        ("# triton-check: ignore[TCS002] why", "TCC005"),
        ("# tritoncheck: ignore[TCS002] why until 2026-02-30", "TCC005"),
        ("# tritoncheck: ignore[TCS002] why until 2027/03/01", "TCC005"),
        ("# tritoncheck: ignore[TCS002] why until 01.03.2027", "TCC005"),
        ("# tritoncheck: ignore[TCS002] why until 2027-03", "TCC005"),
        ("# tritoncheck: ignore[TCS002] why until 20270301", "TCC005"),
    ],
)
def test_what_silences_nothing_is_told(comment: str, code: str, tmp_path: Path) -> None:
    report = check(tmp_path, f"{BASE}{ODD}  {comment}\n")
    assert sorted(codes(report)) == sorted([code, "TCS002"])
    (found,) = (one for one in report.findings if one.rule.code == code)
    assert found.span.line == 2
    assert found.help
    assert report.texts[found.span.path]


@pytest.mark.parametrize(
    "comment",
    [
        "# tritoncheck is great",
        "# tritoncheck: a linter",
        "# tritoncheck: see https://example.com/a[1]",
        "# checked by tritoncheck: ok",
        "# run `tritoncheck: ignore` no more",
        "# triton check ok",
        "# tritonchecks: ignore[TCS002] why",
        "# tritoncheck",
        "# tritoncheck:",
        "# https://example.com/tritoncheck: docs",
        '# "tritoncheck: ignore[TCS002] why"',
        "# ruff: ignore[TCS002] why",
    ],
)
def test_other_comments_are_left_alone(comment: str, tmp_path: Path) -> None:
    assert codes(check(tmp_path, f"{BASE}{comment}\n")) == []


def test_the_text_of_a_string_is_no_comment(tmp_path: Path) -> None:
    text = f'{BASE}name: "# tritoncheck: ignore[nonsense"\n'
    assert codes(check(tmp_path, text), "TCC") == []


@pytest.mark.parametrize("when", ["why until 26.10 is out", "until 580.173.02 comes", "until the driver is new"])
def test_until_something_that_is_no_day(when: str, tmp_path: Path) -> None:
    assert codes(check(tmp_path, f"{BASE}{ODD}  {mark(when)}\n")) == []


def test_the_last_day_counts() -> None:
    suppression = Suppression(None, reason="why", until=date(2026, 6, 1))  # type: ignore[arg-type]
    assert suppression.holds(date(2026, 6, 1))
    assert not suppression.holds(date(2026, 6, 2))


def test_several_codes(tmp_path: Path) -> None:
    text = f"{BASE}{ODD} max_batch_size: x # tritoncheck: ignore[TCS002, wrong-type TCS019] why\n"
    report = check(tmp_path, text)
    assert report.suppressed == 2
    (found,) = (one for one in report.findings if one.rule.code.startswith("TCC"))
    assert found.rule.code == "TCC001"
    line = text.splitlines()[1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == "TCS019"
    assert found.fix is None


def test_names_stand_behind_other_letters_where_they_stand(tmp_path: Path) -> None:
    text = f'{BASE}name: "größe"  # tritoncheck: ignore[größe, TCS02] why\n'
    found = [one for one in check(tmp_path, text, name="größe").findings if one.rule.code == "TCC004"]
    line = text.splitlines()[1]
    assert [line[one.span.column - 1 : one.span.end_column - 1] for one in found] == ["größe", "TCS02"]
    assert [text.encode()[one.span.start : one.span.end].decode() for one in found] == ["größe", "TCS02"]


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("TCS0002", "TCS002"),
        ("TCS02", "TCS002"),
        ("unknown-feild", "unknown-field"),
        ("UNKNOWN_FIELD", "unknown-field"),
    ],
)
def test_the_nearest_rule(written: str, near: str, tmp_path: Path) -> None:
    report = check(tmp_path, f"{BASE}{ODD} # tritoncheck: ignore[{written}] why\n")
    (found,) = (one for one in report.findings if one.rule.code == "TCC004")
    assert f"`{near}`" in found.message
    assert found.fix is not None
    assert found.fix.edits[0].text == near


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f'{BASE}{mark("why")}\nname: "m"\n', {"ignore": ("TCS002",)}),
        (f'{BASE}{mark("why")}\nname: "m"\n', {"select": ("TCC",)}),
        (f'{BASE}name: "m" # tritoncheck: ignore[TCR004] why\nmax_batch_size: ${{x}}\n', {"select": ("TCS", "TCC")}),
        (f"{BASE}name: ${{x}} # tritoncheck: ignore[TCR004] why\n", {}),
        ("input { # tritoncheck: ignore[TCR004] why\n", {}),
        (f'{BASE}{mark("why")}\nname: "m"\n', {"paths": (PathRule("*", ignore=("TCS002",)),)}),
        (f'{BASE}{mark("why")}\nname: "m"\n', {"paths": (PathRule("*", select=("TCC001",)),)}),
    ],
)
def test_a_rule_that_was_not_run_leaves_no_unused_suppression(
    text: str, options: dict[str, Any], tmp_path: Path
) -> None:
    assert "TCC001" not in codes(check(tmp_path, text, **options))


def test_unused(tmp_path: Path) -> None:
    report = check(tmp_path, f'{BASE}{mark("why")}\nname: "m"\n')
    assert codes(report) == ["TCC001"]
    fix = report.findings[-1].fix or next(one.fix for one in report.findings if one.rule.code == "TCC001")
    assert fix is not None
    edit = fix.edits[0]
    source = Path(edit.path).read_bytes()
    assert source[: edit.start] + source[edit.end :] == f'{BASE}name: "m"\n'.encode()


def test_the_fix_at_the_end_of_a_line(tmp_path: Path) -> None:
    report = check(tmp_path, f'name: "m"  {mark("why")}\r\n{BASE}')
    (found,) = (one for one in report.findings if one.rule.code == "TCC001")
    assert found.fix is not None
    edit = found.fix.edits[0]
    source = Path(edit.path).read_bytes()
    assert source[: edit.start] + source[edit.end :] == f'name: "m"\r\n{BASE}'.encode()


def test_findings_about_suppressions_are_not_silenced(tmp_path: Path) -> None:
    report = check(tmp_path, f"# tritoncheck: ignore-file[TCC004] why\n{BASE}# tritoncheck: ignore[nonsense] why\n")
    assert sorted(codes(report)) == ["TCC001", "TCC004"]
    assert codes(check(tmp_path, f"{BASE}# tritoncheck: ignore[nonsense] why\n", ignore=("TCC",))) == []


def test_files_and_folders_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "repo" / "m" / "01").mkdir(parents=True)
    text = f"# tritoncheck: ignore-file[TCR007] the importer makes it\n{BASE}"
    report = check(tmp_path, text)
    at_folders = [one for one in report.findings if one.rule.code == "TCR007"]
    assert not at_folders
    assert "TCC001" not in codes(report)


def test_a_file_silences_no_other(tmp_path: Path) -> None:
    variant = tmp_path / "repo" / "m" / "configs" / "big.pbtxt"
    variant.parent.mkdir(parents=True)
    variant.write_text(f"{BASE}{ODD}\n")
    text = f"# tritoncheck: ignore-file[TCS002] why\n{BASE}{ODD}\n"
    report = check(tmp_path, text)
    assert [Path(one.span.path).name for one in report.findings if one.rule.code == "TCS002"] == ["big.pbtxt"]
    variant.write_text(text)
    assert codes(check(tmp_path, text)) == []


def test_a_single_file(tmp_path: Path) -> None:
    path = tmp_path / "some.pbtxt"
    path.write_text(f"{BASE}{ODD} {mark('why')}\n# tritoncheck: ignore-file[TCR004] a rule that needs the folder\n")
    settings = Settings()
    report = lint_file(str(path), Run(settings, launch_of(settings), RULES, TODAY))
    assert codes(report) == []
    assert report.suppressed == 1


def test_many_suppressions_are_read_fast(tmp_path: Path) -> None:
    lines = [f'input {{ name: "a{n}" }} {mark("why")}' for n in range(2000)]
    report = check(tmp_path, BASE + "\n".join(lines) + "\n", select=("TCC",))
    assert codes(report) == []
