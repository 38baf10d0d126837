"""Suppressions in files that start a server: where they stand, what they cover, and what is said of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployment.test_deployments import check, make, model
from tritoncheck.deployment_comments import read_suppressions

IMAGE = "nvcr.io/nvidia/tritonserver:24.05-py3"
MARK = "# tritoncheck: ignore[TCV016] our build takes it"
RACE = "# tritoncheck: ignore[TCV008] we know"
# Each starts a server with a thread count below zero, TCV008; `@` is where a comment stands behind it, `#@` is a line
# of its own.
FILES = {
    "compose.yaml": f"""services:
  triton:
    image: {IMAGE}
    #@
    command:  @
    - tritonserver
    - --model-repository=/models
    - --model-load-thread-count=-1
    volumes: ["./models:/models"]
""",
    "run.sh": f"""#!/bin/sh
#@
docker run --gpus all -v $PWD/models:/models \\
{IMAGE} tritonserver --model-repository=/models \\
  --model-load-thread-count=-1
""",
    "Makefile": f"""#@
serve:
\tdocker run --gpus all -v $(CURDIR)/models:/models {IMAGE} \\
\t  tritonserver --model-repository=/models --model-load-thread-count=-1 @
""",
    "Dockerfile": f"""FROM {IMAGE}
COPY models /models
#@
CMD ["tritonserver", \\
"--model-repository=/models", "--model-load-thread-count=-1"]
""",
    "k8s.yaml": f"""apiVersion: v1
kind: Pod
metadata: {{name: triton}}
spec:
  containers:
  #@
  - name: triton
    image: {IMAGE}
    args:
    - tritonserver
    - --model-repository=/models
    - --model-load-thread-count=-1 @
""",
}


def found(folder: Path, name: str, text: str, **settings: object) -> list[str]:
    """The codes found in one file beside a repository, and how many are silenced."""
    if not (folder / "models").exists():
        model(folder / "models")
    (folder / name).write_text(text)
    report = check(folder / "models", **settings)
    wanted = ("TCV008", "TCC")
    codes = [one.rule.code for one in report.findings if one.rule.code.startswith(wanted)]
    return [*codes, *["silenced"] * report.suppressed]


def fill(text: str, above: str = "", behind: str = "") -> str:
    """A file with a comment above, or behind, what is wrong."""
    kept = [line for line in text.splitlines() if above or line.strip() != "#@"]
    lines = (one.replace("#@", above) if one.strip() == "#@" else one.replace("@", behind).rstrip() for one in kept)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", FILES)
def test_above(name: str, tmp_path: Path) -> None:
    """A comment on a line of its own covers what stands below it, to its end."""
    assert found(tmp_path, name, fill(FILES[name])) == ["TCV008"]
    assert found(tmp_path, name, fill(FILES[name], RACE)) == ["silenced"]
    assert found(tmp_path, name, fill(FILES[name], f"# why\n{RACE}")) == ["silenced"]


@pytest.mark.parametrize("name", FILES)
def test_whole_file(name: str, tmp_path: Path) -> None:
    """`ignore-file` covers all of it, wherever it stands."""
    text = fill(FILES[name]) + "# tritoncheck: ignore-file[negative-thread-count] we know\n"
    assert found(tmp_path, name, text) == ["silenced"]


@pytest.mark.parametrize("name", ["Makefile", "k8s.yaml"])
def test_behind(name: str, tmp_path: Path) -> None:
    """A comment behind something covers that line."""
    assert found(tmp_path, name, fill(FILES[name], behind=RACE)) == ["silenced"]


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# tritoncheck: ignore[TCV008]", ["TCC003", "TCV008"]),
        ("# tritoncheck: ignore[TCV008] why, until 2026-01-31", ["TCC002", "TCV008"]),
        ("# tritoncheck: ignore[TCV008] why, until 2027-01-31", ["silenced"]),
        ("# tritoncheck: ignore[TCV8888] why", ["TCC004", "TCV008"]),
        ("# tritoncheck: disable=TCV008", ["TCC005", "TCV008"]),
        ("# tritoncheck: ignore[TCV009] why", ["TCC001", "TCV008"]),
        ("# tritoncheck: ignore[TCV008, TCV009] why", ["TCC001", "silenced"]),
        ("# tritoncheck is great", ["TCV008"]),
    ],
)
def test_what_is_said_of_them(comment: str, codes: list[str], tmp_path: Path) -> None:
    """The rules on suppressions speak of them, with their place."""
    assert found(tmp_path, "compose.yaml", fill(FILES["compose.yaml"], comment)) == codes
    report = check(tmp_path / "models")
    for one in report.findings:
        if one.rule.code.startswith("TCC"):
            assert (Path(one.span.path).name, one.span.line) == ("compose.yaml", 4)
            assert one.fix is None
            assert report.texts[one.span.path]


def test_unused(tmp_path: Path) -> None:
    """One that silences nothing is said, unless the rule is off or the file starts none of our servers."""
    text = fill(FILES["compose.yaml"], "# tritoncheck: ignore[TCV009] why")
    assert found(tmp_path, "compose.yaml", text) == ["TCC001", "TCV008"]
    assert found(tmp_path, "compose.yaml", text, ignore=("TCV009",)) == ["TCV008"]
    assert found(tmp_path, "compose.yaml", text, no_deployment=True) == []
    other = text.replace("./models:/models", "./other:/models")
    assert found(tmp_path, "compose.yaml", other) == []


def test_several_repositories(tmp_path: Path) -> None:
    """A finding that several repositories have is silenced for all of them, once."""
    for name in ("a", "b"):
        model(tmp_path / "sets" / name)
    text = COMPOSE_OF_TWO.replace("@", "# tritoncheck: ignore[TCV008] we know")
    make(tmp_path / "sets", compose_yaml=text)
    report = check(tmp_path / "sets" / "a", tmp_path / "sets" / "b")
    assert not [one for one in report.findings if one.rule.code in ("TCV008", "TCC001")]
    assert report.suppressed == 1


COMPOSE_OF_TWO = f"""services:
  triton:
    image: {IMAGE}
    command: tritonserver --model-repository=/a --model-repository=/b --model-load-thread-count=-1 @
    volumes: ["./a:/a", "./b:/b"]
