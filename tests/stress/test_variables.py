"""Variables for the server: their values reach it, and nothing else."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict
from pathlib import Path

import pytest

from tritoncheck.stress.journal import read_attempts, read_lines, read_plan
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.records import to_line
from tritoncheck.stress.run import StressOptions, run_stress
from tritoncheck.stress.variables import Variable, VariableError, again, mark, read, values

CLEAN = Path(__file__).resolve().parents[2] / "fixtures" / "repositories" / "clean"
SECRET = "hunter2-and-more"

# Stands in for a server: shows what it was given, and comes up.
_FAKE = r"""#!/bin/sh
echo "I1130 09:00:00.000000 1 model_lifecycle.cc:472] \"loading: detect:1\""
if [ -n "$TOKEN" ]; then echo "${#TOKEN}" >>"$SEEN"; fi
echo "I1130 09:00:00.500000 1 model_lifecycle.cc:839] \"successfully loaded 'detect'\""
echo "I1130 09:00:00.600000 1 grpc_server.cc:2558] \"Started GRPCInferenceService at 127.0.0.1:1\""
sleep 60
"""


def test_names_and_values() -> None:
    found = read(("B=x=y", "A=1", "A=2", "HERE", "EMPTY="), {"HERE": "own"})
    assert values(found) == {"A": "2", "B": "x=y", "EMPTY": "", "HERE": "own"}
    for text in ("", "=x", "A=\0"):
        with pytest.raises(VariableError, match="--env takes NAME=VALUE"):
            read((text,), {})
    with pytest.raises(VariableError, match="--env GONE: not set here"):
        read(("GONE",), {})


def test_a_value_leaves_by_no_door() -> None:
    (one,) = read((f"TOKEN={SECRET}",), {})
    plan = make_plan(Wish(str(CLEAN), environment=(f"TOKEN={SECRET}",)), "process")
    shown = [repr(one), str(one), repr(plan), to_line("plan", plan), plan.digest(), repr(asdict(plan))]
    assert not [text for text in shown if SECRET in text]
    with pytest.raises(TypeError):
        json.dumps(asdict(plan))
    assert one == Variable("TOKEN", mark("TOKEN", SECRET)) != Variable("TOKEN", mark("TOKEN", "other"))
    assert mark("TOKEN", SECRET) != mark("OTHER", SECRET)
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_changed_value_is_another_plan() -> None:
    plans = [make_plan(Wish(str(CLEAN), environment=(f"A={value}",)), "process") for value in ("1", "1", "2")]
    assert plans[0] == plans[1] != plans[2]
    assert plans[0].digest() == plans[1].digest() != plans[2].digest()


def test_values_are_given_again() -> None:
    kept = tuple(Variable(one.name, one.mark) for one in read(("A=1", "B=2"), {}))
    assert values(again(kept, ("A=1", "B=2"), {})) == {"A": "1", "B": "2"}
    assert values(again(kept, ("B",), {"A": "1", "B": "2"})) == {"A": "1", "B": "2"}
    for texts, own, said in (
        ((), {}, "a journal keeps no values: give --env A=… again"),
        (("A=1",), {"B": "3"}, "--env B: the run was begun with another value"),
        (("A=2", "B=2"), {}, "--env A: the run was begun with another value"),
        (("A=1", "B=2", "C=3"), {}, "--env C: the run to resume was begun without it"),
    ):
        with pytest.raises(VariableError, match=said):
            again(kept, texts, own)
    assert again((), (), {"A": "1"}) == ()


def test_a_run_with_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server gets it, at every start and after a resume too; the folder of the run and the reports never do."""
    fake, seen, run = tmp_path / "tritonserver", tmp_path / "seen", tmp_path / "run"
    fake.write_text(_FAKE)
    fake.chmod(0o755)
    monkeypatch.setenv("SEEN", str(seen))
    monkeypatch.setattr("tritoncheck.stress.attempt._INDEX", 0.1)
    wish = Wish(str(CLEAN), 2, server=str(fake), expected=("detect",), environment=(f"TOKEN={SECRET}",))
    assert run_stress(StressOptions(wish, output=str(run), html=str(tmp_path / "page.html"))) == 0
    journal = run / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))  # plan, facts, one attempt
    capfd.readouterr()
    assert run_stress(StressOptions(resume=str(run))) == 2
    assert "a journal keeps no values: give --env TOKEN=… again" in capfd.readouterr().err
    assert run_stress(StressOptions(Wish(environment=("TOKEN=other",)), resume=str(run))) == 2
    assert "--env TOKEN: the run was begun with another value" in capfd.readouterr().err
    assert run_stress(StressOptions(Wish(environment=(f"TOKEN={SECRET}",)), resume=str(run))) == 0
    assert len(list(read_attempts(run))) == 2
    assert seen.read_text().split() == [str(len(SECRET))] * 3
    assert [one.name for one in read_plan(run).environment] == ["TOKEN"]
    assert any(kind == "decision" for kind, _ in read_lines(journal))
    for format in ("text", "json", "junit", "markdown"):
        assert run_stress(StressOptions(report=str(run), format=format)) == 0
    out, err = capfd.readouterr()
    assert "TOKEN" in out
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != seen]
    assert not [text for text in (out.encode(), err.encode(), whole, *written) if SECRET.encode() in text]
