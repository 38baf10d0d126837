"""Fixes: each cures its finding and touches nothing else; files are whole or as they were."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import TODAY, Case, cases_of, page_cases, run_lint
from tests.conftest import ROOT
from tests.machines import RecordedMachine
from tests.needs import give_up
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.deployment.probe import asked
from tritoncheck.fix import apply, edit_text, fix_all, fixable
from tritoncheck.lint import lint
from tritoncheck.outcome import Report
from tritoncheck.registry import own_rules
from tritoncheck.rule import Confidence, Edit, Finding, Fix, Rule, Severity, Span
from tritoncheck.run import Run

Command = Callable[..., subprocess.CompletedProcess[str]]


def bad_cases() -> list[tuple[str, Case]]:
    """Every bad fixture and every Bad example of a page."""
    found = []
    for loaded in own_rules():
        cases = [*cases_of(loaded.rule.code), *page_cases(loaded, "Bad")]
        found += [(loaded.rule.code, case) for case in cases if not case.name.startswith(("good", "miss"))]
    return found


def linter(folder: Path, options: dict[str, object]) -> Callable[[Mapping[str, str]], Report]:
    """Lints a folder with some texts in the place of those of files."""
    given = dict(options)
    machine = str(given.pop("machine", ""))
    settings = Settings(**given)  # type: ignore[arg-type]
    launch = launch_of(settings)
    if machine:
        launch = asked(launch, RecordedMachine(machine))
    return lambda edited: lint([str(folder)], Run(settings, launch, own_rules(), TODAY, edited=edited))


@pytest.mark.parametrize(("code", "case"), bad_cases(), ids=lambda one: one.name if isinstance(one, Case) else one)
def test_each_fix_cures_its_finding(code: str, case: Case, tmp_path: Path) -> None:
    """All findings with a fix go away, none is taken back, no error comes up, a second run has nothing to do."""
    folder = case.build(tmp_path / "repo")
    if not fixable(run_lint(folder, case.options).findings, unsafe=True):
        return
    fixed = fix_all(linter(folder, case.options), unsafe=True)
    before = linter(folder, case.options)({})
    assert not fixed.rejected
    assert not fixable(fixed.report.findings, unsafe=True)
    gone = Counter(one.rule.code for one in before.findings) - Counter(one.rule.code for one in fixed.report.findings)
    assert gone[code] >= len(fixable((one for one in before.findings if one.rule.code == code), unsafe=True))
    new = Counter((one.rule.code, one.span.path) for one in fixed.report.findings if one.severity == Severity.ERROR)
    new -= Counter((one.rule.code, one.span.path) for one in before.findings)
    assert not new, [one.message for one in fixed.report.findings]
    for path, (old, text) in fixed.texts.items():
        assert Path(path).read_bytes() == old.encode("latin-1")
        Path(path).write_bytes(text.encode("latin-1"))
    assert not fix_all(linter(folder, case.options), unsafe=True).applied


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        'backend: "onnxruntime"\n',
        "// what it does\nbackend: 'onnxruntime'\nmax_batch_size: 8\n",
        'name: "other"\nbackend: "onnxruntime"\nmax_batch_size: 0\ndynamic_batching { }\n',
        "\n# nothing to mend behind the mark\nbackend: 'onnxruntime'\nmax_batch_size: 8\n",
    ],
)
def test_a_byte_order_mark_is_taken_off_and_changes_no_other_fix(text: str, unsafe: bool, tmp_path: Path) -> None:
    """What is left is what the same text without the mark becomes."""
    texts = []
    for name, mark in (("plain", b""), ("marked", b"\xef\xbb\xbf")):
        model = tmp_path / name / "m"
        (model / "1").mkdir(parents=True)
        (model / "config.pbtxt").write_bytes(mark + text.encode())
        fixed = fix_all(linter(model.parent, {}), unsafe)
        assert not fixed.rejected
        edited = [new for _, new in fixed.texts.values()] or [text]
        texts += edited
    assert texts[0] == texts[1]


RULE = Rule("TCX999", "made-up", "Made up", Severity.WARNING)


def finding(*edits: Edit, safe: bool = True) -> Finding:
    """A finding with a fix."""
    return Finding(RULE, Span("f"), "m", "", Severity.WARNING, Confidence.HIGH, False, "", (), Fix("t", edits, safe))


EDITS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5), st.sampled_from(["", "x", "é", "a b\n"])), max_size=3
).map(lambda rows: [Edit("f", start, start + length, text) for start, length, text in rows])


@given(st.binary(min_size=36, max_size=40), st.lists(EDITS, max_size=6))
def test_what_is_not_edited_stays(data: bytes, wanted: list[list[Edit]]) -> None:
    """Between the edits that were chosen every byte is the old one, and no two of them overlap."""
    text = data.decode("latin-1")
    plain = [finding(*edits) for edits in wanted if edits]
    chosen, texts = apply(plain, {"f": text})
    edits = sorted(edit for one in chosen if one.fix for edit in one.fix.edits)
    for first, second in pairwise(edits):
        assert first.end <= second.start
    expected, at = b"", 0
    for edit in edits:
        expected += data[at : edit.start] + edit.text.encode()
        at = edit.end
    if chosen:
        assert texts["f"].encode("latin-1") == expected + data[at:]


def test_a_fix_whose_edits_overlap_each_other_is_refused() -> None:
    chosen, texts = apply([finding(Edit("f", 0, 3, ""), Edit("f", 2, 5, ""))], {"f": "abcdef"})
    assert (chosen, texts) == ([], {})


def test_text_is_written_as_utf8() -> None:
    assert edit_text("a\xff b", [Edit("f", 2, 3, "é")]).encode("latin-1") == b"a\xff\xc3\xa9b"


def played(texts: dict[str, str], *answers: Callable[[str], list[Finding]]) -> Callable[[Mapping[str, str]], Report]:
    """A lint of one file `f` that finds what the answers make of its text."""

    def lint(edited: Mapping[str, str]) -> Report:
        text = edited.get("f", texts["f"])
        return Report(findings=[one for answer in answers for one in answer(text)], texts={"f": text})

    return lint


def test_a_fix_that_does_not_cure_is_taken_back() -> None:
    useless = finding(Edit("f", 0, 0, "#"))
    fixed = fix_all(played({"f": "abc"}, lambda text: [useless]), unsafe=False)
    assert (fixed.texts, fixed.applied, fixed.rejected) == ({}, [], [useless])


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    def swap(text: str) -> list[Finding]:
        return [finding(Edit("f", 0, 1, "b" if text[0] == "a" else "a"))]

    fixed = fix_all(played({"f": "abc"}, swap), unsafe=False)
    assert fixed.texts["f"][1] in ("abc", "bbc")


def test_a_fix_that_breaks_the_syntax_is_taken_back() -> None:
    def broken(text: str) -> list[Finding]:
        rule = RULE._replace(code="TCS001")
        return [finding()._replace(rule=rule, refused=True, fix=None)] if "{" in text else []

    def breaks(text: str) -> list[Finding]:
        return [finding(Edit("f", 0, 1, "{"))] if text.startswith("a") else []

    fixed = fix_all(played({"f": "abc"}, broken, breaks), unsafe=False)
    assert (fixed.texts, len(fixed.rejected)) == ({}, 1)


def test_overlapping_fixes_are_applied_in_turn() -> None:
    def deletes(what: str) -> Callable[[str], list[Finding]]:
        def find(text: str) -> list[Finding]:
            at = text.find(what)
            return [finding(Edit("f", at, at + len(what), ""))] if at >= 0 else []

        return find

    fixed = fix_all(played({"f": "abcd"}, deletes("ab"), deletes("cd"), deletes("bc")), unsafe=False)
    assert fixed.texts["f"] == ("abcd", "")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one safe and one unsafe fix, CRLF ends and bytes that are no UTF-8."""
    model = tmp_path / "repo" / "m"
    (model / "1").mkdir(parents=True)
    (model / "1" / "model.plan").touch()
    text = 'name: "m"\r\nplatform: "tensorrt_plan"\r\n// \xff comment\r\nmax_batch_size: 0\r\n'
    text += "optimization { cuda { graphs: true output_copy_stream: true } }\r\n"
    (model / "config.pbtxt").write_bytes(text.encode("latin-1"))
    (model / "config.pbtxt").chmod(0o640)
    return tmp_path / "repo"


