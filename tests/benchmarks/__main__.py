"""Measures the speed as ratios and writes them down: `make bench`.

Seconds differ from machine to machine; what is promised is how many times another, well-known thing they are.
The table goes to RESULTS.md beside this file and, where its two markers stand, into the README.
Exit code 1 if a limit is missed.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.generate import generate
from tests.benchmarks.measure import Run, Sample, in_turns, run
from tests.stress.engine_of_docker import NoEngine, build_image, engine
from tritoncheck.registry import own_rules

HERE = Path(__file__).resolve().parent
README = HERE.parent.parent / "README.md"
BEGIN, END = "<!-- bench:begin -->\n", "<!-- bench:end -->"
LINT = (sys.executable, "-m", "tritoncheck", "lint")


class Row(NamedTuple):
    """A line of the table."""

    what: str
    measured: str
    against: str
    ratio: float
    limit: float
    unit: str = " ×"

    def __str__(self) -> str:
        verdict = "ok" if self.ratio <= self.limit else "**missed**"
        digits = 0 if self.unit != " ×" else 2 if self.ratio < 10 else 1
        ratio = f"{self.ratio:.{digits}f}{self.unit}"
        return f"| {self.what} | {self.measured} | {self.against} | {ratio} | {self.limit:g}{self.unit} | {verdict} |"


def measure_lint(folder: Path) -> list[Row]:
    """Make the repositories in a folder and measure on them."""
    for models in (1, 1_000, 10_000):
        generate(folder / str(models), models)
    (one,) = (folder / "1").glob("*/config.pbtxt")
    parse = [sys.executable, "-m", "tests.benchmarks.bare_parse", str(folder / "1000")]
    many = in_turns({"parse": partial(run, parse, printed=True), "lint": partial(_lint, folder / "1000")}, times=7)
    more = in_turns({models: partial(_lint, folder / models) for models in ("1000", "10000")}, times=5)
    typer = [sys.executable, "-c", "import typer"]
    cold = in_turns({"typer": partial(run, typer), "lint": partial(_lint, one)}, times=21)
    same = f"`text_format.Parse` of the same files: {many['parse']}"
    return [
        _ratio("`lint` of 1,000 models", many["lint"], same, many["parse"], 2),
        _ratio("`lint` of 10,000 models", more["10000"], f"1,000 models: {more['1000']}", more["1000"], 11),
        Row("the same, peak memory", "", "", more["10000"].megabytes, 400, " MB"),
        _ratio(
            "`lint` of one file, cold", cold["lint"], f'`python -c "import typer"`: {cold["typer"]}', cold["typer"], 2
        ),
    ]


def measure_stress(folder: Path) -> list[Row]:
    """Attempts that are played, and real ones where there is an engine or one can be brought up."""
    from tests.benchmarks.restarts import against_bare, until_noticed

    played = run([sys.executable, "-m", "tests.benchmarks.played", str(folder / "played"), "10000"])
    rows = [
        Row("10,000 attempts on a played server, with reports", "", "", played.seconds, 60, " s"),
        Row("the same, peak memory", "", "", played.megabytes, 100, " MB"),
    ]
    try:
        with engine(folder):
            image = build_image()
            ours, bare = against_bare(image, folder / "pairs", pairs=15)
            late = until_noticed(image, folder / "late", attempts=5)
    except NoEngine as error:
        print(f"not measured: restarts in Docker ({error})")
        return rows
    by_hand = f"`docker run`, ready, `docker rm -f`: {bare}"
    return [
        *rows,
        _ratio("one attempt of `stress` in Docker", ours, by_hand, bare, 1.1),
        Row("a failed model is known after its log line", "", "", late * 1000, 100, " ms"),
    ]


def _lint(path: Path) -> Run:
    return run([*LINT, str(path)])


def _ratio(what: str, sample: Sample, against: str, yardstick: Sample, limit: float) -> Row:
    return Row(what, str(sample), against, sample.ratio(yardstick), limit)


def table(rows: list[Row]) -> str:
    """The rows as Markdown, with a line that says on what they were measured."""
    head = [
        "| what | takes | against | ratio | limit | |",
        "| --- | --- | --- | --: | --: | --- |",
    ]
    place = (
        f"Medians (least … most) of whole processes run in turns, with all {len(own_rules())} rules. CPython "
        f"{platform.python_version()}, protobuf {importlib.metadata.version('protobuf')}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.machine()}. `make bench` measures anew."
    )
    return "\n".join([*head, *map(str, rows), "", place, ""])


def quote(text: str, page: str) -> str:
    """A page with the text between its markers; as it was if it has none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}{text}{end}{after}" if end else page


def main() -> int:
    """Measure, print, write."""
    with tempfile.TemporaryDirectory() as folder:
        rows = measure_lint(Path(folder)) + measure_stress(Path(folder))
    text = table(rows)
    print(text)
    (HERE / "RESULTS.md").write_text(f"# Speed\n\n{text}", encoding="utf-8")
    if README.exists():
        README.write_text(quote(text, README.read_text(encoding="utf-8")), encoding="utf-8")
    return 0 if all(row.ratio <= row.limit for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
