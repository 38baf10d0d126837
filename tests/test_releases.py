"""`tritoncheck releases`: never another answer than that of `lint --triton`, and what sets each limit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.cases import FIXTURES, TODAY, cases_of, run_lint
from tritoncheck.config import Settings
from tritoncheck.deployment.release_names import newest_release
from tritoncheck.deployment.tables import parse_tag, triton_versions
from tritoncheck.registry import own_rules
from tritoncheck.releases import acceptance
from tritoncheck.rule import Severity, release_tag

Command = Callable[..., subprocess.CompletedProcess[str]]
REPOSITORY = {
    "new": 'backend: "python"\nmodel_transaction_policy { decoupled: true }\n',
    "old": 'platform: "onnxruntime_onnx"\n',
    "never": 'backend: "python"\nmax_batch_size: 1 }\n',
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three models: one with a new field, one that any release reads, one that none does."""
    for name, text in REPOSITORY.items():
        (tmp_path / "repo" / name).mkdir(parents=True)
        (tmp_path / "repo" / name / "config.pbtxt").write_text(text)
    return tmp_path / "repo"


def test_text(tritoncheck: Command, repository: Path) -> None:
    done = tritoncheck("releases", "repo", cwd=repository.parent)
    newest = release_tag(list(triton_versions())[-1])
    assert done.returncode == 1
    assert f"old    all releases known, 20.03 to {newest}\n" in done.stdout
    assert "never  no release\n" in done.stdout
    assert "repo/never/config.pbtxt:2:19" in done.stdout
    assert "before 20.07: TCS003 `model_transaction_policy`" in done.stdout


def test_json_says_the_same_as_lint(tritoncheck: Command, repository: Path) -> None:
    done = tritoncheck("releases", repository, "--format", "json")
    models = json.loads(done.stdout)["models"]
    assert [one["model"] for one in models] == ["never", "new", "old"]
    (_, new, _) = models
    assert [part["accepted"] for part in new["stretches"]][-1] is True
    first = new["stretches"][-1]["first"]
    assert "TCS003" in {one["code"] for one in new["stretches"][-2]["refusals"]}
    for tag, code in ((first, 0), (new["stretches"][-2]["last"], 1)):
        assert tritoncheck("lint", repository / "new", "--select", "TCS", "--triton", tag).returncode in (code, 1)


@pytest.mark.parametrize("code", ["TCS003", "TCG005", "TCS020"])
def test_each_release_as_lint_says(code: str, tmp_path: Path) -> None:
    for number, case in enumerate(one for one in cases_of(code) if one.name.startswith("bad")):
        folder = case.build(tmp_path / str(number))
        found = acceptance(str(folder), str(folder), Settings(), own_rules(), date(2026, 6, 1))
        assert any(any(one.refusals.values()) for one in found)
        for release in list(triton_versions())[::6]:
            report = run_lint(folder, {"triton": release_tag(release)})
            refused = {one.model for one in report.findings if one.refused and "/configs/" not in one.span.path}
            assert {one.model for one in found if one.refusals[release]} == refused


@pytest.mark.parametrize("path", ["repo/new", "repo/new/config.pbtxt", "repo/old/../new"])
def test_only_the_model_that_is_asked_for(path: str, tritoncheck: Command, repository: Path) -> None:
    done = tritoncheck("releases", path, "--format", "json", cwd=repository.parent)
    assert [one["model"] for one in json.loads(done.stdout)["models"]] == ["new"]
    assert done.returncode == 0


@pytest.mark.parametrize("link", ["ahead", "new/../ahead"])
def test_a_linked_model_that_is_asked_for(link: str, tritoncheck: Command, repository: Path) -> None:
    (repository.parent / "store").mkdir()
    (repository / "new").rename(repository.parent / "store" / "ahead")
    (repository / "ahead").symlink_to("../store/ahead")
    (repository / "new").mkdir()
    done = tritoncheck("releases", f"repo/{link}", "--format", "json", cwd=repository.parent)
    assert [one["model"] for one in json.loads(done.stdout)["models"]] == ["ahead"]


CODES = sorted(one.name for one in (FIXTURES / "rules").iterdir())


@pytest.mark.parametrize("code", CODES)
def test_what_lint_calls_refused_is_not_accepted(code: str, tmp_path: Path) -> None:
    """In every bad fixture, whichever rule says it: also those that look at how the server is started."""
    newest = release_tag(newest_release())
    for case in cases_of(code):
        if not case.name.startswith("bad"):
            continue
        folder = case.build(tmp_path / case.name)
        for tag in {case.options.get("triton", newest), newest}:
            deployed = case.options.get("deployed", False)
            report = run_lint(folder, {"triton": tag, "deployed": deployed})
            errors = [one for one in report.findings if one.refused and one.severity == Severity.ERROR]
            refused = {one.model for one in errors if one.model and "/configs/" not in one.span.path}
            release = parse_tag(tag)
            found = acceptance(
                str(folder), str(folder), Settings(deployed=deployed), own_rules(), TODAY, releases=[release]
            )
            assert refused <= {one.model for one in found if not one.stretches[0].accepted}, case.name


def test_nothing_to_check(tritoncheck: Command, tmp_path: Path) -> None:
    done = tritoncheck("releases", tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    done = tritoncheck("releases", tmp_path / "nowhere")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
