"""The walk over model repositories on a real file system: versions, links, special files, odd names, big trees."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import run_lint
from tritoncheck.outcome import Report
from tritoncheck.report.json import render as json_report
from tritoncheck.report.text import render
from tritoncheck.repository import (
    crashes,
    find_repositories,
    links_out,
    looks_like_model,
    read_repository,
    repository_of,
    unreadable,
    version_number,
)

Tritoncheck = Callable[..., subprocess.CompletedProcess[str]]
CONFIG = 'backend: "onnxruntime"\nmax_batch_size: 8\n'


def make_model(folder: Path, config: str = CONFIG, version: str = "1") -> Path:
    """A model with a version and a model file in it."""
    (folder / version).mkdir(parents=True)
    (folder / version / "model.onnx").write_text("weights")
    (folder / "config.pbtxt").write_text(config)
    return folder


def text_report(report: Report) -> str:
    """The report for people."""
    return render(report, 0.1)


def kinds(path: Path) -> dict[str, str]:
    """The kind of every entry of a repository's folder."""
    return {entry.name: entry.kind for entry in read_repository(str(path)).entries}


# Version numbers


def stoll(name: str) -> int | None:
    """`std::stoll` in words of its own: skip white space, one sign, then digits up to the first other character."""
    rest = name.lstrip(" \t\n\v\f\r")
    sign = -1 if rest[:1] == "-" else 1
    rest = rest[1:] if rest[:1] in ("+", "-") else rest
    digits = ""
    for char in rest:
        if char not in "0123456789":
            break
        digits += char
    return sign * int(digits) if digits else None


@given(st.text(st.sampled_from("0123456789+- \t\n_ax.١²"), max_size=24))
@example("1_old")
@example("01")
@example("0")
@example("-0")
@example("+1")
@example(" 1")
@example("9223372036854775808")
@example("\u0661")
@example("")
def test_version_number(name: str) -> None:
    """As the conversion of the C++ library, but for a leading zero."""
    expected = None if len(name) > 1 and name[0] == "0" else stoll(name)
    assert version_number(name) == expected


@given(st.text())
def test_version_number_of_any_text(name: str) -> None:
    """No name makes it fail, and a plain number is itself."""
    number = version_number(name)
    if re.fullmatch(r"[1-9][0-9]*", name):
        assert number == int(name)


@pytest.mark.parametrize(
    ("number", "crash"), [(2**63 - 1, False), (2**63, True), (-(2**63), False), (-(2**63) - 1, True), (0, False)]
)
def test_crashes(number: int, crash: bool) -> None:
    """The limits of a 64-bit number."""
    assert crashes(number) is crash


# Links and special files


def test_links(tmp_path: Path) -> None:
    """What a link is depends on what is behind it; whether it leaves the tree does not."""
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    make_model(tree / "model")
    make_model(outside / "other")
    (tree / "file").write_text("")
    for name, target in {
        "inside": "model",
        "out": "../outside/other",
        "absolute": str(outside / "other"),
        "up": ".",
        "nothing": "missing",
        "nothing_outside": "../missing",
        "through_file": "file/x",
        "circle": "circle",
        "a": "b",
        "b": "a",
        "to_file": "file",
    }.items():
        (tree / name).symlink_to(target)
    found = {entry.name: (entry.kind, entry.outside) for entry in read_repository(str(tree)).entries}
    assert found == {
        "model": ("folder", False),
        "file": ("file", False),
        "inside": ("folder", False),
        "out": ("folder", True),
        "absolute": ("folder", True),
        "up": ("folder", False),
        "nothing": ("dangling", False),
        "nothing_outside": ("dangling", True),
        "through_file": ("dangling", False),
        "circle": ("dangling", False),
        "a": ("dangling", False),
        "b": ("dangling", False),
        "to_file": ("file", False),
    }


