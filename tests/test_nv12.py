"""The case the tool was built for: models that capture CUDA graphs while others load on the same GPU.

Three TensorRT models with graphs on and one ONNX model without, in `fixtures/repositories/nv12`. What the load race
rules say of them, and where they are silent.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import TODAY, run_lint
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.lint import lint
from tritoncheck.outcome import Report
from tritoncheck.race import MEASURED, measured
from tritoncheck.registry import own_rules
from tritoncheck.rule import Confidence, Finding, Severity, listing
from tritoncheck.run import Run

NV12 = Path(__file__).parent.parent / "fixtures" / "repositories" / "nv12"
IMAGE = "nvcr.io/nvidia/tritonserver:26.06-py3"
SERVER = "tritonserver --model-repository=/models"
GRAPHS = 'backend: "tensorrt"\noptimization { cuda { graphs: true } }\n'


def make(folder: Path, **models: str) -> Path:
    """A repository of these models."""
    for name, text in models.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "config.pbtxt").write_text(text)
    return folder


def plain(backend: str, group: str = "") -> str:
    """A model without graphs."""
    return f'backend: "{backend}"\n' + (f"instance_group [ {{ {group} }} ]\n" if group else "")


def nv12(folder: Path, *names: str) -> Path:
    """Some of the four models."""
    return make(folder, **{name: (NV12 / name / "config.pbtxt").read_text() for name in names})


def found(report: Report, code: str = "TCG001") -> list[Finding]:
    """The findings of a rule."""
    return [one for one in report.findings if one.rule.code == code]


def races(folder: Path, launch: str = SERVER, image: str = IMAGE) -> list[Finding]:
    """What TCG001 says."""
    return found(run_lint(folder, {"image": image, "launch": launch}))


def test_names_capturers_victims_and_reason() -> None:
    """One error for each model that captures; the ONNX model is named as a victim only."""
    findings = races(NV12)
    assert [one.model for one in findings] == ["depth_main", "pose_main", "rfdetr"]
    for one in findings:
        others = {"depth_main", "pose_main", "rfdetr", "vlm_main"} - {one.model}
        first = one.message.split("\n")[0]
        assert all(f"`{name}`" in first for name in others)
        assert first.startswith(f"`{one.model}` captures CUDA graphs while it loads")
        assert "906" in first
        assert "as it does by default" not in first
        assert "legacy stream" in one.message
        assert (one.severity, one.confidence, one.refused) == (Severity.ERROR, Confidence.HIGH, False)


def test_places() -> None:
    """The switch of the one that captures; beside it the other switches and the victim's backend."""
    pose = races(NV12)[1]
    assert (pose.span.path, pose.span.line) == (str(NV12 / "pose_main/config.pbtxt"), 8)
    assert NV12.joinpath("pose_main/config.pbtxt").read_bytes()[pose.span.start : pose.span.end] == b"graphs: true"
    related = [(Path(one.span.path).parent.name, one.span.line, one.message.split(":")[0]) for one in pose.related]
    assert related == [
        ("depth_main", 8, "captures too, and can be hit"),
        ("rfdetr", 13, "captures too, and can be hit"),
        ("vlm_main", 2, "graphs off, can still be hit"),
    ]


def test_quotes_what_was_measured_and_what_cures() -> None:
    """The numbers with their set-up; the best cure first, what does not help last."""
    one = races(NV12)[0]
    assert "H200" in one.message
    assert "stand-in backend" in one.message
    assert "17 of 20 starts failed with two graph models" in one.message
    assert "20 of 20 with three graph models beside one without" in one.message
    assert "0 of 20 with one alone" in one.message
    assert "your rate will differ" in one.message
    cures = ["--model-load-thread-count=1", "one by one in explicit mode", "GPU of its own", "server of its own"]
    order = [one.help.index(text) for text in (*cures, "graphs off in all models", "does not help", "graph_spec")]
    assert order == sorted(order)
    assert "19 of 40" in one.help
    assert "10, 25, 24 of 40" in one.help


