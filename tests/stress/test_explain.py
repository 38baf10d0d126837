"""`tritoncheck explain-log`: what an operator reads, what a machine reads, and the place behind each failure."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tritoncheck.registry import own_rules
from tritoncheck.stress.command import explain_log
from tritoncheck.stress.signatures import signatures

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "fixtures" / "logs"
NV12 = ROOT / "fixtures" / "repositories" / "nv12"
Captured = pytest.CaptureFixture[str]

_NOTE = {"type": "object", "required": ["line", "text", "class"]}
_WHERE = {
    "type": ["object", "null"],
    "required": ["path", "line", "code"],
    "properties": {
        "path": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "code": {"type": ["string", "null"], "pattern": "^TC[A-Z][0-9]{3}$"},
    },
}
_NAMES = {"type": "array", "items": {"type": "string"}}
_MODEL = {
    "type": "object",
    "required": ["outcome", "class", "line", "text", "culprits", "lost", "where"],
    "properties": {
        "outcome": {"enum": ["ready", "degraded", "failed", "knock-on", "hung", "crashed", "unknown"]},
        "class": {"type": ["string", "null"]},
        "line": {"type": ["integer", "null"]},
        "text": {"type": "string"},
        "culprits": _NAMES,
        "victims": _NAMES,
        "lost": _NAMES,
        "where": _WHERE,
        "symptoms": {"type": "array", "items": _NOTE},
        "instances": {"type": "array", "items": _NOTE},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["version", "models", "server"],
    "properties": {"version": {"const": 1}, "models": {"type": "object", "additionalProperties": _MODEL}},
}


def as_json(capsys: Captured, log: Path, repo: Path | None = None) -> dict[str, Any]:
    """The JSON of a log."""
    assert explain_log(str(log), str(repo or ""), "json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return found


def as_text(capsys: Captured, log: Path, repo: Path | None = None) -> str:
    """The text of a log."""
    assert explain_log(str(log), str(repo or ""), "text") == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("log", sorted(LOGS.glob("*.log")), ids=lambda path: path.stem)
def test_every_log_is_told_in_both_forms(log: Path, capsys: Captured) -> None:
    as_json(capsys, log)
    text = as_text(capsys, log)
    assert max(len(line) for line in text.splitlines() if str(log) not in line) <= 80
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_the_race_is_told_with_victims_culprit_and_place(capsys: Captured) -> None:
    found = as_json(capsys, LOGS / "tensorrt-race.log", NV12)["models"]
    config = (NV12 / "pose_main" / "config.pbtxt").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(config) if "graphs: true" in text)
    for name in ("depth_main", "rfdetr", "vlm_main"):
        assert found[name]["class"] == "legacy-stream-dependency"
        assert (found[name]["outcome"], found[name]["culprits"], found[name]["lost"]) == ("failed", ["pose_main"], [])
        where = found[name]["where"]
        assert where["path"].endswith("fixtures/repositories/nv12/pose_main/config.pbtxt")
        assert (where["line"], where["code"]) == (line, "TCG001")
    assert found["pose_main"]["lost"] == ["cuda-graph"]
    assert found["pose_main"]["where"]["line"] == line
    text = as_text(capsys, LOGS / "tensorrt-race.log", NV12)
    assert "3 failed, 1 degraded" in text
    assert "Victim of the CUDA graph capture of pose_main." in text
    assert "Culprit: while it captured, these failed: depth_main, rfdetr, vlm_main." in text
    assert "--model-load-thread-count=1" in text


def test_a_victim_without_culprit_gets_the_suspects_of_the_repository(capsys: Captured, tmp_path: Path) -> None:
    log = tmp_path / "log"
    lines = (LOGS / "tensorrt-race.log").read_text().splitlines(keepends=True)
    log.write_text("".join(line for line in lines if "CUDA graph for pose_main" not in line))
    found = as_json(capsys, log, NV12)["models"]["vlm_main"]
    assert (found["culprits"], found["where"]) == ([], None)
    assert "These capture graphs: depth_main, pose_main, rfdetr." in re.sub(r"\s+", " ", as_text(capsys, log, NV12))


CONFIG = """backend: "python"
max_batch_size: 0
input [
  { name: "w" data_type: TYPE_FP32 dims: [ 4 ] },
  { name: "x" data_type: TYPE_FP32
    dims: [ 0 ] }
]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "no.txt" } ]
instance_group [
  { kind: KIND_CPU },
  { kind: KIND_GPU
    gpus: [ 3 ] }
]
"""
# model of fixtures/logs/mixed-2.51.0.log -> what lies in its folder, and the place that is to be named
PLACES = {
    "bad_init": ({"config.pbtxt": CONFIG, "1/model.py": "\n" * 9}, ("bad_init/1/model.py", 4, None)),
    "misnamed": ({"config.pbtxt": '# other\nname: "other"\n'}, ("misnamed/config.pbtxt", 2, "TCR004")),
    "no_version": ({"config.pbtxt": CONFIG}, ("no_version/config.pbtxt", 1, "TCR006")),
    "on_gpu": ({"config.pbtxt": CONFIG}, ("on_gpu/config.pbtxt", 12, "TCI003")),
    "plat": ({"config.pbtxt": '\nplatform: "libfoo"\n'}, ("plat/config.pbtxt", 2, "TCS009")),
    "stray": ({"readme": ""}, ("stray", 1, "TCR001")),
    "typo": ({"config.pbtxt": 'backend: "python"\n\nmax_batchsize: 4\n'}, ("typo/config.pbtxt", 3, "TCS002")),
    "wrong_backend": ({"config.pbtxt": '\nbackend: "onnxruntime"\n'}, ("wrong_backend/config.pbtxt", 2, "TCS010")),
    "zero_dim": ({"config.pbtxt": CONFIG}, ("zero_dim/config.pbtxt", 6, "TCH001")),
}


def fill(repo: Path, model: str, files: dict[str, str]) -> None:
    """A model folder."""
    for name, text in files.items():
        path = repo / model / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("below", ["", "deploy/models"])
def test_the_place_behind_a_failure(
    below: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for model, (files, _) in PLACES.items():
        fill(tmp_path / below, model, files)
    found = as_json(capsys, LOGS / "mixed-2.51.0.log", Path("."))["models"]
    for model, (_, (path, line, code)) in PLACES.items():
        if model == "stray" and below:
            continue
        assert found[model]["where"] == {"path": f"{below}/{path}".lstrip("/"), "line": line, "code": code}
    for model in ("alpha", "pipe_bad", "many"):
        assert found[model]["where"] is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("max_batch_size: ${batch}\n", "TCS017"),
        ("// note\nmax_batch_size: 1\n", "TCS006"),
        ("max_batch_size: 1\nmax_batch_size: 2\n", "TCS004"),
        ("dynamic_batching { }\nsequence_batching { }\n", "TCS005"),
        ('max_batch_size: "4"\n', "TCS018"),
        ("max_batch_size: }\n", "TCS001"),
    ],
)
def test_the_rule_about_a_text_that_cannot_be_read(text: str, code: str, capsys: Captured, tmp_path: Path) -> None:
    fill(tmp_path, "tmpl", {"config.pbtxt": 'backend: "python"\n' + text})
    found = as_json(capsys, LOGS / "refused-2.51.0.log", tmp_path)["models"]["tmpl"]["where"]
    assert found["code"] == code


def test_a_crash_is_placed_only_where_the_field_is(capsys: Captured, tmp_path: Path) -> None:
    fill(tmp_path, "alpha", {"config.pbtxt": CONFIG})
    fill(tmp_path, "tagged", {"config.pbtxt": CONFIG + 'metric_tags { key: "my-team" value: "x" }\n'})
    found = as_json(capsys, LOGS / "crash-2.51.0.log", tmp_path)["models"]
    assert found["alpha"]["where"] is None
    assert found["tagged"]["where"]["line"] == 14


def test_a_file_of_the_model_is_named(capsys: Captured, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "E1130 09:06:03.300000 1 model_lifecycle.cc:642] \"failed to load 'a' version 1: Internal: "
        'expecting library version 8.2.4 got 8.2.3"\n'
    )
    fill(tmp_path / "repo", "a", {"config.pbtxt": 'platform: "tensorrt_plan"\n', "1/model.plan": "x"})
    where = as_json(capsys, log, tmp_path / "repo")["models"]["a"]["where"]
    assert (Path(where["path"]).name, where["code"]) == ("model.plan", "TCV001")


def test_several_starts_are_told_apart(capsys: Captured) -> None:
    found = as_json(capsys, LOGS / "restart-loop.log")
    assert (found["start"], found["starts"]) == (2, 3)
    assert found["models"]["vlm_main"]["outcome"] == "failed"
    text = " ".join(
        as_text(capsys, LOGS / "restart-loop.log").split()
    )  # where lines end hangs on the length of the path
    assert "(start 2 of 3)" in text
    assert "not well there: pose_main in 1, vlm_main in 1." in text


def test_what_comes_from_a_log_cannot_steer_the_terminal(capsys: Captured, tmp_path: Path) -> None:
    log = tmp_path / "log"
    name = r"a\u001b]0;x\u0007\u202e\ud800"
    log.write_text(
        f"E1130 09:06:03.300000 1 model_lifecycle.cc:642] \"failed to load '{name}' version 1: no\\u001b[2J\"\n"
    )
    assert as_text(capsys, log).replace("\n", "").isprintable()
    as_json(capsys, log)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such.log"], "no-such.log: No such file or directory"),
        (["fixtures"], "fixtures: a folder, not a log"),
        (["fixtures/logs/hang-2.51.0.log", "--format", "xml"], "--format must be one of text, json, not `xml`"),
        (["fixtures/logs/hang-2.51.0.log", "--repo", "nowhere"], "--repo nowhere: no such folder"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], said: str, tritoncheck: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = tritoncheck("explain-log", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"tritoncheck: {said}\n")


def test_what_is_no_log_of_triton(tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = tritoncheck("explain-log", "LICENSE")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "tritoncheck: LICENSE: no line of a Triton server in it\n"


def test_the_command_reads_stdin(checkout: Path) -> None:
    log = (LOGS / "tensorrt-race.log").read_bytes()
    command = ["-m", "tritoncheck", "explain-log", "-", "--format", "json"]
    done = subprocess.run([sys.executable, *command], cwd=checkout, input=log, capture_output=True, timeout=60)
    assert done.returncode == 0
    assert json.loads(done.stdout)["models"]["pose_main"]["outcome"] == "degraded"


def test_every_rule_that_a_place_may_name_exists() -> None:
    """`tritoncheck explain CODE` is what a reader is told to ask next."""
    known = {loaded.rule.code for loaded in own_rules()}
    package = ROOT / "tritoncheck" / "stress"
    files = [path for path in package.rglob("*") if path.suffix in (".py", ".toml", ".html")]
    named = {code for path in files for code in re.findall(r"\bTC[A-Z]\d{3}\b", path.read_text(encoding="utf-8"))}
    assert len(named) > 30
    assert sorted(named - known) == []
    assert {one.rule for one in signatures() if one.rule} <= known
