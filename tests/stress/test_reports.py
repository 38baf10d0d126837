"""The formats of a stress report: what each must hold, for every kind of run."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stress import journals
from tests.stress.journals import attempt, failed, from_strips, plan, ready, write
from tritoncheck.stress.divergence import diverge, read_kept
from tritoncheck.stress.host import MissingExtra
from tritoncheck.stress.logs import read_log
from tritoncheck.stress.records import ModelOutcome
from tritoncheck.stress.report import FORMATS, render, require, summarise
from tritoncheck.stress.report.charts import cells, gantt
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.variables import read

HOSTILE = "<script>alert(1)</script>&\"'`|*_\x1b[31m\x00\u202e\ud800"

COUNT = {"type": "integer", "minimum": 0}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
VERDICT = {"enum": ["clean", "nondeterministic", "deterministic", "inconclusive"]}
INTERVAL = {
    "type": "object",
    "required": ["method", "level", "low", "high"],
    "additionalProperties": False,
    "properties": {"method": {"type": "string"}, "level": SHARE, "low": SHARE, "high": SHARE},
}
COUNTS = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
OUTCOMES = ("n", "ready", "degraded", "failed", "knock_on", "hung", "crashed", "unknown")
MODEL = {
    "type": "object",
    "required": [*OUTCOMES, "verdict", "interval", "classes"],
    "properties": {**dict.fromkeys(OUTCOMES, COUNT), "verdict": VERDICT, "interval": INTERVAL, "classes": COUNTS},
}
PART: dict[str, Any] = {
    "type": "object",
    "required": ["attempts", "sentence", "verdict", "server", "models"],
    "properties": {
        "attempts": COUNT,
        "sentence": {"type": "string"},
        "verdict": VERDICT,
        "server": {
            "type": "object",
            "required": ["n", "failed", "interval"],
            "properties": {"n": COUNT, "failed": COUNT, "interval": INTERVAL},
        },
        "models": {"type": "object", "additionalProperties": MODEL},
    },
}
SCHEMA = {
    **PART,
    "required": ["version", "run", *PART["required"], "arms"],
    "properties": {
        **PART["properties"],
        "version": {"const": 1},
        "run": {"type": "string"},
        "arms": {"type": "array", "items": PART},
    },
}


def _hostile(folder: Path) -> Path:
    """A run in which every text that comes from outside tries to get out of its place."""
    bad = failed(HOSTILE, HOSTILE + "\n" + HOSTILE, culprits=(HOSTILE,))
    attempts = [attempt(i + 1, {HOSTILE: bad if i % 3 else ready()}, server=HOSTILE) for i in range(9)]
    given = plan((HOSTILE,), 9, repository=HOSTILE, image=HOSTILE, environment=read(("TOKEN=secret-value",), {}))
    return write(folder, given, attempts, others=[("environment", {"text": HOSTILE})])


def _arms(folder: Path) -> Path:
    attempts = [attempt(i + 1, {"a": ready() if i % 4 else failed()}, arm="xy"[i % 2]) for i in range(20)]
    return write(folder, plan(("a",), 20), attempts)


def _troubled(folder: Path) -> Path:
    text = "the engine does not answer"
    return write(folder, plan(("a",), 5), [], others=[("environment", {"text": text})], end=text)


RUNS: dict[str, Callable[[Path], Path]] = {
    "race": journals.nv12,
    "clean": lambda folder: from_strips(folder, {"a": "." * 50, "b": "." * 50}),
    "claim": lambda folder: from_strips(folder, {"a": "." * 50}, claim=0.01),
    "always": lambda folder: from_strips(folder, {"a": "F" * 20, "b": "." * 20}),
    "clustered": journals.clustered,
    "mixed": lambda folder: from_strips(folder, {"a": "..F.HHC?k.", "b": "d....?....", "c": "kkkkkkkkkk"}, 40),
    "long": lambda folder: from_strips(folder, {"a": "..F.HHC?k." * 100, "b": "." * 1000}),
    "nothing": lambda folder: write(folder, plan(), [], end="", torn='{"kind": "attempt", "num'),
    "one": lambda folder: from_strips(folder, {"a": "F"}),
    "arms": _arms,
    "hostile": _hostile,
    "troubled": _troubled,
}


@pytest.fixture(params=sorted(RUNS))
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Summary:
    """Each of the runs."""
    return summarise(RUNS[request.param](tmp_path / request.param))


@pytest.mark.parametrize("format", FORMATS)
def test_no_format_lets_a_text_steer(run: Summary, format: str) -> None:
    shown = render(run, format)
    assert shown.endswith("\n")
    assert not set(shown) & {"\x1b", "\x00", "\u202e", "\ud800"}
    shown.encode()
    assert "secret-value" not in shown
    assert "secret-value" not in repr(run)


def test_json_is_as_promised(run: Summary) -> None:
    table = json.loads(render(run, "json"))
    jsonschema.validate(table, SCHEMA)
    assert table["attempts"] == run.whole.attempts
    for model in table["models"].values():
        assert model["n"] == sum(model[key] for key in ("ready", "degraded", "failed", "hung", "crashed"))


def test_json_of_the_race(tmp_path: Path) -> None:
    table = json.loads(render(summarise(journals.nv12(tmp_path / "race")), "json"))
    assert (table["version"], table["run"], table["verdict"], table["arms"]) == (1, "race", "nondeterministic", [])
    assert (table["server"]["n"], table["server"]["failed"]) == (50, 26)
    assert table["server"]["interval"]["method"] == "clopper-pearson"
    assert table["models"]["vlm_main"]["classes"] == {"legacy-stream-dependency": 19}
    assert table["models"]["pose_main"]["lost"] == {"cuda-graph": 12}


def test_text_fits_80_columns(run: Summary) -> None:
    for line in render(run, "text").splitlines():
        width = sum(1 + (east_asian_width(char) in "WF") for char in line)
        assert width <= 80 or " " not in line.strip(), line


def test_text_says_the_same_with_colour(run: Summary) -> None:
    coloured = render(run, "text", colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(run, "text")


def test_text_of_the_race(tmp_path: Path) -> None:
    shown = render(summarise(journals.nv12(tmp_path / "race")), "text")
    lines = shown.splitlines()
    assert lines[0] == "Nondeterministic: 26 of 50 starts did not come up whole"
    assert lines[1] == "26 of 50: a failure rate of 52.0 %, between 37.4 % and 66.3 % (95 %)."
    assert any(line.split()[:4] == ["vlm_main", "19", "of", "50"] for line in lines)
    assert "  rfdetr hit: vlm_main in 8 attempts" in lines


def test_junit_counts_what_it_holds(run: Summary) -> None:
    root = ElementTree.fromstring(render(run, "junit"))
    assert root.tag == "testsuites"
    (suite,) = root
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == str(1 + len(run.whole.models))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(sum(case.find(tag) is not None for case in cases))
    server = cases[0]
    wanted = {0: "system-out", 1: "failure", 3: "skipped", 4: "error"}[run.exit_code]
    assert server.find(wanted) is not None
    assert all(case.get("name") and case.get("classname") and float(case.get("time", "x")) >= 0 for case in cases)


def test_markdown_has_whole_tables(run: Summary) -> None:
    shown = render(run, "markdown")
    assert "<script" not in re.sub(r"(`+).*?\1", "", shown)
    width = 0
    for line in shown.splitlines():
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not bars or not width or bars == width, line
        width = bars


class _Page(HTMLParser):
    """Checks that every tag is closed, and collects what a page would load and what it says."""

    EMPTY = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [name for name, value in attrs if name in ("src", "href", "srcset") or name.startswith("on")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _page(shown: str) -> _Page:
    page = _Page()
    page.feed(shown)
    page.close()
    assert page.open == []
    return page


def test_html_is_whole_and_loads_nothing(run: Summary) -> None:
    page = _page(render(run, "html"))
    assert page.loads == []
    assert not page.tags & {"script", "img", "link", "iframe", "object"}
    assert run.whole.headline in "".join(page.text)


def test_html_of_the_race(tmp_path: Path) -> None:
    summary = summarise(journals.nv12(tmp_path / "race"))
    shown = render(summary, "html")
    text = "".join(_page(shown).text)
    assert "prefers-color-scheme: dark" in shown
    assert shown.count('class="gantt"') == 9  # of each way that is shown, and the good start
    assert "First difference from the good attempt 1" in text
    assert "attempt 50: ready" in text
    assert "sha256:" + "5e" * 32 in text
    assert all(name in text for name in journals.NV12)


def test_html_does_without_the_logs(tmp_path: Path) -> None:
    folder = journals.nv12(tmp_path / "race")
    for path in (folder / "logs").iterdir():
        path.write_bytes(b"\x1f\x8b broken")
    assert "First difference" not in render(summarise(folder), "html")
    assert 'class="gantt"' in render(summarise(folder), "html")


def test_html_reads_no_file_outside_the_run(tmp_path: Path) -> None:
    (tmp_path / "secret.log").write_text('E1130 09:06:07.000000 1 a.cc:1] "top secret"\n')
    attempts = [attempt(1, {"a": failed()}, log="../../secret.log"), attempt(2, {"a": ready()}, log="x.log")]
    assert "top secret" not in render(summarise(write(tmp_path / "run", plan(("a",), 2), attempts)), "html")


def test_a_missing_package_is_named_with_the_line_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "jinja2":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    summary = summarise(from_strips(tmp_path / "run", {"a": "."}))
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'tritoncheck[report]'")):
        render(summary, "html")
    with pytest.raises(MissingExtra):
        require("html")
    require("text")


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="yaml"):
        render(summarise(from_strips(tmp_path / "run", {"a": "."})), "yaml")


@given(st.text(".dFkHC?-", min_size=1, max_size=450))
def test_cells_fill_the_strip_and_nothing_more(strip: str) -> None:
    shapes = cells(strip, range(1, len(strip) + 1))
    assert all(one.x >= 0 and one.x + one.width <= 100.01 and one.y >= -0.01 for one in shapes)
    assert all(one.y + one.height <= 100.01 for one in shapes)
    if len(strip) <= 200:
        assert len(shapes) == len(strip) - strip.count("-")


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.tuples(st.none() | st.floats(0, 1e4), st.none() | st.floats(0, 1e4)),
        min_size=1,
    )
)
def test_a_gantt_stays_within_its_frame(times: dict[str, tuple[float | None, float | None]]) -> None:
    models = {name: ModelOutcome("failed", begun=begun, seconds=seconds) for name, (begun, seconds) in times.items()}
    chart = gantt(attempt(1, models), [])
    if chart is None:
        assert all(begun is None for begun, _ in times.values())
        return
    assert {bar.model for bar in chart.bars} == set(times)
    assert all(bar.x >= 0 and bar.x + bar.width <= 100.1 for bar in chart.bars)
    assert 2 <= len(chart.ticks) <= 12
    assert all(0 <= place <= 100 for place, _ in chart.ticks)


GOOD = """I1130 09:06:07.000000 1 a.cc:1] "loading: one:1"
I1130 09:06:07.000100 1 a.cc:1] "loading: two:1"
I1130 09:06:07.200000 1 a.cc:1] "successfully loaded 'one'"
I1130 09:06:07.300000 77 a.cc:1] "pool at '0x7f00' took 12 ms"
I1130 09:06:07.400000 1 a.cc:1] "successfully loaded 'two'"
"""
BAD = """I1130 11:06:07.000000 1 a.cc:1] "loading: two:1"
I1130 11:06:07.000100 1 a.cc:1] "loading: one:1"
I1130 11:06:07.300000 99 a.cc:1] "pool at '0x7fabc' took 15 ms"
E1130 11:06:07.350000 1 a.cc:1] "two: it broke"
I1130 11:06:07.400000 1 a.cc:1] "successfully loaded 'one'"
"""


def test_the_first_difference_is_not_one_of_order_or_numbers() -> None:
    found = diverge((7, read_log(BAD)), [(1, read_log("")), (3, read_log(GOOD)), (4, read_log(GOOD[:100]))])
    assert found is not None
    assert (found.bad, found.good) == (7, 3)
    assert [(one.line, one.new) for one in found.lines] == [(1, False), (2, False), (3, False), (4, True)]
    assert found.lines[-1].time == pytest.approx(0.35)
    assert [one.text for one in found.missing] == ["successfully loaded 'two'"]
    assert found.further == ()


def test_alike_logs_do_not_differ(tmp_path: Path) -> None:
    assert diverge((1, read_log(GOOD)), [(2, read_log(GOOD))]) is None
    assert diverge((1, []), [(2, read_log(GOOD))]) is None
    assert read_kept(tmp_path / "none.log.gz") == []
