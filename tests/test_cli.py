"""The command line as a user meets it: exit codes, output, refusals in one line, and what comes in from outside."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import ROOT
from tests.needs import give_up
from tests.privileges import permissions_hold

Command = Callable[..., subprocess.CompletedProcess[str]]

PLACE = {
    "path": {"type": "string", "minLength": 1, "pattern": r"^[^\\]*$"},
    "line": {"type": "integer", "minimum": 1},
    "column": {"type": "integer", "minimum": 1},
    "end_line": {"type": "integer", "minimum": 1},
    "end_column": {"type": "integer", "minimum": 1},
}


def exactly(**properties: Any) -> dict[str, Any]:
    """The schema of an object with all of these keys and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
EDIT = exactly(path=PLACE["path"], start=COUNT, end=COUNT, text=TEXT)
FIX = exactly(safe={"type": "boolean"}, title=TEXT, edits={"type": "array", "items": EDIT, "minItems": 1})
FINDING = exactly(
    code={"type": "string", "pattern": "^(TC[A-Z]|X[A-Z]*)[0-9]{3}$"},
    name={"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
    severity={"enum": ["error", "warning", "info"]},
    confidence={"enum": ["high", "medium", "low"]},
    refused={"type": "boolean"},
    message={"type": "string", "minLength": 1},
    help=TEXT,
    model=TEXT,
    **PLACE,
    related={"type": "array", "items": exactly(message=TEXT, **PLACE)},
    fix={"anyOf": [{"type": "null"}, FIX]},
)
DEPLOYMENT = exactly(
    path=PLACE["path"],
    service=TEXT,
    image=TEXT,
    release={"anyOf": [{"type": "null"}, TEXT]},
    flags={"type": "array", "items": TEXT},
    flags_known={"type": "boolean"},
    repositories={"type": "array", "items": TEXT, "minItems": 1},
    open={"type": "array", "items": exactly(key=TEXT, why=TEXT, **PLACE)},
)
REPORT = exactly(
    version={"const": 1},
    tool=exactly(name={"const": "tritoncheck"}, version={"type": "string", "pattern": r"^\d+\.\d+\.\d+"}),
    findings={"type": "array", "items": FINDING},
    summary=exactly(
        repositories=COUNT, models=COUNT, files=COUNT, errors=COUNT, warnings=COUNT, infos=COUNT, suppressed=COUNT
    ),
    unchecked={"type": "array", "items": exactly(what=TEXT, why=TEXT, enable=TEXT)},
    deployments={"type": "array", "items": DEPLOYMENT},
)


def model(folder: Path, text: str, name: str = "m") -> Path:
    """A model in `folder`."""
    path = folder / name / "config.pbtxt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A working directory with `clean`, `wrong` (an error), `warned` and `empty`."""
    model(tmp_path / "clean", 'backend: "python"\n')
    (tmp_path / "clean" / "m" / "1").mkdir()
    (tmp_path / "clean" / "m" / "1" / "model.py").write_text("class TritonPythonModel:\n    pass\n")
    model(tmp_path / "wrong", 'backend: "python"\nodd_field: 1\n')
    model(tmp_path / "warned", 'backend: "python" # tritoncheck: ignore[nonsense] why\n')
    (tmp_path / "empty").mkdir()
    return tmp_path


def report(command: Command, *arguments: str | Path, cwd: Path) -> dict[str, Any]:
    """The JSON report of a lint, checked against its schema."""
    run = command("lint", *arguments, "--format", "json", cwd=cwd)
    assert run.returncode in (0, 1), run.stderr
    assert run.stderr == ""
    document: dict[str, Any] = json.loads(run.stdout)
    jsonschema.validate(document, REPORT)
    return document


def refusal(command: Command, *arguments: str | Path, cwd: Path, code: int = 2) -> str:
    """The one line on stderr of a run that ends with this exit code and prints nothing else."""
    run = command(*arguments, cwd=cwd)
    assert run.returncode == code
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith("tritoncheck: ")
    return line.removeprefix("tritoncheck: ")


def test_exit_codes(work: Path, tritoncheck: Command) -> None:
    def code(*arguments: str) -> int:
        return tritoncheck("lint", *arguments, "--select", "TCS,TCC", cwd=work).returncode

    assert code("clean") == 0
    assert code("wrong") == 1
    assert code("wrong", "--fail-on", "never") == 0
    assert code("warned") == 0
    assert code("warned", "--fail-on", "warning") == 1
    assert code("warned", "--fail-on", "info") == 1
    assert code("clean", "wrong") == 1
    assert code("empty") == 3
    assert code("clean", "empty") == 0
    assert code("nowhere") == 2


def test_an_error_of_the_program_is_one_line_and_exit_code_4(work: Path, tritoncheck: Command) -> None:
    user_rule(work, 'raise ZeroDivisionError("no such luck")\n    yield')
    run = tritoncheck("lint", "clean", cwd=work)
    assert run.returncode == 4
    assert "Traceback" not in run.stderr
    assert "ZeroDivisionError: no such luck" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lint", "nowhere"), "nowhere: no such file or folder"),
        (("lint", "a\nb"), "a\\nb: no such file or folder"),
        (("lint", ""), "no such file or folder"),
        (("lint", "clean/m/1/model.py"), "clean/m/1/model.py: not a model configuration"),
        (("lint", "clean", "--format", "xml"), "--format must be one of"),
        (("lint", "clean", "--fail-on", "fatal"), "--fail-on must be one of error, warning, info, never, not `fatal`"),
        (("lint", "clean", "--select", "TCQ001"), "unknown rule `TCQ001`"),
        (("lint", "clean", "--ignore", "unknown-feild"), "unknown rule `unknown-feild`; did you mean `unknown-field`?"),
        (("lint", "clean", "--triton", "26"), "`26` is no Triton release"),
        (("lint", "clean", "--launch", 'tritonserver "'), "cannot read the launch command"),
        (("lint", "clean", "--triton", "24.01", "--image", "x/tritonserver:24.02-py3"), "disagree"),
        (("lint", "clean", "--output", "nowhere/report.txt"), "nowhere/report.txt: cannot write: No such file"),
        (("lint", "clean", "--output", "empty"), "empty: cannot write: Is a directory"),
        (
            ("lint", "clean", "--deployment", "x", "--no-deployment"),
            "--deployment and --no-deployment exclude each other",
        ),
        (("doctor", "clean", "--deployment", "x", "--no-deployment"), "exclude each other"),
        (("rules", "--format", "xml"), "--format must be one of text, json, not `xml`"),
        (("explain", "TCQ001"), "unknown rule `TCQ001`"),
        (("explain", "TCS"), "`TCS` means several rules"),
    ],
)
def test_wrong_usage_is_one_line(arguments: tuple[str, ...], said: str, work: Path, tritoncheck: Command) -> None:
    assert said in refusal(tritoncheck, *arguments, cwd=work)