def test_links_out_are_told_of(tmp_path: Path) -> None:
    """A model, a version, a configuration and a model file that are links out of the tree are all named."""
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    make_model(outside / "far")
    for name in ("a", "b", "c"):
        make_model(tree / name)
    (tree / "linked").symlink_to(outside / "far")
    (tree / "a" / "2").symlink_to(outside / "far" / "1")
    (tree / "b" / "config.pbtxt").unlink()
    (tree / "b" / "config.pbtxt").symlink_to(outside / "far" / "config.pbtxt")
    (tree / "c" / "1" / "model.onnx").unlink()
    (tree / "c" / "1" / "model.onnx").symlink_to(outside / "far" / "1" / "model.onnx")
    links = [Path(link).relative_to(tree).as_posix() for link in links_out(read_repository(str(tree)))]
    assert sorted(links) == ["a/2", "b/config.pbtxt", "c/1/model.onnx", "linked"]
    told = [one.why for one in run_lint(tree).unchecked if one.what == "links out of the tree"]
    assert len(told) == 1
    assert "and 1 more" in told[0]


def test_links_inside_are_not_told_of(tmp_path: Path) -> None:
    """A link within the tree is read as what it points to, without a word."""
    make_model(tmp_path / "store" / "far")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "near").symlink_to("../store/far")
    repository = read_repository(str(tmp_path / "models"), str(tmp_path))
    assert [model.name for model in repository.models] == ["near"]
    assert not list(links_out(repository))


def test_the_walk_follows_no_links(tmp_path: Path) -> None:
    """Neither out of the tree nor in circles; every repository is found by its real path."""
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    make_model(outside / "models" / "far")
    make_model(tree / "models" / "near")
    (tree / "to_outside").symlink_to(outside)
    (tree / "to_repository").symlink_to(outside / "models")
    (tree / "circle").symlink_to(tree)
    (tree / "models" / "circle").symlink_to(tree)
    assert find_repositories(str(tree)) == [str(tree / "models")]


def test_repository_of_links(tmp_path: Path) -> None:
    """A folder whose models are all links is a repository; one whose link leads back up to a model is not."""
    make_model(tmp_path / "store" / "resnet")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "resnet").symlink_to("../store/resnet")
    assert find_repositories(str(tmp_path / "models")) == [str(tmp_path / "models")]
    (tmp_path / "config.pbtxt").write_text(CONFIG)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "up").symlink_to("..")
    assert find_repositories(str(tmp_path / "data")) == []


@pytest.mark.parametrize("place", ["config.pbtxt", "1/model.onnx", "labels.txt", "1/other"])
@pytest.mark.parametrize("what", ["fifo", "socket", "folder", "circle", "nothing", "device"])
def test_nothing_hangs(place: str, what: str, tmp_path: Path) -> None:
    """Special files at any place are not opened: the run ends, with both models in it."""
    make_model(tmp_path / "models" / "good")
    path = make_model(tmp_path / "models" / "odd") / place
    path.unlink(missing_ok=True)
    if what == "fifo":
        os.mkfifo(path)
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            here = Path.cwd()
            os.chdir(path.parent)
            try:
                one.bind(path.name)
            finally:
                os.chdir(here)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to({"circle": path.name, "nothing": "missing", "device": "/dev/zero"}[what])
    signal.alarm(30)  # ends the test run rather than to wait for ever
    try:
        report = run_lint(tmp_path / "models", {"deployed": True})
    finally:
        signal.alarm(0)
    assert report.models == 2
    assert text_report(report)


def test_huge_configuration_is_not_read(tmp_path: Path) -> None:
    """Ten gigabytes of nothing, as a sparse file, take no time."""
    config = make_model(tmp_path / "resnet") / "config.pbtxt"
    with config.open("wb") as file:
        file.truncate(10 * 2**30)
    started = time.monotonic()
    run_lint(tmp_path)
    assert time.monotonic() - started < 5


