"""Files of variables, as Compose and as the engine read them: values, places, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.needs import give_up
from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.variable_files import (
    MOST_CHARACTERS,
    Read,
    Settings,
    known_values,
    read_dotenv,
    read_plain,
    read_settings,
)


def test_variables_of_a_file() -> None:
    """Quotes, comments, exports, and variables that use others."""
    text = """
    # comment
    A=1
    export B='two $A'
    C="three ${A}\\n"
    D=four # comment
    E=
    F=${A}-${NOWHERE}
    no assignment
    G=$A$D
    """
    values = {"A": "1", "B": "two $A", "C": "three 1\n", "D": "four", "E": "", "G": "1four"}
    assert known_values(read_dotenv(text, "")) == values


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A: b", "b"),
        ("A = b c ", "b c"),
        ("A=b#c", "b#c"),
        ('A="b" # c', "b"),
        ('A="b\nc"', "b\nc"),
        ('A="\\$B \\"c\\""', '$B "c"'),
        ("A=$$B", "$B"),
        ("A=$KNOWN", "here"),
        ("A=${NOWHERE:-x}", "x"),
        ("KNOWN", "here"),
        ("A", None),
        ("A=$NOWHERE", None),
        ("A=" + "x" * 2000, None),
    ],
)
def test_compose(line: str, value: str | None) -> None:
    """compose-go's reading of one line; the next one is read as well."""
    settings = read_dotenv(f"{line}\nLAST=1\n", "f", {"KNOWN": "here"})
    name = "KNOWN" if line == "KNOWN" else "A"
    assert settings.faults == ()
    assert {key: one.value for key, one in settings.values.items()} == {name: value, "LAST": "1"}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("  A=b", "b"),
        ('A="b" # c', '"b" # c'),
        ("A=$B", "$B"),
        ("A= b ", " b "),
        ("A=b\r", "b"),
        ("\ufeffA=b", "b"),
        ("A=", ""),
        ("A", None),
    ],
)
def test_engine(line: str, value: str | None) -> None:
    """The engine takes a value letter by letter."""
    settings = read_plain(f"{line}\n# c\n\nLAST=1", "f")
    assert settings.faults == ()
    assert {key: one.value for key, one in settings.values.items()} == {"A": value, "LAST": "1"}


@pytest.mark.parametrize(
    ("read", "line", "what"),
    [
        (read_dotenv, "no assignment", "no NAME=value"),
        (read_dotenv, "=b", "no NAME=value"),
        (read_dotenv, 'A="b', "a quote that is not closed"),
        (read_dotenv, "A='b", "a quote that is not closed"),
        (read_plain, "A B=c", "the name `A B` holds a space"),
        (read_plain, "A =c", "the name `A ` holds a space"),
        (read_plain, "export A=c", "the name `export A` holds a space"),
        (read_plain, "=c", "no name before the `=`"),
    ],
)
def test_refused(read: Read, line: str, what: str) -> None:
    """The line is said with its place, and what stands before it is read."""
    settings = read(f"FIRST=1\n  {line}\n", "f")
    assert known_values(settings) == {"FIRST": "1"}
    (fault,) = settings.faults
    assert fault.message == f"no variable can be read from this line: {what}"
    assert (fault.span.line, fault.span.column, fault.span.end_column) == (2, 3, 3 + len(line))


@pytest.mark.parametrize("read", [read_dotenv, read_plain])
def test_places(read: Read) -> None:
    """Name and value stand where they stand."""
    text = "# größe\nA=1\n  B=zwei drei  \nC\n"
    spans = {name: one.span for name, one in read(text, "f").values.items()}
    found = {name: text.encode()[one.start : one.end].decode() for name, one in spans.items()}
    assert found == {"A": "A=1", "B": "B=zwei drei", "C": "C"}
    assert [one.line for one in spans.values()] == [2, 3, 4]


@pytest.mark.parametrize("read", [read_dotenv, read_plain])
@given(text=st.text(alphabet="AB=:\"'\\$ {}#\n\r\t\ufeffexport", max_size=60))
def test_never_fails(read: Read, text: str) -> None:
    """Any text gives variables or faults, with places inside of it."""
    settings: Settings = read(text, "f")
    size = len(text.encode())
    for span in (*(one.span for one in settings.values.values()), *(one.span for one in settings.faults)):
        assert 0 <= span.start <= span.end <= size


def test_growth(tmp_path: Path) -> None:
    """A variable that doubles in each line is soon not known; a large file is not read."""
    (tmp_path / "a.env").write_text("A=1\n" + "A=$A$A\n" * 5000)
    assert known_values(read_settings(str(tmp_path / "a.env"), Files(), read_dotenv)) == {}
    (tmp_path / "b.env").write_text("A=1\n" * MOST_CHARACTERS)
    with pytest.raises(FileError, match="too large"):
        read_settings(str(tmp_path / "b.env"), Files(), read_dotenv)


@pytest.mark.parametrize(
    "text",
    [
        *("A=1\n", "A\n", "  A=b c\n", "# A B=c\n", "\t\n", "A==\n", "A-b.c=1\n", "ä=1\n", "A='\n", '"A"=1\n'),
        *("A B=c\n", "A =c\n", "=c\n", "export A=c\n", "A\tB\n", "A=1\n=2\n", "A B\n", " =\n"),
    ],
)
def test_as_the_engine(text: str, tmp_path: Path) -> None:
    """The engine's own command refuses what we call a fault, and nothing else. It reads the file before it asks."""
    if shutil.which("docker") is None:
        give_up("the `docker` command is not there")
    (tmp_path / "x.env").write_text(text)
    environment = {**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    command = ["docker", "run", "--pull=never", "--env-file", str(tmp_path / "x.env"), "x"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    refused = re.search("env file|environment", ran.stderr) is not None
    assert refused or "Cannot connect" in ran.stderr, ran.stderr
    assert bool(read_plain(text, "f").faults) == refused


@pytest.mark.parametrize("read", [read_dotenv, read_plain])
def test_many_faults(read: Read) -> None:
    """The first ones have their places, the others are counted."""
    faults = read("= x\n" * 50, "f.env").faults
    assert [one.span.line for one in faults] == [*range(1, 21)]
    assert [one.span.line for one in faults if "and 30 more such lines" in one.message] == [20]
    assert "more" not in read("= x\n" * 20, "f.env").faults[-1].message
