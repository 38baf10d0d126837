"""What a user may do to a run, and to the folder of one: one clear line each, nothing lost, nothing left behind."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stress import journals
from tests.stress.journals import attempt, from_strips, plan, ready, write
from tritoncheck.stress.classify import classify, histories
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal, read_attempts
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.logs import read_log
from tritoncheck.stress.mock_host import MockHost, Script, load_steps
from tritoncheck.stress.plan import Wish, changed, make_plan
from tritoncheck.stress.records import Plan
from tritoncheck.stress.report import render, summarise
from tritoncheck.stress.run import StressOptions, run_stress
from tritoncheck.stress.verdict import End

CLEAN = Path(__file__).resolve().parents[2] / "fixtures" / "repositories" / "clean"
Captured = pytest.CaptureFixture[str]


def said(options: StressOptions, capsys: Captured) -> tuple[int, list[str]]:
    """The exit code, and the lines on stderr."""
    code = run_stress(options)
    return code, capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("repository", "text"),
    [
        (str(CLEAN / "detect"), "a model, not a repository; to wait for it alone: "),
        (str(CLEAN / "detect" / "config.pbtxt"), "a file, not a folder"),
        ("nowhere", "no such folder"),
    ],
)
def test_what_is_no_repository(repository: str, text: str, capsys: Captured) -> None:
    code, lines = said(StressOptions(Wish(repository), host="process"), capsys)
    assert (code, len(lines)) == (2, 1)
    assert text in lines[0]


def test_a_model_that_is_not_there_is_not_waited_for(capsys: Captured) -> None:
    code, lines = said(StressOptions(Wish(str(CLEAN), expected=("detct",)), host="process"), capsys)
    assert (code, len(lines)) == (2, 1)
    assert "no model `detct` there" in lines[0]


def test_a_page_that_cannot_be_written_is_said_before_the_run(tmp_path: Path, capsys: Captured) -> None:
    for page in (tmp_path, tmp_path / "nowhere" / "page.html"):
        options = StressOptions(Wish(restarts=3), output=str(tmp_path / "run"), html=str(page), demo=True)
        code, lines = said(options, capsys)
        assert (code, len(lines)) == (2, 1)
        assert lines[0].startswith(f"tritoncheck: --html {page}: ")
    assert list(tmp_path.iterdir()) == []


def resumable(folder: Path) -> Path:
    """A run of two attempts of four."""
    return write(folder, plan(("a",), 4, host="mock"), [attempt(n, {"a": ready()}) for n in (1, 2)], end="")


@pytest.mark.parametrize(
    ("wish", "host", "option"),
    [
        (Wish(restarts=9), "auto", "--restarts"),
        (Wish(budget="3m"), "auto", "--for"),
        (Wish(startup_timeout="9s"), "auto", "--startup-timeout"),
        (Wish(claim="<2%"), "auto", "--claim"),
        (Wish("elsewhere"), "auto", "repository"),
        (Wish(flags=("--log-verbose=1",)), "auto", "--flag"),
        (Wish(expected=("b",)), "auto", "--expect"),
        (Wish(), "docker", "--host"),
    ],
)
def test_a_changed_plan_is_refused_by_the_name_of_its_option(
    wish: Wish, host: str, option: str, tmp_path: Path, capsys: Captured
) -> None:
    folder = resumable(tmp_path / "run")
    before = (folder / "journal.jsonl").read_bytes()
    code, lines = said(StressOptions(wish, host=host, resume=str(folder)), capsys)
    assert (code, len(lines)) == (2, 1)
    assert f"that run was begun with another {option}; leave it out to go on" in lines[0]
    assert (folder / "journal.jsonl").read_bytes() == before


def test_what_is_the_same_may_be_said_again() -> None:
    wish = Wish(str(CLEAN), 4, claim="<1%", budget="30m", startup_timeout="60s", expected=("pose", "detect"))
    made = make_plan(wish, "process")
    assert changed(made, wish, "process") == ""
    assert changed(made, Wish(), "auto") == ""
    assert changed(made, Wish(str(CLEAN) + "/."), "auto") == ""


def test_edited_files_are_another_run(tmp_path: Path, capsys: Captured) -> None:
    repository = tmp_path / "repository"
    (repository / "m" / "1").mkdir(parents=True)
    config = repository / "m" / "config.pbtxt"
    config.write_text('backend: "python"\n')
    made = make_plan(Wish(str(repository), 3), "process")
    folder = write(tmp_path / "run", made, [attempt(1, {"m": ready()})], end="")
    config.write_text('backend: "python"\nmax_batch_size: 8\n')
    code, lines = said(StressOptions(resume=str(folder)), capsys)
    assert code == 2
    assert lines == [f"tritoncheck: {folder}: the files of its repository have changed since; begin a new run"]


def test_report_and_resume_are_two_things(tmp_path: Path, capsys: Captured) -> None:
    folder = str(resumable(tmp_path / "run"))
    code, lines = said(StressOptions(report=folder, resume=folder), capsys)
    assert (code, len(lines)) == (2, 1)


def test_the_journal_may_be_named_for_its_folder(tmp_path: Path) -> None:
    folder = from_strips(tmp_path / "run", {"a": "." * 50})
    assert run_stress(StressOptions(report=str(folder / "journal.jsonl"))) == 0


DAMAGED = [
    "[1, 2]",
    "\x00\x01\x02",
    '{"kind": "attempt", "version": 1, "number": 3}',
    '{"kind": "attempt", "version": 1, "number": "x", "started": "", "seconds": 1, "ended": "", "whole": true}',
    '{"kind": "attempt", "version": 1, "number": 3, "started": "", "seconds": 1, "ended": "", "whole": true,'
    ' "models": {"a": 1}}',
    '{"kind": "attempt", "version": 1, "number": 3, "started": "", "seconds": 1, "ended": "", "whole": true,'
    ' "models": {"a": {"outcome": 7}}}',
    '{"kind": "facts", "version": 1, "started": {}}',
]


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_counted_and_the_rest_reported(line: str, tmp_path: Path, capsys: Captured) -> None:
    folder = resumable(tmp_path / "run")
    path = folder / "journal.jsonl"
    path.write_text(path.read_text() + line + "\n")
    summary = summarise(folder)
    assert (summary.damaged, summary.whole.attempts) == (1, 2)
    for format in ("text", "markdown", "html"):
        assert "1 line of the journal cannot be read." in render(summary, format)
    assert json.loads(render(summary, "json"))["journal"]["damaged"] == 1
    assert "<testsuite" in render(summary, "junit")
    if "facts" not in line:
        code, lines = said(StressOptions(resume=str(folder)), capsys)
        assert (code, len(lines)) == (2, 1)


@pytest.mark.parametrize(
    "first", ["", '{"kind": "plan", "version": 1}', '{"kind": "plan", "version": 1, "restarts": "x"}']
)
def test_a_journal_without_a_plan(first: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "journal.jsonl").write_text(first + "\n" if first else "")
    for options in (StressOptions(report=str(tmp_path)), StressOptions(resume=str(tmp_path))):
        code, lines = said(options, capsys)
        assert (code, len(lines)) == (2, 1)
        assert "plan" in lines[0].lower() or "damaged" in lines[0]


def test_a_journal_of_a_newer_version(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "journal.jsonl").write_text(json.dumps({"kind": "plan", "version": 99}) + "\n")
    for options in (StressOptions(report=str(tmp_path)), StressOptions(resume=str(tmp_path))):
        code, lines = said(options, capsys)
        assert (code, len(lines)) == (2, 1)
        assert "written by a newer tritoncheck (journal version 99)" in lines[0]


GOOD = Script(load_steps({"a": (1.0, "")}), rows=None)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a line is written, then nothing more."""
    given = Plan("scripted", ("a",), "mock", restarts=5)
    room = [2000]

    def tight(journal: Journal) -> Callable[[bytes], int]:
        write = journal._file.write

        def some(data: bytes) -> int:
            taken = min(len(data), max(0, room[0]))
            room[0] -= taken
            if not taken:
                raise OSError(28, os.strerror(28))
            return int(write(data[:taken]))

        return some

    class File:
        def __init__(self, journal: Journal) -> None:
            self.file, self.write = journal._file, tight(journal)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    with Journal(tmp_path, given, resume=False) as journal:
        journal._file = File(journal)  # type: ignore[assignment]
        with pytest.raises(OSError, match="No space left"):
            Engine(given, MockHost(lambda _: GOOD), journal, Silent(), Stop()).run()
    text = (tmp_path / "journal.jsonl").read_text()
    assert text.endswith("}\n")
    kept = len(list(read_attempts(tmp_path)))
    assert 0 < kept < 5
    monkeypatch.undo()
    with Journal(tmp_path, given, resume=True) as journal:
        Engine(given, MockHost(lambda _: GOOD), journal, Silent(), Stop()).run()
    assert [one.number for one in read_attempts(tmp_path)] == [1, 2, 3, 4, 5]