def test_sockets_and_pipes_are_other(tmp_path: Path) -> None:
    """They are neither files nor folders."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    assert kinds(tmp_path) == {"null": "other", "pipe": "other"}


# What cannot be read


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Folders that cannot be listed; root can list any, so the call itself is made to fail."""
    names: set[str] = set()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) in names:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    return names


@pytest.mark.parametrize("name", ["models", "secret", "7"])
def test_unreadable_folder(name: str, tmp_path: Path, closed: set[str]) -> None:
    """It is told of, whichever it is, and nothing is claimed of what may be in it."""
    models = tmp_path / "models"
    make_model(models / "open")
    make_model(models / "secret", version="7")
    closed.add(name)
    repository = read_repository(str(models))
    assert [why.rsplit(": ")[-1] for why in unreadable(repository)] == ["Permission denied"]
    report = run_lint(models, {"deployed": True})
    assert [one.what for one in report.unchecked if "unreadable" in one.what] == ["unreadable folders"]
    assert not [one for one in report.findings if one.rule.code.startswith("TCR")]


def test_unreadable_folder_in_a_tree(tmp_path: Path, closed: set[str]) -> None:
    """The walk goes on beside it."""
    make_model(tmp_path / "a" / "resnet")
    make_model(tmp_path / "b" / "resnet")
    closed.add("a")
    assert find_repositories(str(tmp_path)) == [str(tmp_path / "b")]


def test_missing_repository(tmp_path: Path) -> None:
    """Said in the record, not raised."""
    assert read_repository(str(tmp_path / "missing")).error


# Names


@pytest.mark.parametrize("raw", [b"caf\xe9", b"\xff\xfe", b"a\nb", b"\x1b[31mred", "größe".encode(), b" ", b"#", b"*"])
def test_names_of_any_bytes(raw: bytes, tmp_path: Path) -> None:
    """Names that are not UTF-8 or that steer a terminal crash no report, and reach no terminal as they are."""
    name = os.fsdecode(raw)
    make_model(tmp_path / name, 'name: "other"\n' + CONFIG)
    (tmp_path / name / os.fsdecode(b"link\xff")).symlink_to(os.fsdecode(b"nowhere\xfe"))
    report = run_lint(tmp_path, {"deployed": True})
    shown = text_report(report)
    assert "\x1b" not in shown
    assert shown.encode()
    findings = json.loads(json_report(report).encode(errors="backslashreplace"))["findings"]
    assert {"TCR003", "TCR004"} <= {one["code"] for one in findings}


def test_names_that_are_not_utf_8_reach_stdout_and_files(tmp_path: Path, tritoncheck: Tritoncheck) -> None:
    """As escapes, by way of the command line."""
    make_model(tmp_path / os.fsdecode(b"caf\xe9"), 'name: "other"\n' + CONFIG)
    output = tmp_path / "report.json"
    for options in ([], ["--format", "json"], ["--format", "json", "--output", output]):
        run = tritoncheck("lint", tmp_path, "--deployed", *options)
        assert run.returncode == 1, run.stderr
        assert "\\udce9" in (run.stdout or output.read_text())
    assert json.loads(output.read_text())["findings"]


