"""`tritoncheck releases`: never another answer than that of `lint --triton`, and what sets each limit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.cases import cases_of, run_lint
from tritoncheck.config import Settings
from tritoncheck.deployment.tables import triton_versions
from tritoncheck.registry import own_rules
from tritoncheck.releases import acceptance
from tritoncheck.rule import release_tag

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


def test_nothing_to_check(tritoncheck: Command, tmp_path: Path) -> None:
    done = tritoncheck("releases", tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    done = tritoncheck("releases", tmp_path / "nowhere")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
