"""The report for people: laid out for 80 columns, carets below the right characters, nothing that steers a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import ROOT, run_lint
from tritoncheck.report import text
from tritoncheck.report.paths import printable


def lines_of(folder: Path, config: bytes, width: int = 80, **options: str) -> list[str]:
    """The report of a repository with one model `m`."""
    model = folder / "m"
    model.mkdir(exist_ok=True)
    (model / "config.pbtxt").write_bytes(config)
    return text.render(run_lint(folder, options), 0.5, width=width).splitlines()


@pytest.mark.parametrize(
    ("config", "shown", "carets"),
    [
        (b'name: "x"\n', 'name: "x"', "      ^^^"),
        (b'\tname: "x"\n', ' name: "x"', "       ^^^"),
        ('# ü\nname: "öx"\n'.encode(), 'name: "öx"', "      ^^^^"),
        ('name: "名前"\n'.encode(), 'name: "名前"', "      ^^^^^^"),
        (b'backend: "a\x1b[31m" name: "x"\n', 'backend: "a\\x1b[31m" name: "x"', " " * 27 + "^^^"),
    ],
)
def test_carets(config: bytes, shown: str, carets: str, tmp_path: Path) -> None:
    """Carets stand below what is meant, whatever the width of the characters before it."""
    lines = lines_of(tmp_path, config, select=("TCR004",))  # type: ignore[arg-type]
    at = next(number for number, line in enumerate(lines) if shown in line and "|" in line)
    assert lines[at].split("| ", 1)[1] == shown
    assert lines[at + 1].split("| ", 1)[1] == carets


def test_long_line_is_cut_around_the_place(tmp_path: Path) -> None:
    """A line of thousands of columns is shown as far as it matters."""
    config = ('metric_tags { key: "k" value: "' + "v" * 5000 + '" } name: "x"\n').encode()
    lines = lines_of(tmp_path, config, select=("TCR004",))  # type: ignore[arg-type]
    source = next(line for line in lines if "name:" in line and "|" in line)
    assert len(source) <= 80
    below = lines[lines.index(source) + 1]
    assert source[below.index("^") :][:3] == '"x"'


def test_long_line_is_cut_behind_the_place(tmp_path: Path) -> None:
    """What is left out on the right is shown to be left out."""
    config = b'name: "m" bogus: 1' + b" #" + b"x" * 200 + b"\n"
    framed = [line for line in lines_of(tmp_path, config) if 'name: "m"' in line]
    assert framed
    assert all(line.endswith("…") and len(line) <= 80 for line in framed)


def test_width(tmp_path: Path) -> None:
    """What is not source or a path keeps to the width."""
    for width in (80, 100, 120):
        for line in lines_of(tmp_path, b"max_batch_size: ${n}\nfoo: 1\ninput [ { dims: [ 0 ] } ]\n", width):
            assert len(line) <= width or "/" in line or "--" in line, line


@given(st.text())
def test_printable(raw: str) -> None:
    """No control character reaches the terminal, and printable text stays as it is."""
    assert printable(raw).isprintable()
    if raw.isprintable():
        assert printable(raw) == raw


def test_plain_without_colour(tmp_path: Path) -> None:
    """No escape sequence unless colour was asked for."""
    assert not any("\x1b" in line for line in lines_of(tmp_path, b"foo: 1\n"))
    report = run_lint(tmp_path)
    assert "\x1b[" in text.render(report, 0.1, colour=True)


def test_last_line_counts(tmp_path: Path) -> None:
    """The last line says what was looked at and found, and how long it took."""
    last = lines_of(tmp_path, b"foo: 1\n")[-1]
    assert last.startswith("1 model in 1 repository: ")
    assert last.endswith(" in 0.50 s")


def test_nothing_is_said_twice() -> None:
    """The long reasons and cures of the three findings of NV-12 stand there once."""
    report = run_lint(ROOT / "fixtures" / "repositories" / "nv12")
    shown = text.render(report, 0.1)
    assert shown.count("--model-load-thread-count=1") == 1
    assert shown.count("help: as above") == 2
    assert shown.index("error: ") < shown.index("info: ")


@pytest.mark.parametrize("names", ["ab", "abc", "abcdefg"])
def test_one_remark_on_many_repositories(names: str, tmp_path: Path) -> None:
    """Repositories without weights: what to do is said with the first, and of many only where they are."""
    reports = []
    for name in names:
        (tmp_path / name / "m").mkdir(parents=True)
        (tmp_path / name / "m" / "config.pbtxt").write_text('backend: "python"\n')
        reports.append(run_lint(tmp_path / name))
    whole, *others = reports
    for one in others:
        whole.merge(one)
    shown = " ".join(text.render(whole, 0.1).split())
    many = len(names) > 2
    assert shown.count("TCR006 missing-version") == (1 if many else len(names))
    assert shown.count("if the deployment adds them") == 1
    assert shown.count("help: as above") == (0 if many else len(others))
    assert ("and the same in" in shown) == many
    assert ("/d` and 3 more help" in shown) == (names == "abcdefg")
    assert f"{len(names)} infos in" in shown
