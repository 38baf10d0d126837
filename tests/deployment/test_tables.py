"""The tables of releases and drivers: their form, what is asked of them, and the script that writes them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scripts.add_release import (
    RELEASE,
    FactError,
    Record,
    add_drivers,
    add_releases,
    numbers,
    read_facts,
    written_drivers,
    written_releases,
)
from tests.cases import ROOT
from tritoncheck.deployment import tables
from tritoncheck.deployment.tables import facts_of, newest_for_driver, parse_tag
from tritoncheck.deployment.versions import at_least, parse_version

DATA = ROOT / "tritoncheck" / "data"
ROWS: list[Record] = json.loads((DATA / "releases.json").read_text(encoding="utf-8"))
DRIVERS: dict[str, dict[str, Any]] = json.loads((DATA / "drivers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["tag"])
def test_release_record(row: Record) -> None:
    """Known fields in their order, well-formed, sourced; what is unknown is absent, never empty."""
    assert list(row) == [name for name in RELEASE if name in row]
    assert add_releases([], [row]) == [row]
    assert all(value not in ("", [], None) for value in row.values())
    assert all(len(source) > 8 for source in row["sources"])
    assert set(row.get("derived", ())) <= set(row) - {"tag", "sources", "note", "derived"}
    assert not {"cuda", "cuda_between"} <= set(row)
    assert not {"tensorrt", "tensorrt_between"} <= set(row)
    # What is asked for must be known, or else bracketed by the neighbours.
    assert "cuda" in row or "cuda_between" in row
    assert "tensorrt" in row or "tensorrt_between" in row


def test_releases_are_sorted_unique_and_monotonic() -> None:
    """Tags, Triton and CUDA never fall; a month has one release, and at most one patch of it."""
    tags = [numbers(row["tag"]) for row in ROWS]
    assert tags == sorted(set(tags))
    for name in ("triton", "cuda", "image_driver", "min_compute_capability", "python", "ubuntu", "onnx_opset_max"):
        values = [(row["tag"], numbers(str(row[name]))) for row in ROWS if name in row]
        depth = 2 if name == "cuda" else 3  # the third part of CUDA is a build number in 20.06 and 20.07
        fallen = [(one, two) for one, two in pairwise(values) if two[1][:depth] < one[1][:depth]]
        assert not fallen, f"{name} falls: {fallen}"


def test_one_minor_a_month() -> None:
    """From 22.01 on each month has its release, and each but 25.07 its minor version."""
    rows = {parse_tag(row["tag"]): parse_tag(row["triton"]) for row in ROWS}
    months = [(year, month) for year in range(22, 27) for month in range(1, 13) if (year, month) <= (26, 10)]
    assert [release for release in rows if release >= (22, 1)] == months
    for before, after in pairwise(months):
        step = (0, 1) if after == (25, 7) else (1, 0)
        assert (rows[after][1] - rows[before][1], rows[after][2] - rows[before][2] * (step == (0, 1))) == step


def test_releases_agree_with_drivers() -> None:
    """The driver of an image is that of its toolkit or a later one of the same branch, and above the CUDA's floor."""
    for row in ROWS:
        facts = facts_of(parse_tag(row["tag"]))
        assert facts is not None
        driver = parse_version(facts.image_driver)
        if driver is None:
            continue
        toolkit = parse_version(tables.toolkit_driver(facts.cuda))
        if toolkit is not None:
            assert driver[0] == toolkit[0], row["tag"]
        floor = parse_version(facts.floor)
        assert floor is None or driver[0] >= floor[0], row["tag"]
        branch = tables.native_cuda(driver)
        cuda = parse_version(facts.cuda)
        assert branch is not None
        assert cuda is not None
        assert branch == cuda[:2], row["tag"]


def test_drivers() -> None:
    """Sorted by version, monotonic, every entry with its confidence and every table with its source."""
    for name in ("floors", "branches", "compat", "toolkits"):
        keys = [numbers(key) for key in DRIVERS[name]]
        assert keys == sorted(set(keys))
        assert DRIVERS["sources"][name]
        assert all(entry["confidence"] in ("stated", "derived", "measured") for entry in DRIVERS[name].values())
    cuda = [numbers(entry["cuda"]) for entry in DRIVERS["branches"].values() if "cuda" in entry]
    assert cuda == sorted(set(cuda))
    toolkits = [numbers(entry["driver"]) for entry in DRIVERS["toolkits"].values() if entry["driver"]]
    assert toolkits == sorted(toolkits)
    floors = [numbers(entry["driver"]) for entry in DRIVERS["floors"].values()]
    assert floors == sorted(floors)
    for driver, package in DRIVERS["compat"].items():
        assert DRIVERS["branches"][driver.split(".")[0]]["cuda"] == package["cuda"]
        assert ("branches" in package) != ("includes" in package)