"""


@pytest.mark.parametrize(
    ("text", "trailing", "lines"),
    [
        (f"a: 1  {MARK}\n", True, (1, 1)),
        (f"a: 1  {MARK}\n", False, None),
        (f"{MARK}\na:\n  b: 1\n\n  # c\n  d: 2\ne: 3\n", True, (2, 6)),
        (f"{MARK}\na:\n- b\n- c\nd: 1\n", True, (2, 4)),
        (f"- a\n{MARK}\n- b: 1\n  c: 2\n- d\n", True, (3, 4)),
        (f"{MARK}\nrun a \\\nb \\\nc\nd\n", True, (2, 4)),
        (f"{MARK}\nRUN a \\\n# c\n\nb\nRUN d\n", False, (2, 5)),
        (f"{MARK}\n", True, (1, 1)),
        (f'a: "x {MARK} y"\n', True, None),
        (f"a: 'x {MARK} y'\n", True, None),
        (f"a: don't  {MARK}\n", True, (1, 1)),
        (f"a: x{MARK}\n", True, None),
        (f"größe: ü\n{MARK}\nß: 1\n", True, (3, 3)),
    ],
)
def test_lines(text: str, trailing: bool, lines: tuple[int, int] | None) -> None:
    """The lines that a comment covers; None where it is none."""
    marks = read_suppressions(text, "f", trailing)
    assert [(one.first, one.last) for one in marks] == ([lines] if lines else [])


def test_places() -> None:
    """Columns count characters, offsets bytes."""
    text = f"größe: ü  {MARK}\n"
    (mark,) = read_suppressions(text, "f", True)
    assert text[mark.span.column - 1 : mark.span.end_column - 1] == MARK
    assert text.encode()[mark.span.start : mark.span.end].decode() == MARK
    assert mark.holds(date(2026, 6, 1))


@given(st.text(alphabet="# \n\t\\:-'\"ü[]TCV08tritoncheck", max_size=80), st.booleans())
def test_never_fails(text: str, trailing: bool) -> None:
    """Any text is read."""
    for one in read_suppressions(f"{text}{MARK}\n{text}", "f", trailing):
        assert one.last <= len(text.split("\n")) * 2


def test_many() -> None:
    """Reading ends after so many."""
    assert len(read_suppressions(f"{MARK}\n" * 5000, "f", True)) == 200
