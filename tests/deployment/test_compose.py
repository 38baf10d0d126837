"""Compose files: every project of `fixtures/deployments/compose` against the `expect.toml` beside it.

`[[launch]]` tables name the fields to compare, in the words of `shown`; `places` says where values stand. `faults`
lists all that is wrong with the files.
"""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.deployment.compose import read_compose
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.kinds import kind_of
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Gpus, Mount, Port, Probe
from tritoncheck.rule import Span, release_tag

FOLDER = Path(__file__).parents[2] / "fixtures" / "deployments" / "compose"
PROJECTS = sorted(one.name for one in FOLDER.iterdir())
UNKNOWN = -1


def shown(launch: Launch, folder: Path) -> dict[str, Any]:
    """A launch in the words of the expectations."""
    return {
        **launch._asdict(),
        "release": release_tag(launch.release) if launch.release else "",
        "flags": [f"--{name}={value}" if value else f"--{name}" for name, value in launch.flags],
        "environment": dict(launch.environment),
        "shm_size": UNKNOWN if launch.shm_size is None else launch.shm_size,
        "gpus": gpus(launch.gpus),
        "ports": [port(one) for one in launch.ports],
        "mounts": [mount(one, folder) for one in launch.mounts],
        "probes": [probe(one) for one in launch.probes],
        "doubts": sorted(one.key for one in launch.doubts),
    }


def gpus(found: Gpus | None) -> str:
    """`all`, `2`, `0,1`, `unknown`."""
    if found is None:
        return "unknown"
    return ",".join(found.ids) or ("all" if found.count is None else str(found.count))


def port(found: Port) -> str:
    """`127.0.0.1:8000:8000`."""
    return ":".join(str(one) for one in (found.address, found.host, found.container) if one not in ("", None))


def mount(found: Mount, folder: Path) -> str:
    """`models:/models:ro`, the source as seen from the project."""
    source = os.path.relpath(found.source, folder) if found.kind in ("bind", "copy") else found.source
    return f"{source}:{found.target}" + (":ro" if found.read_only else "")


def probe(found: Probe) -> str:
    """`healthcheck /path delay+periodxfailures`."""
    return f"{found.kind} {found.path} {found.delay:g}+{found.period:g}x{found.failures}"


def place(span: Span | None) -> str:
    """`file:line:column`."""
    return f"{span.path}:{span.line}:{span.column}" if span else ""


@pytest.mark.parametrize("project", PROJECTS)
def test_project(project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is what stands beside it, place by place."""
    folder = FOLDER / project
    monkeypatch.chdir(folder)
    expected = tomllib.loads(Path("expect.toml").read_text())
    main = next(name for name in sorted(os.listdir(".")) if kind_of(name) == "compose" and "override" not in name)
    reading = read_compose(main, Files())
    faults = [f"{place(one.span)} {one.message}" for one in reading.faults]
    assert sorted(faults) == sorted(expected.get("faults", []))
    if "launch" not in expected:
        return
    assert [one.service for one in reading.launches] == [one["service"] for one in expected["launch"]]
    for launch, wanted in zip(reading.launches, expected["launch"], strict=True):
        wanted_places = wanted.pop("places", {})
        assert {key: value for key, value in shown(launch, folder).items() if key in wanted} == wanted
        assert {key: place(launch.origin(key)) for key in wanted_places} == wanted_places
        for span in launch.origins.values():
            text = Path(span.path).read_bytes()[span.start : span.end]
            assert text == text.strip(), span


BOMB = "x: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"x{name}: &{name} [{','.join('*' + before for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB + "services: { triton: { image: tritonserver, command: tritonserver } }\n", "unfold into more than"),
        ("services: " + "{a: " * 5000, "nested more than"),
        ("services:\n  a: {image: tritonserver}\n" + "#" * 2_000_000, "too large for a file that starts a server"),
        ("services:\n" + "".join(f"  s{n}: {{image: a}}\n" for n in range(9000)), "more than 8000 values"),
        ("services: &a\n  b: *a\n", "inside what it stands for"),
        ("services:\n  a:\n    image: tritonserver:24.05\x1b[31m\n", "control character"),
    ],
)
def test_hostile(text: str, message: str, tmp_path: Path) -> None:
    """One fault each, soon."""
    path = tmp_path / "compose.yaml"
    path.write_text(text)
    started = time.process_time()
    reading = read_compose(str(path), Files())
    assert not reading.launches
    assert [message in one.message for one in reading.faults] == [True]
    assert time.process_time() - started < 5  # no measurement: without limits it would be minutes


def test_other_bytes(tmp_path: Path) -> None:
    """What is no UTF-8, no file, or a folder."""
    path = tmp_path / "compose.yaml"
    path.write_bytes(b"services:\n  a: {image: \xff\xfe}\n")
    assert "not UTF-8, line 2" in read_compose(str(path), Files()).faults[0].message
    assert "no such file" in read_compose(str(tmp_path / "none.yaml"), Files()).faults[0].message
    (tmp_path / "folder.yaml").mkdir()
    assert "not a regular file" in read_compose(str(tmp_path / "folder.yaml"), Files()).faults[0].message


@given(st.text(alphabet=" \n:-[]{}&*!|>'\"#$abimagecommandtritonserver", max_size=200))
def test_never_fails(text: str) -> None:
    """Any text gives launches or faults."""
    files = Files()
    files.texts["compose.yaml"] = f"services:\n  triton:\n    image: tritonserver:24.05-py3\n    {text}"
    read_compose("compose.yaml", files)
    files.texts["compose.yml"] = text
    read_compose("compose.yml", files)