@pytest.mark.parametrize("option", ["triton", "image", "launch", "driver", "gpu", "compute-capability", "shm-size"])
def test_an_empty_option_is_refused(option: str, work: Path, tritoncheck: Command) -> None:
    """A variable that nobody set is no wish to have nothing checked."""
    run = tritoncheck("lint", "clean", f"--{option}", " ", cwd=work)
    assert (run.returncode, run.stdout) == (2, "")
    assert f"'--{option}': is empty" in " ".join(run.stderr.split())


@pytest.mark.parametrize("arguments", [("lint", "--odd"), ("odd",), ("lint", "--format"), ("explain",), ()])
def test_wrong_usage_of_the_parser(arguments: tuple[str, ...], work: Path, tritoncheck: Command) -> None:
    run = tritoncheck(*arguments, cwd=work)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert "Usage" in run.stderr or "Error" in run.stderr


def test_nothing_to_check(work: Path, tritoncheck: Command) -> None:
    assert "nothing to check" in refusal(tritoncheck, "lint", "empty", cwd=work, code=3)


def test_no_permission(work: Path, tritoncheck: Command) -> None:
    config = work / "wrong" / "m" / "config.pbtxt"
    config.chmod(0)
    with permissions_hold():
        assert "Permission denied" in refusal(tritoncheck, "lint", config, cwd=work)
        (found,) = report(tritoncheck, "wrong", "--select", "TCS", cwd=work)["findings"]
        assert found["code"] == "TCS001"
        (work / "empty").chmod(0)
        assert "Permission denied" in refusal(tritoncheck, "lint", "empty", cwd=work)
    (work / "empty").chmod(0o700)


