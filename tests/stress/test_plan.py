"""From what is asked for to a plan, and what the command says where it cannot be."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stress.courses import operation
from tritoncheck.stress.ending import restarts_for, rules_of
from tritoncheck.stress.plan import (
    PlanError,
    Wish,
    fingerprint,
    make_plan,
    parse_duration,
    parse_rate,
)
from tritoncheck.stress.records import Plan, plan_from, to_line
from tritoncheck.stress.stop import ConfidenceSequence, FixedCount, Sprt, TimeBudget
from tritoncheck.stress.variables import values

REPOSITORIES = Path(__file__).resolve().parents[2] / "fixtures" / "repositories"
Command = Callable[..., subprocess.CompletedProcess[str]]


def plan(**more: object) -> Plan:
    """A plan for the clean repository."""
    return make_plan(Wish(str(REPOSITORIES / "clean"), **more), "process")  # type: ignore[arg-type]


def test_fifty_starts_unless_something_else_is_said() -> None:
    assert plan().restarts == 50
    assert plan().expected == ("depth", "detect", "pose")
    assert plan(claim="<1%").restarts == 299
    assert plan(claim="<1%", restarts=10).restarts == 10
    assert rules_of(plan()) == (FixedCount(50),)
    assert rules_of(plan(budget="30m")) == (TimeBudget(1800.0),)
    assert rules_of(plan(budget="30m", restarts=9)) == (FixedCount(9), TimeBudget(1800.0))
    (rule,) = rules_of(plan(claim="<5%", until="decided"))
    assert isinstance(rule, ConfidenceSequence)
    assert rule.rate == 0.05
    assert rule.most > 100


def test_a_sequential_test_is_declared_with_both_its_rates() -> None:
    made = plan(claim="<1%", until="sprt", against="10%")
    assert (made.until, made.claim, made.against) == ("sprt", 0.01, 0.1)
    (rule,) = rules_of(made)
    assert rule == Sprt(0.01, 0.1, made.restarts)
    assert made.restarts == 4 * 40  # the hardest rate between the two takes some 40 on average
    assert rules_of(plan(claim="<1%", until="sprt", against="10%", restarts=60)) == (Sprt(0.01, 0.1, 60),)
    assert made.digest() != plan(claim="<1%", until="sprt", against="11%").digest()
    assert rule.declared == (
        "when the counts tell a rate of 1.0 % from 10.0 % (sequential test, errors of 5 % and 5 %),"
        " after 160 attempts at most"
    )


@pytest.mark.parametrize(("good", "bad"), [(0.01, 0.1), (0.01, 0.05), (0.05, 0.1), (0.01, 0.015), (0.3, 0.5)])
def test_a_sequential_test_has_attempts_enough(good: float, bad: float) -> None:
    """The truncation hardly ever decides: at the rate that is the hardest to tell, and at either of the two."""
    test = Sprt(good, bad, restarts_for("sprt", good, bad, None))
    for rate in (good, math.sqrt(good * bad), bad):
        if test.most < 2000:
            assert operation(test, rate).inconclusive < 0.03


def test_models_that_the_flags_name() -> None:
    explicit = ("--model-control-mode=explicit", "--load-model=pose")
    assert plan(flags=explicit).expected == ("pose",)
    assert plan(flags=("--model-control-mode=explicit", "--load-model=*")).expected == ("depth", "detect", "pose")
    with pytest.raises(PlanError, match="no model there to wait for"):
        plan(flags=("--model-control-mode", "explicit"))


@pytest.mark.parametrize(
    ("text", "rate"), [("<1%", 0.01), ("< 1 %", 0.01), ("0.01", 0.01), ("<=2.5%", 0.025), ("below 5%", 0.05)]
)
def test_claims(text: str, rate: float) -> None:
    assert parse_rate(text, "--claim") == pytest.approx(rate)


@pytest.mark.parametrize("text", ["", "0", "1", "100%", "101%", ">1%", "-1%", "nan", "one"])
def test_claims_that_cannot_be(text: str) -> None:
    with pytest.raises(PlanError):
        parse_rate(text, "--claim")


def test_times() -> None:
    assert [parse_duration(text, "--for") for text in ("90", "90s", "1.5m", "2h")] == [90, 90, 90, 7200]
    for text in ("", "0", "-1", "1w", "inf", "1e999"):
        with pytest.raises(PlanError):
            parse_duration(text, "--for")


def test_a_plan_survives_the_journal() -> None:
    import json

    made = plan(environment=("A=b=c",), flags=("--log-verbose=1",), claim="1%", budget="1h")
    assert values(made.environment) == {"A": "b=c"}
    again = plan_from(json.loads(to_line("plan", made)))
    assert again == made
    assert again.digest() == made.digest()
    assert values(again.environment) == {}


def test_the_fingerprint_sees_edits_and_not_byte_code(tmp_path: Path) -> None:
    script = tmp_path / "m" / "1" / "model.py"
    script.parent.mkdir(parents=True)
    script.write_text("a = 1\n")
    before = fingerprint(str(tmp_path))
    (script.parent / "__pycache__").mkdir()
    (script.parent / "__pycache__" / "model.pyc").write_text("x")
    assert fingerprint(str(tmp_path)) == before
    script.write_text("a = 2\n")
    assert fingerprint(str(tmp_path)) != before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such folder"),
        ([str(REPOSITORIES / "clean"), "--claim", "often"], "--claim takes a rate"),
        ([str(REPOSITORIES / "clean"), "--until", "later"], "--until must be"),
        ([str(REPOSITORIES / "clean"), "--until", "sprt", "--claim", "<1%"], "--until sprt tells two rates apart"),
        ([str(REPOSITORIES / "clean"), "--against", "5%"], "--against is the second rate"),
        (
            [str(REPOSITORIES / "clean"), "--until", "sprt", "--claim", "<5%", "--against", "1%"],
            "--against 1%: the bad rate must be above the good one",
        ),
        ([str(REPOSITORIES / "clean"), "--env", "=secret"], "--env takes NAME=VALUE, or NAME"),
        ([str(REPOSITORIES / "clean"), "--env", "NOT_SET_ANYWHERE"], "--env NOT_SET_ANYWHERE: not set here"),
        ([str(REPOSITORIES / "clean"), "--for", "soon"], "--for takes a time"),
        ([str(REPOSITORIES / "clean"), "--restarts", "0"], "--restarts must be at least 1"),
        ([str(REPOSITORIES / "clean"), "--host", "cloud"], "--host must be one of"),
        ([str(REPOSITORIES / "clean"), "--format", "pdf"], "--format must be one of"),
        ([str(REPOSITORIES / "clean"), "--server", "/nowhere/tritonserver"], "no program that can be run"),
        (["--resume", "nowhere"], "no run there"),
        (["--report", "nowhere"], "nowhere"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, tritoncheck: Command, tmp_path: Path) -> None:
    done = tritoncheck("stress", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("tritoncheck: no --image: using")]
    assert len(lines) == 1, done.stderr
    assert said in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_the_demo_needs_no_server(tritoncheck: Command, tmp_path: Path) -> None:
    done = tritoncheck("stress", "--demo", "--restarts", "3", "--output", tmp_path / "run", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "vlm_main" in done.stdout
    again = tritoncheck("stress", "--report", tmp_path / "run", cwd=tmp_path)
    assert again.stdout == done.stdout
    assert again.returncode == done.returncode
    more = tritoncheck("stress", "--resume", tmp_path / "run", cwd=tmp_path)
    assert more.returncode == done.returncode
    assert tritoncheck("stress", "--demo", "--restarts", "7", "--resume", tmp_path / "run").returncode == 2