def test_unknown_flags_are_worded_so() -> None:
    """Without the command line it is an error all the same, at medium confidence."""
    for options in ({}, {"image": IMAGE}, {"launch": f"{SERVER} --model-load-thread-count=$THREADS"}):
        findings = found(run_lint(NV12, options))
        assert len(findings) == 3
        assert all(one.confidence == Confidence.MEDIUM for one in findings)
        assert all("as it does by default" in one.message for one in findings)


@pytest.mark.parametrize(
    "flags",
    [
        *("", "--model-load-thread-count=2", "--model-load-thread-count=-1", "--model-control-mode=poll"),
        *("--model-control-mode=explicit --load-model=*", "--model-control-mode=NONE", "--exit-on-error=false"),
        "--model-load-thread-count=1 --model-load-thread-count=4",
    ],
)
def test_flags_that_load_at_once(flags: str) -> None:
    """These do not keep loads apart; a negative count is absurdly many threads."""
    assert len(races(NV12, f"{SERVER} {flags}")) == 3


@pytest.mark.parametrize(
    "flags",
    [
        *("--model-load-thread-count=1", "--model-load-thread-count 1", "--model-load-thread-count=0"),
        *("--model-control-mode=explicit", "--model-control-mode=EXPLICIT"),
        *(
            "--model-control-mode=explicit --load-model=pose_main",
            "--model-control-mode=explicit --load-model=vlm_main",
        ),
        "--model-control-mode=explicit --load-model=* --model-load-thread-count=1",
    ],
)
def test_flags_that_load_one_by_one(flags: str) -> None:
    """One thread (0 counts as 1), models loaded over the API, or one model at the start."""
    assert not races(NV12, f"{SERVER} {flags}")


def test_explicit_names() -> None:
    """What is named loads together; what is not named loads later."""
    findings = races(NV12, f"{SERVER} --model-control-mode=explicit --load-model=pose_main --load-model=vlm_main")
    assert [one.model for one in findings] == ["pose_main"]
    assert "`vlm_main`" in findings[0].message
    assert "rfdetr" not in findings[0].message
    assert "10 of 40 starts failed with one graph model beside one without" in findings[0].message


@pytest.mark.parametrize("name", ["pose_main", "rfdetr", "depth_main", "vlm_main"])
def test_one_model_alone(name: str, tmp_path: Path) -> None:
    """One model cannot race; nor is there anything to say of it otherwise."""
    report = run_lint(nv12(tmp_path, name), {"image": IMAGE, "launch": SERVER})
    assert not [one for one in report.findings if one.rule.code in ("TCG001", "TCG018", "TCG024")]


@pytest.mark.parametrize(("tag", "count"), [("23.03", 0), ("22.12", 0), ("23.04", 3), ("24.05", 3), ("26.06", 3)])
def test_releases(tag: str, count: int) -> None:
    """Until 23.03 the core loaded one model at a time."""
    assert len(races(NV12, image=f"nvcr.io/nvidia/tritonserver:{tag}-py3")) == count


def test_images_perhaps_built_without_graphs() -> None:
    """Up to 24.05 it is said, at medium confidence, that the image may capture nothing."""
    one = races(NV12, image="nvcr.io/nvidia/tritonserver:24.05-py3")[0]
    assert one.confidence == Confidence.MEDIUM
    assert "built without graphs" in one.message


