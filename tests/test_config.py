"""The configuration file: where it is found, what it sets, and how what is wrong in it is told."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.privileges import permissions_hold
from tritoncheck.config import ConfigError, PathRule, Settings, find_settings, read_settings

Command = Callable[..., subprocess.CompletedProcess[str]]

ALL = """
select = ["TCS", "TCR004"]
ignore = ["TCS006"]
fail-on = "warning"
rules = ["own-rules", "/somewhere"]
triton = "24.01"
image = "nvcr.io/nvidia/tritonserver:24.01-py3"
launch = "tritonserver --model-repository=/models"
driver = "580.173.02"
gpu = "RTX 3070"
deployed = true

[paths."legacy/*"]
ignore = ["TCS002"]

[paths.b]
select = ["TCS"]
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository `repo` with one model whose file has an unknown field."""
    config = tmp_path / "repo" / "m" / "config.pbtxt"
    config.parent.mkdir(parents=True)
    config.write_text('backend: "onnxruntime"\nodd_field: 1\n')
    return tmp_path


def found(command: Command, folder: Path, *arguments: str) -> set[str]:
    """The codes that a lint of `repo` gives."""
    run = command("lint", "repo", "--format", "json", *arguments, cwd=folder)
    assert run.stderr == ""
    return {one["code"] for one in json.loads(run.stdout)["findings"]}


def refusal(command: Command, folder: Path) -> str:
    """The one line on stderr of a lint that is refused for its configuration."""
    run = command("lint", "repo", cwd=folder)
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith("tritoncheck: ")
    return line.removeprefix("tritoncheck: ")


def test_all_keys(tmp_path: Path) -> None:
    path = tmp_path / "tritoncheck.toml"
    path.write_text(ALL)
    assert read_settings(path) == Settings(
        select=("TCS", "TCR004"),
        ignore=("TCS006",),
        fail_on="warning",
        paths=(PathRule("legacy/*", ignore=("TCS002",)), PathRule("b", select=("TCS",))),
        rules=(tmp_path / "own-rules", Path("/somewhere")),
        triton="24.01",
        image="nvcr.io/nvidia/tritonserver:24.01-py3",
        launch="tritonserver --model-repository=/models",
        driver="580.173.02",
        gpu="RTX 3070",
        deployed=True,
        source=str(path),
        root=tmp_path,
    )


def test_the_same_in_pyproject(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'x'\n[tool.tritoncheck]\n" + ALL.replace("[paths", "[tool.tritoncheck.paths"))
    own = tmp_path / "tritoncheck.toml"
    own.write_text(ALL)
    expected = read_settings(own)
    own.unlink()
    settings = find_settings(str(tmp_path))
    assert settings.source == str(path)
    assert settings._replace(source=expected.source) == expected
    assert read_settings(path) == settings


def test_the_nearest_file_upwards_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "repo"
    inner.mkdir(parents=True)
    (tmp_path / "tritoncheck.toml").write_text('triton = "23.01"')
    assert find_settings(str(inner)).triton == "23.01"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\nx = 'tritoncheck'\n")
    assert find_settings(str(inner)).triton == "23.01"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.tritoncheck]\ntriton = '24.01'\n")
    assert find_settings(str(inner)).triton == "24.01"
    (tmp_path / "a" / "tritoncheck.toml").write_text("triton = '25.01'\n")
    assert find_settings(str(inner)).triton == "25.01"
    (inner / "tritoncheck.toml").write_text("")
    assert find_settings(str(inner)).triton == ""
    assert find_settings(str(tmp_path)).triton == "23.01"


def test_a_broken_pyproject_that_does_not_name_us_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff nonsense")
    assert find_settings(str(tmp_path)) == Settings()


def test_paths_are_seen_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tritoncheck.toml"
    file.write_text('[paths."./legacy/"]\nignore = ["A"]\n[paths."*/b/*"]\nignore = ["B"]\n[paths."x[1]"]\n')
    settings = read_settings(file)
    (tmp_path / "legacy").mkdir()
    monkeypatch.chdir(tmp_path / "legacy")
    assert [one.ignore for one in settings.path_rules("m/config.pbtxt")] == [("A",)]
    assert [one.ignore for one in settings.path_rules("b/config.pbtxt")] == [("A",), ("B",)]
    assert settings.path_rules("../legacy2/m/config.pbtxt") == []
    assert settings.path_rules("/elsewhere/config.pbtxt") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["TCS"]', "unknown key `selct`; did you mean `select`?"),
        ("fail_on = 'error'", "unknown key `fail_on`; did you mean `fail-on`?"),
        (
            "zzz = 1",
            "unknown key `zzz`; known: triton, image, launch, driver, gpu, compute-capability",
        ),
        ('select = "TCS"', "`select` must be a list of strings"),
        ("ignore = [1]", "`ignore` must be a list of strings"),
        ("rules = { a = 1 }", "`rules` must be a list of strings"),
        ("triton = 24.01", "`triton` must be a string"),
        ("launch = ['tritonserver']", "`launch` must be a string"),
        ("fail-on = 'bad'", "`fail-on` must be one of error, warning, info, never, not 'bad'"),
        ("fail-on = ['error']", "`fail-on` must be one of error, warning, info, never"),
        ("deployed = 1", "`deployed` must be true or false"),
        ("deployed = 'yes'", "`deployed` must be true or false"),
        ("deployment = ['a']\nno-deployment = true", "`deployment` and `no-deployment` exclude each other"),
        ("paths = ['a']", "`paths` must be a table of patterns"),
        ("[paths]\na = ['TCS']", '`paths."a"` must be a table'),
        ('[paths."a/*"]\nignored = ["TCS"]', 'unknown key `paths."a/*".ignored`; did you mean `ignore`?'),
        ('[paths."a/*"]\nignore = "TCS"', '`paths."a/*".ignore` must be a list of strings'),
        ("select =", "(at "),
        ("select = []\nselect = []", "Cannot overwrite a value (at "),
        ('"a\\nb" = 1', "unknown key `a\\nb`"),
        ('select = ["TCS999"]', "unknown rule `TCS999`"),
        ('ignore = ["unknown-feild"]', "unknown rule `unknown-feild`; did you mean `unknown-field`?"),
        ('[paths.a]\nselect = ["nonsense"]', "unknown rule `nonsense`"),
        ('rules = ["nowhere"]', "nowhere: no such folder of rules"),
        ('triton = "99.99"', "`99.99` is no Triton release"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: str, said: str, repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").write_text(text)
    line = refusal(tritoncheck, repo)
    assert said in line
    if not text.startswith("rules = [") and "unknown rule" not in said and "release" not in said:
        assert line.startswith(str(repo / "tritoncheck.toml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool]\ntritoncheck = 1\n", "`tool.tritoncheck` must be a table"),
        ("[tool.tritoncheck]\nselct = []\n", "unknown key `tool.tritoncheck.selct`; did you mean `select`?"),
        ("[tool.tritoncheck]\nselect = 1\n", "`tool.tritoncheck.select` must be a list of strings"),
        ("[tool.tritoncheck\n", "(at line 1"),
    ],
)
def test_the_same_for_pyproject(text: str, said: str, repo: Path, tritoncheck: Command) -> None:
    (repo / "pyproject.toml").write_text(text)
    line = refusal(tritoncheck, repo)
    assert line.startswith(str(repo / "pyproject.toml"))
    assert said in line


def test_not_utf_8(repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").write_bytes(b"# gr\xfc\xdfe\n")
    assert refusal(tritoncheck, repo) == f"{repo}/tritoncheck.toml: not UTF-8"


def test_no_file(repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").mkdir()
    assert refusal(tritoncheck, repo) == f"{repo}/tritoncheck.toml: not a regular file"
    (repo / "tritoncheck.toml").rmdir()
    os.mkfifo(repo / "tritoncheck.toml")
    assert refusal(tritoncheck, repo) == f"{repo}/tritoncheck.toml: not a regular file"
    (repo / "tritoncheck.toml").unlink()
    (repo / "tritoncheck.toml").symlink_to("nowhere")
    assert refusal(tritoncheck, repo) == f"{repo}/tritoncheck.toml: No such file or directory"


def test_no_permission(repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").touch(mode=0)
    with permissions_hold():
        assert refusal(tritoncheck, repo) == f"{repo}/tritoncheck.toml: Permission denied"


def test_settings_choose_rules(repo: Path, tritoncheck: Command) -> None:
    assert "TCS002" in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('ignore = ["TCS002"]')
    assert "TCS002" not in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('ignore = ["unknown-field"]')
    assert "TCS002" not in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('select = ["tcr"]')
    assert "TCS002" not in found(tritoncheck, repo)
    assert found(tritoncheck, repo, "--select", "TCS") == {"TCS002"}
    (repo / "tritoncheck.toml").write_text('[paths."repo/m"]\nignore = ["TCS"]')
    assert "TCS002" not in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('[paths."repo/other"]\nignore = ["TCS"]')
    assert "TCS002" in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('[paths."repo/m/*"]\nselect = ["TCC"]')
    assert "TCS002" not in found(tritoncheck, repo)


def test_ignored_on_both_sides(repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").write_text('select = ["TCS002", "TCC001"]\nignore = ["TCC001"]')
    assert found(tritoncheck, repo, "--ignore", "TCS002") == set()


def test_settings_choose_the_exit_code(repo: Path, tritoncheck: Command) -> None:
    (repo / "tritoncheck.toml").write_text('fail-on = "never"')
    assert tritoncheck("lint", "repo", cwd=repo).returncode == 0
    assert tritoncheck("lint", "repo", "--fail-on", "info", cwd=repo).returncode == 1


def test_settings_name_the_release(repo: Path, tritoncheck: Command) -> None:
    config = repo / "repo" / "m" / "config.pbtxt"
    config.write_text('backend: "onnxruntime"\nruntime: "libtriton_onnxruntime.so"\n')
    assert "TCS003" not in found(tritoncheck, repo)
    (repo / "tritoncheck.toml").write_text('triton = "23.12"')
    assert "TCS003" in found(tritoncheck, repo)
    assert "TCS003" not in found(tritoncheck, repo, "--triton", "24.01")
    (repo / "tritoncheck.toml").write_text('image = "nvcr.io/nvidia/tritonserver:23.12-py3"')
    assert "TCS003" in found(tritoncheck, repo)


def test_two_repositories_with_settings_of_their_own(repo: Path, tritoncheck: Command) -> None:
    other = repo / "other"
    (repo / "repo").rename(repo / "first")
    (repo / "first" / "tritoncheck.toml").write_text('ignore = ["TCS002"]')
    config = other / "m" / "config.pbtxt"
    config.parent.mkdir(parents=True)
    config.write_text("odd_field: 1\n")
    run = tritoncheck("lint", "first", "other", "--format", "json", "--select", "TCS", cwd=repo)
    assert {(one["code"], one["path"]) for one in json.loads(run.stdout)["findings"]} == {
        ("TCS002", "other/m/config.pbtxt")
    }


def test_bad_settings_have_no_default(tmp_path: Path) -> None:
    (tmp_path / "tritoncheck.toml").write_text("select = 1")
    with pytest.raises(ConfigError):
        find_settings(str(tmp_path / "deep" / "below"))


def test_options_over_a_file() -> None:
    """What was typed wins, what was not changes nothing; an ignore adds, and an image wins over a release."""
    file = Settings(ignore=("TCF",), fail_on="warning", triton="24.05", driver="550.54.14", root=Path("repo"))
    untyped = Settings(fail_on="")
    assert file.under(untyped) == file
    assert file.under(untyped._replace(fail_on="error")).fail_on == "error"
    assert file.under(untyped._replace(ignore=("TCG001",))).ignore == ("TCF", "TCG001")
    assert file.under(untyped._replace(image="t:24.09-py3")) == file._replace(image="t:24.09-py3", triton="")
    files = Settings(deployment=("a.yaml",))
    assert files.under(untyped._replace(no_deployment=True)) == Settings(no_deployment=True)
    assert Settings(no_deployment=True).under(untyped._replace(deployment=("a.yaml",))) == files
    both = untyped._replace(image="t:24.09-py3", triton="24.09")
    assert file.under(both)._replace(image="") == file._replace(triton="24.09")