def test_a_disk_that_is_full_in_the_middle_reports_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    write = Journal.write_attempt

    def full(journal: Journal, one: Any) -> None:
        if one.number == 3:
            raise OSError(28, os.strerror(28), str(tmp_path / "run" / "journal.jsonl"))
        write(journal, one)

    monkeypatch.setattr(Journal, "write_attempt", full)
    monkeypatch.setattr("tritoncheck.stress.run.make_host", lambda *_: MockHost(lambda _: GOOD))
    monkeypatch.setattr("tritoncheck.stress.mock_host.DEMO_MODELS", ("a",))
    options = StressOptions(Wish(restarts=5), output=str(tmp_path / "run"), demo=True)
    assert run_stress(options) == 4
    out, err = capsys.readouterr()
    assert "2 of 5 planned attempts are done" in out
    assert "No space left on device; gave up after 2 attempts, which are kept: --resume" in err.splitlines()[-1]


def test_a_run_that_was_stopped_before_its_first_attempt_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    class Impatient(Stop):
        def __init__(self) -> None:
            super().__init__()
            self.soon = self.now = True

    monkeypatch.setattr("tritoncheck.stress.engine.Stop", Impatient)
    code, lines = said(StressOptions(Wish(restarts=5), output=str(tmp_path / "run"), demo=True), capsys)
    assert code == 3
    assert lines[-1] == "tritoncheck: no attempt was finished"
    assert list(tmp_path.iterdir()) == []


def test_a_stub_that_dies_is_no_crash_of_the_server() -> None:
    """Stubs write on the streams of their server."""
    log = """I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: a:1"
terminate called after throwing an instance of 'std::invalid_argument'
  what():  stoi
"""
    start = histories(read_log(log))[-1]
    for end, server, model in (
        (End("timeout"), "unknown", "hung"),
        (End("exit", 1), "unknown", "crashed"),
        (End("exit", 134), "crashed", "crashed"),
        (End("cut"), "crashed", "crashed"),
    ):
        found = classify(start, end)
        assert (found.server.outcome, found.models["a"].outcome) == (server, model)


@pytest.mark.parametrize("run", [journals.nv12, journals.clustered])
def test_the_report_fits_40_columns(run: Callable[[Path], Path], tmp_path: Path) -> None:
    for line in render(summarise(run(tmp_path / "run")), "text", width=40).splitlines():
        assert len(line) <= 40 or " " not in line.strip(), line
