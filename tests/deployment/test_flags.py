"""What is said of a server's arguments; `tests/oracle/test_flags.py` asks real servers about the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployment.flag_cases import BY_RELEASE, CASES
from tritoncheck.deployment.command_line import parse_command
from tritoncheck.deployment.flags import FORMS, REPEATED, SINCE, complaints, meant
from tritoncheck.deployment.launch import Launch


def said(words: str, release: tuple[int, ...] | None) -> str:
    """Kind and flag of all complaints."""
    return ", ".join(f"{one.kind} {one.flag}" for one in complaints(tuple(words.split()), release))


@pytest.mark.parametrize("words", CASES)
def test_newest(words: str) -> None:
    """As 24.10 takes them."""
    assert said(words, (24, 10)) == CASES[words]


@pytest.mark.parametrize(
    ("release", "words"), [(release, words) for release in BY_RELEASE for words in BY_RELEASE[release]]
)
def test_older(release: tuple[int, int], words: str) -> None:
    """A flag that a release does not have yet; between what is known of it, it is left."""
    assert said(words, release) == BY_RELEASE[release][words]
    assert said(words, None) == ""


@pytest.mark.parametrize(
    "words",
    ["$FLAGS", "--http-port=$PORT", "--{{ .flag }}=1", "--model-repository=<path>", "$(cat x)"],
)
def test_placeholders(words: str) -> None:
    """What is filled in later is not judged."""
    assert not complaints((words,), (24, 10))
    assert words.startswith("--") or not complaints(("--http-port", words), (24, 10))


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("--model-repository /models", "/models"),
        ("--strict-readiness = false", "false"),
        ("--strict-readiness =false", "false"),
        ("--backend-config python,a=b", "python,a=b"),
        ("--http-p  8000", "8000"),
    ],
)
def test_joined(word: str, value: str) -> None:
    """A flag and its value in one word are told apart."""
    (found,) = complaints((word,), (24, 10))
    assert (found.kind, found.value, found.flag in FORMS) == ("joined", value, True)


@pytest.mark.parametrize("word", ["--id=a b", "--model-repository=/my models", "--bogus x", "--http-port $PORT"])
def test_not_joined(word: str) -> None:
    """A space in a value is the value's; of an unknown name nothing is made; what is filled in is not judged."""
    assert "joined" not in [one.kind for one in complaints((word,), (24, 10))]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("model_load_thread_count", "model-load-thread-count"),
        ("model-repositry", "model-repository"),
        ("Strict-Readiness", "strict-readiness"),
        ("load-models", "load-model"),
    ],
)
def test_near(name: str, near: str) -> None:
    """A slip is told from what was meant."""
    assert complaints((f"--{name}=x",), None)[0].names == (near,)


def test_tables_fit() -> None:
    """What the other tables name is a flag."""
    assert set(FORMS) >= REPEATED
    assert set(FORMS) >= set(SINCE)
    assert all(lacking < having for lacking, having in SINCE.values())


def test_beginnings() -> None:
    """A beginning of a name is the flag in the record, too."""
    assert meant("model-load-thread") == ("model-load-thread-count",)
    launch = parse_command("tritonserver --model-load-thread=1 --load=a")
    assert launch.flags == (("model-load-thread-count", "1"), ("load-model", "a"))
    assert Launch(flags=(("bogus", "1"),)).complaints[0].kind == "unknown"


@given(st.lists(st.text(alphabet="-=abhtp orlem1:,$", max_size=12), max_size=8))
def test_never_fails(words: list[str]) -> None:
    """Any words are judged."""
    complaints(tuple(words), (23, 4))