def test_split_over_gpus(tmp_path: Path) -> None:
    """Different GPUs do not collide; a GPU with two of them does."""
    first, second = (GRAPHS + f"instance_group [ {{ kind: KIND_GPU gpus: [ {gpu} ] }} ]\n" for gpu in (0, 1))
    assert not races(make(tmp_path / "apart", a=first, b=second))
    findings = races(make(tmp_path / "pairs", a=first, b=second, c=first, d=plain("onnxruntime", "gpus: [ 1 ]")))
    assert [one.model for one in findings] == ["a", "b", "c"]
    assert ["`c`" in findings[0].message, "`d`" in findings[1].message, "`b`" in findings[0].message] == [1, 1, 0]
    everywhere = GRAPHS + "instance_group [ { kind: KIND_GPU } ]\n"
    assert [one.model for one in races(make(tmp_path / "every", a=first, b=everywhere))] == ["a", "b"]
    both = GRAPHS + "instance_group [ { gpus: [ 0 ] }, { gpus: [ 1 ] } ]\n"
    assert [one.model for one in races(make(tmp_path / "both", a=first, b=second, c=both))] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "neighbour",
    [
        *(plain("python"), plain("vllm"), plain("openvino"), plain("python", "kind: KIND_GPU"), plain("identity")),
        *(plain("onnxruntime", "kind: KIND_CPU"), plain("pytorch", "kind: KIND_CPU count: 4"), plain("acme_filter")),
        plain("pytorch") + 'runtime: "model.py"\n',
        plain("onnxruntime", "kind: KIND_CPU }, { kind: KIND_CPU count: 2"),
        plain("tensorrt", "kind: KIND_CPU"),
        'backend: "${BACKEND}"\n',
        'backend: "onnxruntime"\ninstance_group [ { kind: ${KIND} } ]\n',
    ],
)
def test_neighbours_out_of_reach(neighbour: str, tmp_path: Path) -> None:
    """Processes of their own, the CPU, and what is not known to be in reach."""
    assert not races(make(tmp_path, a=GRAPHS, b=neighbour))


@pytest.mark.parametrize(
    "neighbour",
    [
        *(plain("onnxruntime"), plain("tensorrt"), plain("pytorch"), 'platform: "onnxruntime_onnx"\n'),
        *('platform: "tensorrt_plan"\n', 'platform: "pytorch_libtorch"\n', plain("pytorch", "kind: KIND_MODEL")),
        plain("onnxruntime", "kind: KIND_CPU }, { kind: KIND_GPU"),
        plain("tensorrt", "kind: KIND_GPU") + "optimization { cuda { graphs: false } }\n",
    ],
)
def test_neighbours_in_reach(neighbour: str, tmp_path: Path) -> None:
    """One model without graphs is enough, whoever serves it."""
    findings = races(make(tmp_path, a=GRAPHS, b=neighbour))
    assert [(one.model, one.severity, one.confidence) for one in findings] == [("a", Severity.ERROR, Confidence.HIGH)]


@pytest.mark.parametrize("backend", ["fil", "dali", "tensorflow", "tensorrtllm", "acme_filter"])
def test_neighbours_not_measured(backend: str, tmp_path: Path) -> None:
    """A GPU backend that was not measured gives no error."""
    findings = races(make(tmp_path, a=GRAPHS, b=plain(backend, "kind: KIND_GPU")))
    assert [(one.severity, one.confidence) for one in findings] == [(Severity.WARNING, Confidence.LOW)]
    assert "was not measured" in findings[0].message


def test_own_backend_beside_a_sure_victim(tmp_path: Path) -> None:
    """It is no reason of the error, only a place more to look at."""
    parts = make(tmp_path, a=GRAPHS, b=plain("acme_filter", "kind: KIND_GPU"), c=plain("pytorch"))
    findings = races(parts)
    assert "`b`" not in findings[0].message
    assert [one.message.split(";")[0].split(":")[0] for one in findings[0].related] == [
        "graphs off, can still be hit",
        "may be hit too",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'backend: "onnxruntime"\noptimization { cuda { graphs: true } }\n',
        'backend: "tensorrt"\noptimization { cuda { graphs: false } }\n',
        'backend: "tensorrt"\noptimization { cuda { busy_wait_events: true } }\n',
        'backend: "tensorrt"\noptimization { cuda { graphs: ${GRAPHS} } }\n',
        GRAPHS + "instance_group [ { kind: KIND_CPU } ]\n",
        GRAPHS + 'input [ { name: "x" data_type: TYPE_INT32 dims: [ 2 ] is_shape_tensor: true } ]\n',
    ],
)
def test_what_captures_nothing(text: str, tmp_path: Path) -> None:
    """Other backends ignore the switch; a shape tensor stops the capture before it begins."""
    assert not races(make(tmp_path, a=text, b=plain("onnxruntime"), c=plain("tensorrt")))