def test_pipes_are_not_waited_for(work: Path, tritoncheck: Command) -> None:
    os.mkfifo(work / "config.pbtxt")
    assert "neither a file nor a folder" in refusal(tritoncheck, "lint", "config.pbtxt", cwd=work)
    os.mkfifo(work / "clean" / "m" / "label.txt")
    assert report(tritoncheck, "clean", "--select", "TCS", cwd=work)["findings"] == []


def test_the_report_for_machines(work: Path, tritoncheck: Command) -> None:
    document = report(tritoncheck, "wrong", "warned", "clean", "--select", "TCS,TCC", cwd=work)
    assert [(one["code"], one["path"], one["line"], one["column"]) for one in document["findings"]] == [
        ("TCC004", "warned/m/config.pbtxt", 1, 41),
        ("TCS002", "wrong/m/config.pbtxt", 2, 1),
    ]
    found = document["findings"][1]
    assert (found["end_line"], found["end_column"]) == (2, 10)
    assert (found["name"], found["severity"], found["model"]) == ("unknown-field", "error", "m")
    assert found["refused"] is True
    assert document["summary"] == {
        "repositories": 3,
        "models": 3,
        "files": 3,
        "errors": 1,
        "warnings": 1,
        "infos": 0,
        "suppressed": 0,
    }
    assert [one["enable"].split()[0] for one in document["unchecked"] if one["enable"]] == [
        "--image",
        "--launch",
        "--deployed",
        "--driver",
    ]


def test_the_report_of_all_rules_keeps_the_schema(tritoncheck: Command) -> None:
    document = report(tritoncheck, "fixtures/rules", cwd=ROOT)
    keys = [(one["path"], one["line"], one["column"], one["code"]) for one in document["findings"]]
    assert keys == sorted(keys)
    assert len({one[3] for one in keys}) > 10
    summary, severities = document["summary"], [one["severity"] for one in document["findings"]]
    assert [summary[name] for name in ("errors", "warnings", "infos")] == [
        severities.count(name) for name in ("error", "warning", "info")
    ]


def test_columns_count_characters(work: Path, tritoncheck: Command) -> None:
    line = 'name: "größe 模型 🎉" odd_field: 1'
    path = model(work / "wide", f"{line}\n")
    (found,) = report(tritoncheck, "wide", "--select", "TCS", cwd=work)["findings"]
    assert line[found["column"] - 1 : found["end_column"] - 1] == "odd_field"
    path.write_bytes(f"\t{line}\r\n".encode())
    (found,) = report(tritoncheck, "wide", "--select", "TCS", cwd=work)["findings"]
    assert found["column"] == line.index("odd_field") + 2
    path.write_bytes(b"name: '\xff\xfe' odd_field: 1")
    (found,) = report(tritoncheck, "wide", "--select", "TCS", cwd=work)["findings"]
    assert found["column"] == 12


@pytest.mark.parametrize(
    ("given", "cwd", "shown"),
    [
        ("wrong", ".", "wrong/m/config.pbtxt"),
        ("./wrong/", ".", "wrong/m/config.pbtxt"),
        ("wrong/m", ".", "wrong/m/config.pbtxt"),
        ("wrong/m/config.pbtxt", ".", "wrong/m/config.pbtxt"),
        (".", "wrong", "m/config.pbtxt"),
        (".", "wrong/m", "config.pbtxt"),
        ("config.pbtxt", "wrong/m", "config.pbtxt"),
        ("../wrong", "clean", "../wrong/m/config.pbtxt"),
        ("clean/../wrong", ".", "wrong/m/config.pbtxt"),
    ],
)
def test_paths_are_seen_from_the_working_directory(
    given: str, cwd: str, shown: str, work: Path, tritoncheck: Command
) -> None:
    (found,) = report(tritoncheck, given, "--select", "TCS", cwd=work / cwd)["findings"]
    assert found["path"] == shown
    absolute = str((work / cwd / given).resolve())
    (found,) = report(tritoncheck, absolute, "--select", "TCS", cwd=work / cwd)["findings"]
    assert found["path"] == shown


def test_a_path_given_twice_is_linted_once(work: Path, tritoncheck: Command) -> None:
    document = report(tritoncheck, "wrong", "wrong/m", "./wrong", "--select", "TCS", cwd=work)
    assert len(document["findings"]) == 1
    assert document["summary"]["repositories"] == 1