def test_files_are_as_the_script_writes_them() -> None:
    """Running it with nothing new changes nothing."""
    assert (DATA / "releases.json").read_text(encoding="utf-8") == written_releases(add_releases(ROWS, []))
    assert (DATA / "drivers.json").read_text(encoding="utf-8") == written_drivers(add_drivers(DRIVERS, {}))


def test_example_of_facts() -> None:
    """The example is what the table says of that release, and `26.10` stays text."""
    facts = read_facts(ROOT / "scripts" / "example_release.yaml")
    without = [row for row in ROWS if row["tag"] != facts["tag"]]
    assert add_releases(without, [facts]) == ROWS


def test_facts_are_laid_over_what_is_known(tmp_path: Path) -> None:
    """A new fact replaces, null takes out, the rest stays."""
    path = tmp_path / "facts.yaml"
    path.write_text("tag: 26.10\ntensorrt: 11.2.0.1\ntensorrt_between: null\nderived: [python, triton, ubuntu]\n")
    made = add_releases(ROWS, [read_facts(path)])
    assert len(made) == len(ROWS)
    assert (made[-1]["tag"], made[-1]["tensorrt"], made[-1]["cuda"]) == ("26.10", "11.2.0.1", ROWS[-1]["cuda"])
    assert "tensorrt_between" not in made[-1]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"tag": "26.1"}, "26.1"),
        ({"tag": "26.13"}, "26.13"),
        ({"triton": "2.75.0"}, "`tag`"),
        ({"tag": "26.11", "triton": "2.75.0"}, "lacks min_compute_capability, sources"),
        ({"tag": "26.10", "cude": "1"}, "unknown facts cude"),
        ({"tag": "26.10", "cuda": "thirteen"}, "`cuda` must be a version"),
        ({"tag": "26.10", "onnx_opset_max": "new"}, "must be a number"),
        ({"tag": "26.10", "sources": "a page"}, "must be a list"),
        ({"tag": "26.10", "derived": ["tensorrt"]}, "derived, but not there: tensorrt"),
    ],
)
def test_wrong_facts(facts: Record, message: str) -> None:
    """Facts that do not fit are refused with what is wrong."""
    with pytest.raises(FactError, match=message):
        add_releases(ROWS, [facts])
    with pytest.raises(FactError, match="unknown tables branchs"):
        add_drivers(DRIVERS, {"branchs": {}})


@pytest.mark.parametrize(
    ("driver", "capability", "runs", "native"),
    [
        ("418.67", None, None, None),
        ("440.33.01", None, (20, 3, 1), (20, 3, 1)),
        ("450.80.02", None, (22, 12), (20, 9)),
        ("470.82.01", None, (22, 12), (21, 10)),
        ("525.60.13", None, (25, 7), (22, 12)),
        ("525", None, (25, 7), (22, 12)),
        ("535.104.05", "7.0", (24, 12), (23, 9)),
        ("575.57.08", None, (25, 7), (25, 7)),
        ("580.173.02", "8.6", (26, 10), (25, 11)),
        ("610.43.02", None, (26, 10), (26, 7)),
        ("615.65.02", None, (26, 10), (26, 10)),
        ("580.173.02", "5.2", None, None),
    ],
)
def test_newest_release_of_a_driver(
    driver: str, capability: str | None, runs: tuple[int, ...] | None, native: tuple[int, ...] | None
) -> None:
    """The newest image that it runs at all, and the newest whose CUDA it has itself."""
    version, gpu = parse_version(driver), parse_version(capability) if capability else None
    assert version is not None
    assert newest_for_driver(version, gpu) == runs
    assert newest_for_driver(version, gpu, native=True) == native


@pytest.mark.parametrize(
    ("have", "want", "enough"),
    [
        ("580.173.02", "580.95.05", True),
        ("580.95.05", "580.173.02", False),
        ("580", "580.65.06", True),
        ("579.99", "580", False),
        ("525.60.13", "525.60.13", True),
        ("525.60.11", "525.60.13", False),
        ("1000.1", "580.95.05", True),
    ],
)
def test_versions_are_compared_by_parts(have: str, want: str, enough: bool) -> None:
    """As numbers, not as text; a branch alone means a driver of it that works."""
    left, right = parse_version(have), parse_version(want)
    assert left is not None
    assert right is not None
    assert at_least(left, right) is enough


@pytest.mark.parametrize("text", ["", "abc", "580.", "580..1", "-1", "580.1a", "5" * 20, "1.2.3.4.5.6", "580\x00"])
def test_no_version(text: str) -> None:
    """What is no version is none."""
    assert parse_version(text) is None