def test_hidden_instance_groups(tmp_path: Path) -> None:
    """TensorRT runs on a GPU only; which one is hidden, so nothing is certain. A hidden count changes nothing."""
    text = GRAPHS + "instance_group [ { kind: KIND_GPU count: ${COUNT} gpus: [ ${GPU} ] } ]\n"
    findings = races(make(tmp_path, a=text, b=plain("onnxruntime", "gpus: [ 1 ]")))
    assert [(one.model, one.severity, one.confidence) for one in findings] == [("a", Severity.WARNING, Confidence.LOW)]
    text = GRAPHS + "instance_group [ { kind: KIND_GPU count: ${COUNT} gpus: [ 1 ] } ]\n"
    findings = races(make(tmp_path, a=text, b=plain("onnxruntime", "gpus: [ 1 ]")))
    assert [(one.model, one.severity) for one in findings] == [("a", Severity.ERROR)]


def test_hole_in_quotes(tmp_path: Path) -> None:
    """A backend that a template has yet to fill in is unknown, and the report says whom it left out."""
    make(tmp_path, a=GRAPHS, b='backend: "${backend}"\n')
    report = run_lint(tmp_path, {"image": IMAGE, "launch": SERVER})
    assert not found(report)
    assert any("`b`" in one.why or "b cannot" in one.why for one in report.unchecked)


def test_unreadable_neighbour(tmp_path: Path) -> None:
    """Nothing is said of a configuration that could not be read."""
    make(tmp_path, a=GRAPHS)
    (tmp_path / "b" / "config.pbtxt").mkdir(parents=True)
    (tmp_path / "b" / "1").mkdir()
    (tmp_path / "b" / "1" / "model.onnx").write_text("")
    assert not races(tmp_path)


def test_repositories_of_one_server(tmp_path: Path) -> None:
    """Models in two repositories that one command line names load together; without one nothing is assumed."""
    make(tmp_path / "one", a=GRAPHS)
    make(tmp_path / "two", b=GRAPHS, c=plain("onnxruntime"))
    paths = [str(tmp_path / "one"), str(tmp_path / "two")]
    settings = Settings(launch="tritonserver --model-repository=/srv/one --model-repository=/srv/two")
    findings = found(lint(paths, Run(settings, launch_of(settings), own_rules(), TODAY)))
    assert [one.model for one in findings] == ["a", "b"]
    assert "`b` and `c`" in findings[0].message
    assert [Path(one.span.path).parent.name for one in findings[1].related] == ["a", "c"]
    settings = Settings(launch="tritonserver --model-repository=/srv/two")
    findings = found(lint(paths, Run(settings, launch_of(settings), own_rules(), TODAY)))
    assert [one.model for one in findings] == ["b"]


def test_versions_race_with_themselves(tmp_path: Path) -> None:
    """Each version is a load of its own."""
    make(tmp_path, a=GRAPHS + "version_policy { all { } }\n")
    assert not races(tmp_path)
    for number in ("1", "2"):
        (tmp_path / "a" / number).mkdir()
    findings = races(tmp_path)
    assert "its own other version fail to load" in findings[0].message
    assert "17 of 20 starts failed with two graph models, 0 of 20 with one alone" in findings[0].message
    assert findings[0].confidence == Confidence.HIGH
    make(tmp_path, a=GRAPHS)
    assert not races(tmp_path)


def test_variants_take_no_part(tmp_path: Path) -> None:
    """A variant is what `--model-config-name` makes it; without the flag it is not read."""
    make(tmp_path, a=GRAPHS.replace("true", "false"), b=plain("onnxruntime"))
    (tmp_path / "a" / "configs").mkdir()
    (tmp_path / "a" / "configs" / "fast.pbtxt").write_text(GRAPHS)
    assert not races(tmp_path)
    findings = races(tmp_path, f"{SERVER} --model-config-name=fast")
    assert [Path(one.span.path).name for one in findings] == ["fast.pbtxt"]


def test_many_neighbours(tmp_path: Path) -> None:
    """Some are named, the others counted; the places are few."""
    make(tmp_path, a=GRAPHS, **{f"m{number:02}": plain("onnxruntime") for number in range(40)})
    findings = races(tmp_path)
    assert "`m00`, `m01`, `m02` and 37 more" in findings[0].message
    assert len(findings[0].related) == 8