SELECT = ("--select", "TCS006,TCG005", "--triton", "24.01")


def test_fix(tritoncheck: Command, repository: Path) -> None:
    path = repository / "m" / "config.pbtxt"
    before = path.read_bytes()
    shown = tritoncheck("lint", repository, *SELECT)
    assert "1 can be fixed with --fix, 1 more with --fix --unsafe; --diff shows how" in shown.stdout
    done = tritoncheck("lint", repository, *SELECT, "--diff")
    assert (done.returncode, path.read_bytes()) == (1, before)
    assert "-// " in done.stdout
    assert "+# " in done.stdout
    assert "Would fix 1 finding in 1 file" in done.stderr
    done = tritoncheck("lint", repository, *SELECT, "--fix")
    assert path.read_bytes() == before.replace(b"// ", b"# ")
    assert path.stat().st_mode & 0o777 == 0o640
    assert done.returncode == 1  # the other is an error
    assert "Fixed 1 finding in 1 file" in done.stderr
    assert "1 can be fixed with --fix --unsafe; --diff shows how" in done.stdout
    tritoncheck("lint", repository, *SELECT, "--fix", "--unsafe")
    after = before.replace(b"// ", b"# ").replace(b"stream: true", b"stream: false")
    assert path.read_bytes() == after
    done = tritoncheck("lint", repository, *SELECT, "--fix", "--unsafe")
    assert (done.returncode, path.read_bytes()) == (0, after)
    assert "Nothing to fix" in done.stderr
    assert sorted(one.name for one in path.parent.iterdir()) == ["1", "config.pbtxt"]