def test_output_goes_to_a_file(work: Path, tritoncheck: Command) -> None:
    run = tritoncheck("lint", "wrong", "--format", "json", "--output", "report.json", cwd=work)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "")
    jsonschema.validate(json.loads((work / "report.json").read_text(encoding="utf-8")), REPORT)
    run = tritoncheck("lint", "wrong", "-o", "report.txt", cwd=work)
    assert "unknown-field" in (work / "report.txt").read_text(encoding="utf-8")
    assert sorted(one.name for one in work.iterdir() if one.is_file()) == ["report.json", "report.txt"]


def test_output_that_fails_leaves_the_old_file(work: Path, tritoncheck: Command) -> None:
    (work / "report.txt").write_text("old")
    user_rule(work, "raise ValueError\n    yield")
    assert tritoncheck("lint", "clean", "-o", "report.txt", cwd=work).returncode == 4
    assert (work / "report.txt").read_text() == "old"


def test_a_full_disk(work: Path) -> None:
    if not os.path.exists("/dev/full"):
        give_up("no /dev/full")
    with open("/dev/full", "w") as full:
        run = subprocess.run(command("lint", "wrong"), cwd=work, env=environment(), stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 2
    assert run.stderr.decode().splitlines() == ["tritoncheck: cannot write the report: No space left on device"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tritoncheck", *arguments]


def environment(**more: str) -> dict[str, str]:
    ours = ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONDONTWRITEBYTECODE": "1", **more}


def on_a_terminal(work: Path, **more: str) -> str:
    """What `lint wrong` prints to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("lint", "wrong"), cwd=work, env=environment(**more), stdin=theirs, stdout=theirs, stderr=theirs
    ) as run:
        os.close(theirs)
        shown = b""
        while select.select([ours], [], [], 30)[0]:
            try:
                read = os.read(ours, 65536)
            except OSError:
                break
            if not read:
                break
            shown += read
        os.close(ours)
        assert run.wait(30) == 1
    return shown.decode()


def test_colour_only_where_it_is_wanted(work: Path, tritoncheck: Command) -> None:
    assert "\x1b[" in on_a_terminal(work)
    assert "\x1b" not in on_a_terminal(work, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(work, TERM="dumb")
    run = subprocess.run(command("lint", "wrong"), cwd=work, env=environment(), capture_output=True, text=True)
    assert "\x1b" not in run.stdout
    assert "unknown-field" in run.stdout


def test_control_characters_do_not_reach_the_terminal(work: Path, tritoncheck: Command) -> None:
    model(work / "evil\x1b[31m", "name: '\x1b[31m\x07' odd_field: 1 # \x1b]0;title\x07\n")
    run = tritoncheck("lint", "evil\x1b[31m", cwd=work)
    assert run.returncode == 1
    assert "\x1b" not in run.stdout
    assert "\x07" not in run.stdout


def test_an_output_that_cannot_show_all_characters(work: Path) -> None:
    model(work / "wide", 'name: "größe 模型" odd_field: 1\n')
    run = subprocess.run(
        command("lint", "wide"), cwd=work, env=environment(PYTHONIOENCODING="ascii"), capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert "odd_field" in run.stdout


@pytest.mark.parametrize("arguments", [("lint", "fixtures/rules"), ("rules",), ("explain", "TCS001")])
def test_a_reader_that_leaves_early(arguments: tuple[str, ...]) -> None:
    with subprocess.Popen(
        command(*arguments), cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout
        assert run.stderr
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(60) in (0, 1)


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Programs that are started know Ctrl-C again: a shell lets what it starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c(work: Path) -> None:
    user_rule(work, f"open({str(work / 'started')!r}, 'w').close(); __import__('time').sleep(60)\n    yield")
    with subprocess.Popen(
        command("lint", "clean"), cwd=work, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        deadline = time.monotonic() + 30
        while not (work / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=30)
    assert run.returncode == 130
    assert printed == b""
    assert b"Traceback" not in said


def user_rule(work: Path, body: str, code: str = "X001", name: str = "own-rule") -> Path:
    """A rule of the user's own, with the settings that load it."""
    path = work / "own" / "own_rule.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'''"""# {code} {name}

What it finds.
"""

from tritoncheck.rule import Rule, Severity

RULE = Rule(code="{code}", name="{name}", title="A rule of our own", severity=Severity.ERROR)


def check(model):
    {body}
''')
    (work / "tritoncheck.toml").write_text('rules = ["own"]\n')
    return path


def test_rules_of_ones_own(work: Path, tritoncheck: Command) -> None:
    user_rule(work, 'yield RULE.finding(model.at("backend"), f"found in {model.name}")')
    (found,) = report(tritoncheck, "clean", "--select", "X", cwd=work)["findings"]
    assert (found["code"], found["message"], found["model"]) == ("X001", "found in m", "m")
    assert report(tritoncheck, "clean", "--select", "own-rule", "--ignore", "X001", cwd=work)["findings"] == []
    model(work / "clean", 'backend: "python" # tritoncheck: ignore[own-rule] why\n')
    document = report(tritoncheck, "clean", "--select", "X,TCC", cwd=work)
    assert document["findings"] == []
    assert document["summary"]["suppressed"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def", "own_rule.py: SyntaxError"),
        ("import nothing_of_this_name", "own_rule.py: ModuleNotFoundError"),
        ("x = 1", "own_rule.py: a rule file defines `RULE` and `check`"),
    ],
)
def test_a_file_that_is_no_rule(text: str, said: str, work: Path, tritoncheck: Command) -> None:
    user_rule(work, "yield").write_text(text)
    assert said in refusal(tritoncheck, "lint", "clean", cwd=work)


def test_a_code_that_is_taken(work: Path, tritoncheck: Command) -> None:
    user_rule(work, "yield", code="TCS002")
    assert "the code TCS002 is taken by" in refusal(tritoncheck, "lint", "clean", cwd=work)


def test_explain(work: Path, tritoncheck: Command) -> None:
    pages = [tritoncheck("explain", one, cwd=work) for one in ("TCS002", "tcs002", "unknown-field", "Unknown-Field")]
    assert {one.returncode for one in pages} == {0}
    assert len({one.stdout for one in pages}) == 1
    assert pages[0].stdout.startswith("# TCS002 unknown-field\n")
    for heading in ("What it finds", "Why it matters", "Bad", "Good", "What Triton says", "Evidence"):
        assert f"## {heading}\n" in pages[0].stdout


def test_the_list_of_rules(work: Path, tritoncheck: Command) -> None:
    text, data = tritoncheck("rules", cwd=work), tritoncheck("rules", "--format", "json", cwd=work)
    assert text.returncode == data.returncode == 0
    document = json.loads(data.stdout)
    nullable = {"type": ["string", "null"]}
    row = exactly(
        code={"type": "string", "pattern": "^TC[A-Z][0-9]{3}$"},
        name=FINDING["properties"]["name"],
        title=TEXT,
        severity=FINDING["properties"]["severity"],
        confidence=FINDING["properties"]["confidence"],
        refused={"type": "boolean"},
        needs={"type": "array", "items": TEXT},
        since=nullable,
        until=nullable,
        evidence={"type": "array", "items": TEXT},
    )
    jsonschema.validate(document, exactly(version={"const": 1}, rules={"type": "array", "items": row}))
    listed = [one["code"] for one in document["rules"]]
    assert listed == sorted(listed)
    assert listed == [line.split()[0] for line in text.stdout.splitlines()]


def test_version_and_help(work: Path, tritoncheck: Command) -> None:
    assert re.fullmatch(r"tritoncheck \d+\.\d+\.\d+\S*\n", tritoncheck("--version", cwd=work).stdout)
    for arguments in (("--help",), ("lint", "--help"), ("explain", "--help"), ("rules", "--help")):
        run = tritoncheck(*arguments, cwd=work)
        assert run.returncode == 0
        assert "Usage" in run.stdout


def test_timings(tritoncheck: Command) -> None:
    done = tritoncheck("lint", "fixtures/repositories/nv12", "--timings", "--select", "TCG")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].split() == ["rule", "calls", "ms", "share"]
    assert any(line.startswith("TCG001 graph-load-race ") and line.split()[2] == "1" for line in lines)
    assert lines[-1].startswith("starting, reading, parsing, reporting")
    assert "TCG001" in done.stdout