@given(st.binary(min_size=1, max_size=40).filter(lambda raw: b"/" not in raw and b"\0" not in raw))
def test_any_name_is_listed(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    """Whatever bytes a folder is named by, it is found again under its path."""
    if raw in (b".", b".."):
        return
    folder = tmp_path_factory.mktemp("names")
    make_model(folder / os.fsdecode(raw))
    (model,) = read_repository(str(folder)).models
    assert os.fsencode(model.name) == raw
    assert looks_like_model(model.path)
    assert repository_of(model.path) == str(folder)


# Trees


def test_several_repositories_below_a_tree(tmp_path: Path) -> None:
    """All are found, each once; models are not searched, nor hidden folders nor those of packages."""
    make_model(tmp_path / "a" / "models" / "resnet")
    make_model(tmp_path / "a" / "models" / "bert")
    make_model(tmp_path / "b" / "deep" / "er" / "models" / "resnet")
    make_model(tmp_path / "a" / "models" / "resnet" / "1" / "nested")
    make_model(tmp_path / ".hidden" / "models" / "resnet")
    make_model(tmp_path / "node_modules" / "models" / "resnet")
    expected = [str(tmp_path / "a" / "models"), str(tmp_path / "b" / "deep" / "er" / "models")]
    assert find_repositories(str(tmp_path)) == expected


def test_model_without_configuration_is_listed(tmp_path: Path) -> None:
    """Triton takes every folder for a model."""
    (tmp_path / "bare" / "1").mkdir(parents=True)
    (model,) = read_repository(str(tmp_path)).models
    assert model.entry("config.pbtxt") is None
    assert [folder.number for folder in model.folders] == [1]


def test_relative_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory itself can be a repository, and paths stay as they were given."""
    make_model(tmp_path / "resnet")
    monkeypatch.chdir(tmp_path)
    assert find_repositories(".") == ["."]
    assert [model.path for model in read_repository(".").models] == ["resnet"]
    assert repository_of("resnet") == "."
    assert repository_of("/resnet") == "/"


def test_hundred_thousand_entries(tmp_path: Path) -> None:
    """A folder with as many files beside its model is listed within seconds."""
    model = make_model(tmp_path / "resnet")
    for number in range(100_000):
        os.close(os.open(f"{model}/1/{number}", os.O_CREAT | os.O_WRONLY))
    started = time.monotonic()
    (found,) = read_repository(str(tmp_path)).models
    assert len(found.folders[0].entries) == 100_001
    assert find_repositories(str(tmp_path)) == [str(tmp_path)]
    assert time.monotonic() - started < 20


def test_many_folders(tmp_path: Path) -> None:
    """The time of a walk grows with the folders, not with their square."""
    for number in range(5_000):
        (tmp_path / f"{number}").mkdir()
    make_model(tmp_path / "resnet")
    started = time.monotonic()
    assert find_repositories(str(tmp_path)) == [str(tmp_path)]
    assert time.monotonic() - started < 10


def test_deep_tree(tmp_path: Path) -> None:
    """Deeper than Python recurses and than a path may be long: the walk ends, with what it could reach."""
    here = Path.cwd()
    make_model(tmp_path / "models" / "resnet")
    os.chdir(tmp_path)
    try:
        for _ in range(sys.getrecursionlimit() + 1500):
            os.mkdir("dd")
            os.chdir("dd")
    finally:
        os.chdir(here)
    try:
        assert find_repositories(str(tmp_path)) == [str(tmp_path / "models")]
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "dd")], check=True, timeout=60)


def test_packages_of_the_image_are_said_once(tmp_path: Path) -> None:
    """Imports of what is not there are silent, but not forgotten; what Python and the backend bring is left out."""
    for name in ("a", "b"):
        (tmp_path / name / "1").mkdir(parents=True)
        (tmp_path / name / "config.pbtxt").write_text('backend: "python"\nmax_batch_size: 8\n')
        (tmp_path / name / "beside.py").write_text("")
        (tmp_path / name / "1" / "near.py").write_text("")
        (tmp_path / name / "1" / "model.py").write_text(
            "import json, beside, near, numpy as np, triton_python_backend_utils as pb_utils\nimport utils_local.more\n"
            "class TritonPythonModel:\n    def execute(self, requests):\n        import hidden\n        return []\n"
        )
    told = [one.why for one in run_lint(tmp_path).unchecked if one.what == "Python packages"]
    assert [one.rpartition(": ")[2] for one in told] == ["utils_local"]
    (tmp_path / "a" / "1" / "utils_local.py").write_text("")
    (tmp_path / "b" / "1" / "utils_local.py").write_text("")
    assert "Python packages" not in [one.what for one in run_lint(tmp_path).unchecked]