def test_a_diff_can_be_applied(tritoncheck: Command, repository: Path) -> None:
    if not shutil.which("git"):
        give_up("no git to apply the diff with")
    path = repository / "m" / "config.pbtxt"
    path.write_bytes(path.read_bytes().replace(b"\xff", b"").rstrip())  # no end of line at the end
    diff = tritoncheck("lint", ".", *SELECT, "--diff", "--unsafe", "-o", "../fix.diff", cwd=repository)
    assert diff.returncode == 1
    subprocess.run(["git", "init", "-q", "."], cwd=repository, check=True)
    subprocess.run(["git", "apply", "../fix.diff"], cwd=repository, check=True)
    assert tritoncheck("lint", ".", *SELECT, "--fix", "--unsafe", cwd=repository).stderr == "Nothing to fix\n"


def test_a_link_is_followed(tritoncheck: Command, repository: Path) -> None:
    path, real = repository / "m" / "config.pbtxt", repository.parent / "real.pbtxt"
    path.rename(real)
    path.symlink_to(real)
    tritoncheck("lint", repository, *SELECT, "--fix")
    assert path.is_symlink()
    assert b"# \xff" in real.read_bytes()


def test_unsafe_alone_means_nothing(tritoncheck: Command, repository: Path) -> None:
    done = tritoncheck("lint", repository, "--unsafe")
    assert (done.returncode, done.stderr) == (2, "tritoncheck: --unsafe goes with --fix or --diff\n")


def test_a_full_disk_leaves_the_old_file(repository: Path) -> None:
    """The limit on the size of files makes every write fail, as a full disk does."""
    path = repository / "m" / "config.pbtxt"
    before = path.read_bytes()
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)); "
        "from tritoncheck.__main__ import main; main()"
    )
    command = [sys.executable, "-c", script, "lint", str(repository), *SELECT, "--fix"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "cannot write: File too large" in done.stderr
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["1", "config.pbtxt"]