def test_ensembles_and_their_parts(tmp_path: Path) -> None:
    """Naming an ensemble loads its parts together."""
    steps = "".join(f'step {{ model_name: "{name}" model_version: -1 }}\n' for name in ("a", "b"))
    make(tmp_path, a=GRAPHS, b=plain("pytorch"), both=f'platform: "ensemble"\nensemble_scheduling {{\n{steps}}}\n')
    explicit = f"{SERVER} --model-control-mode=explicit"
    assert [one.model for one in races(tmp_path, f"{explicit} --load-model=both")] == ["a"]
    assert not races(tmp_path, explicit)
    report = run_lint(tmp_path, {"image": IMAGE, "launch": explicit})
    assert [(one.model, one.severity) for one in found(report, "TCG021")] == [("both", Severity.INFO)]


def test_repositories_are_taken_alone(tmp_path: Path) -> None:
    """Whether two repositories are served together is not known."""
    make(tmp_path / "one", a=GRAPHS)
    make(tmp_path / "two", b=plain("onnxruntime"))
    assert not races(tmp_path / "one")
    assert not races(tmp_path / "two")


def test_nearest_measurement() -> None:
    """Every set-up finds its own numbers; larger ones find the largest measured."""
    assert all(measured(one.captures, one.plain) == one for one in MEASURED)
    assert measured(5, 7)[:2] == (3, 1)
    assert measured(2, 3)[:2] == (2, 0)
    assert measured(1, 9)[:2] == (1, 3)


def test_listing() -> None:
    """Names as in a sentence."""
    assert [listing("a"), listing("ab"), listing("abcd")] == ["`a`", "`a` and `b`", "`a`, `b`, `c` and `d`"]
    assert listing("abcde") == listing("abcd", 5) == "`a`, `b`, `c` and 2 more"
    assert listing("") == ""


def test_command_line(tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """As a user runs it: exit code 1 with the race, 0 with the cure."""
    folder = "fixtures/repositories/nv12"
    ran = tritoncheck("lint", folder, "--image", IMAGE, "--format", "json")
    assert ran.returncode == 1
    one = next(
        one for one in json.loads(ran.stdout)["findings"] if one["code"] == "TCG001" and one["model"] == "pose_main"
    )
    assert (one["name"], one["severity"], one["refused"], one["line"]) == ("graph-load-race", "error", False, 8)
    assert {place["path"].split("/")[-2] for place in one["related"]} == {"depth_main", "rfdetr", "vlm_main"}
    ran = tritoncheck("lint", folder, "--launch", f"{SERVER} --model-load-thread-count=1")
    assert ran.returncode == 0
    assert "TCG001" not in ran.stdout


def test_the_machine_of_record(tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The race is an error, the driver a warning, and there is nothing else but the missing versions.

    The warning names the driver that the image was built for, what can break, and that it does not cause the race.
    """
    host = ("--driver", "580.173.02", "--gpu", "NVIDIA GeForce RTX 3070 Laptop GPU")
    ran = tritoncheck("lint", "fixtures/repositories/nv12", "--image", IMAGE, *host, "--format", "json")
    document = json.loads(ran.stdout)
    findings = [(one["code"], one["severity"], one["model"]) for one in document["findings"]]
    races = [("TCG001", "error", name) for name in ("depth_main", "pose_main", "rfdetr")]
    assert sorted(findings) == sorted([*races, ("TCV030", "warning", ""), ("TCR006", "info", "")])
    (driver,) = (one for one in document["findings"] if one["code"] == "TCV030")
    for part in ("610.43", "580.173.02", "minor-version", "222", "not the cause of the load race"):
        assert part in driver["message"]
    assert "25.11-py3" in driver["help"]
    assert "driver and GPU" not in [one["what"] for one in document["unchecked"]]
    serial = ("--launch", f"{SERVER} --model-load-thread-count=1")
    ran = tritoncheck("lint", "fixtures/repositories/nv12", "--image", IMAGE, *host, *serial, "--format", "json")
    assert ran.returncode == 0
    left = {one["code"]: one for one in json.loads(ran.stdout)["findings"]}
    assert "TCG001" not in left
    assert left["TCV030"]["severity"] == "warning"
    assert "load race" not in left["TCV030"]["message"]
