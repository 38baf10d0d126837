"""What the rules about the text say beyond their place: Triton's own words, second places, fixes, unreadable files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cases import TODAY, page_cases
from tests.privileges import permissions_hold
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.lint import lint
from tritoncheck.registry import LoadedRule, own_rules
from tritoncheck.rule import Confidence, Finding, Severity
from tritoncheck.run import Run

RULES = tuple(one for one in own_rules() if one.rule.code.startswith("TCS"))
TEXT_CODES = ("TCS001", "TCS002", "TCS003", "TCS004", "TCS005", "TCS006", "TCS017", "TCS018", "TCS019", "TCS020")
LOG = "Error parsing text-format inference.ModelConfig:"
NO_FIELD = 'Message type "inference.ModelConfig" has no field named "{}".»'


def findings(folder: Path, text: str | bytes | None = None, **options: Any) -> list[Finding]:
    """The findings about the text of one model."""
    path = folder / "repo" / "m" / "config.pbtxt"
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    settings = Settings(**options)
    report = lint([str(folder / "repo")], Run(settings, launch_of(settings), RULES, TODAY))
    return [one for one in report.findings if one.rule.code in TEXT_CODES]


def test_every_kind_of_problem_has_its_rule(tmp_path: Path) -> None:
    text = """\
// a comment
backend: "tensorrt"
odd_field: 1
runtime: "x"
optimization { cuda { allow_inexact_match: true } }
optimization { }
version_policy { all { } latest { } }
max_batch_size: "8"
input { data_type: FP32 name: ${name} }
output { dims: [ 1, ] }
"""
    found = findings(tmp_path, text, triton="23.12")
    assert {one.rule.code for one in found} == set(TEXT_CODES)
    assert all(one.severity == Severity.ERROR and one.refused and one.model == "m" for one in found)
    assert all(one.confidence == Confidence.HIGH for one in found)
    assert [LOG in one.help for one in found] == [True] + [False] * (len(found) - 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('max_batch_size: "8"\n', 'Triton prints: «{} 1:17: Expected integer, got: "8"»'),
        (
            "odd_field: 1\n",
            "Triton prints this place as 1:10: «{} 1:10: " + NO_FIELD.format("odd_field"),
        ),
        (
            "name: 'ü' odd: 1\n",
            "Triton prints this place as 1:15: «{} 1:15: " + NO_FIELD.format("odd"),
        ),
        (
            "\todd: 1\n",
            "Triton prints this place as 1:12: «{} 1:12: " + NO_FIELD.format("odd"),
        ),
        ("max_batch_size: ${n}\n", "Triton prints: «{} 1:17: Expected integer, got: $»"),
        ("// a comment\n", "Triton prints: «{} 1:1: Expected identifier, got: /»"),
        ("größe: 1\n", "Triton prints: «{} 1:3: Interpreting non ascii codepoint 195.»"),
    ],
)
def test_the_words_of_the_log(text: str, words: str, tmp_path: Path) -> None:
    lines = [line for one in findings(tmp_path, text) for line in one.help.splitlines() if LOG in line]
    assert lines == [words.format(LOG)]


def test_the_fault_that_triton_meets_first_has_them(tmp_path: Path) -> None:
    """A block that is never closed begins early, but Triton only sees it at the end of the text."""
    found = findings(tmp_path, "input {\n  odd_field: 1\n")
    assert [one.rule.code for one in found] == ["TCS001", "TCS002"]
    assert LOG not in found[0].help
    assert f'{LOG} 2:12: Message type "inference.ModelInput"' in found[1].help


def test_second_places(tmp_path: Path) -> None:
    found = findings(tmp_path, "optimization { }\noptimization { }\ndynamic_batching { }\nsequence_batching { }\n")
    assert [(one.rule.code, one.span.line, one.related[0].span.line) for one in found] == [
        ("TCS004", 2, 1),
        ("TCS005", 4, 3),
    ]


def test_too_new_names_both_releases_and_what_happens(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, 'runtime: "x"\n', triton="23.12")
    assert all(word in found.message for word in ("`runtime`", "24.01", "23.12", "refuses the whole model"))
    assert findings(tmp_path) == []
    (found,) = findings(tmp_path, "input { data_type: TYPE_BF16 }\n", image="nvcr.io/nvidia/tritonserver:22.04-py3")
    assert all(word in found.message for word in ("`TYPE_BF16`", "22.05", "22.04"))


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("// a\n// b\nname: 'm' // c\n", "# a\n# b\nname: 'm' # c\n"),
        ("//\r\n//größe\r\n", "#\r\n#größe\r\n"),
        ("/* a */\n", "# a\n"),
        ("/* a\n   b\n\n */\nname: 'm'\n", "# a\n#   b\n#\n#\nname: 'm'\n"),
        ("/*a\nb größer*/\n", "# a\n# b größer\n"),
        ("/* never closed\nname: 'm'", "# never closed\n# name: 'm'"),
    ],
)
def test_slash_comments_are_mended(text: str, fixed: str, tmp_path: Path) -> None:
    found = findings(tmp_path, text)
    source = text.encode()
    edits = [edit for one in found if one.fix for edit in one.fix.edits]
    for edit in sorted(edits, key=lambda edit: -edit.start):
        source = source[: edit.start] + edit.text.encode() + source[edit.end :]
    assert source.decode() == fixed
    assert findings(tmp_path, source) == []


def test_a_comment_inside_a_line_has_no_fix(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, "name: /* here */ 'm'\n")
    assert found.fix is None


def test_a_block_of_comment_lines_is_one_finding(tmp_path: Path) -> None:
    found = findings(tmp_path, "// a\n  // b\n\t// c\n\n// d\nname: 'm' // e\n// f\n")
    assert [one.span.line for one in found] == [1, 5, 6]
    assert "2 lines" in found[0].message


def test_each_hole_is_one_finding_with_name_and_type_but_for_those_in_quotes(tmp_path: Path) -> None:
    values = "\n".join(f'parameters {{ key: "k{n}" value {{ string_value: "${{p{n}}}" }} }}' for n in range(40))
    text = f"max_batch_size: ${{batch}}\nname: ${{name}}\ninput {{ dims: [ ${{a}}, ${{b}} ] }}\n{values}\n"
    found = findings(tmp_path, text)
    assert {one.rule.code for one in found} == {"TCS017"}
    assert [one.severity for one in found] == [Severity.ERROR] * 4 + [Severity.INFO]
    assert [one.refused for one in found] == [True] * 4 + [False]
    assert "`${batch}`" in found[0].message
    assert "`max_batch_size`" in found[0].message
    assert "a whole number" in found[0].message
    assert "a string in quotes" in found[1].message
    assert "`${p0}`, `${p1}`, `${p2}` and 37 more are not filled in" in found[-1].message
    assert text.encode()[found[-1].span.start : found[-1].span.end] == b"${p0}"


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "repo" / "m" / "config.pbtxt").mkdir(parents=True)
    (found,) = findings(tmp_path)
    assert found.rule.code == "TCS001"
    assert "whole server crashes" in found.message
    assert found.refused
    assert (found.span.line, found.span.column) == (1, 1)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "repo" / "m").mkdir(parents=True)
    os.mkfifo(tmp_path / "repo" / "m" / "config.pbtxt")
    (found,) = findings(tmp_path)
    assert found.rule.code == "TCS001"
    assert "pipe" in found.message


def test_a_huge_file(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, b"#" * (5 * 1024 * 1024))
    assert (found.rule.code, found.severity, found.refused) == ("TCS001", Severity.WARNING, False)
    assert str(5 * 1024 * 1024) in found.message


def test_a_link_to_nothing_is_left_to_another_rule(tmp_path: Path) -> None:
    (tmp_path / "repo" / "m").mkdir(parents=True)
    (tmp_path / "repo" / "m" / "config.pbtxt").symlink_to("nowhere")
    assert findings(tmp_path) == []


def test_no_permission(tmp_path: Path) -> None:
    findings(tmp_path, "name: 'm'\n")
    (tmp_path / "repo" / "m" / "config.pbtxt").chmod(0)
    with permissions_hold():
        (found,) = findings(tmp_path)
    assert (found.rule.code, found.severity, found.refused) == ("TCS001", Severity.ERROR, False)
    assert "Permission denied" in found.message


def test_a_text_full_of_faults_takes_no_long_time(tmp_path: Path) -> None:
    found = findings(tmp_path, "odd_field: 1\n" * 500)
    assert len(found) == 500


def quoted_positions(loaded: LoadedRule) -> list[str]:
    """What the parser prints with a place in the text, as the page of a rule quotes it."""
    said = " ".join(loaded.page.split("## What Triton says")[1].split("## Evidence")[0].split())
    return re.findall(r"«(Error parsing text-format [^»]*)»", said)


QUOTING = {one.rule.code: (one, quoted_positions(one)) for one in RULES if quoted_positions(one)}


@pytest.mark.parametrize("code", QUOTING)
def test_pages_quote_what_triton_prints_for_their_example(code: str, tmp_path: Path) -> None:
    loaded, (quoted,) = QUOTING[code]
    case = page_cases(loaded, "Bad")[0]
    (text,) = case.files.values()
    helps = [line for one in findings(tmp_path, text, **case.options) for line in one.help.splitlines()]
    assert [line for line in helps if f"«{quoted}»" in line]
