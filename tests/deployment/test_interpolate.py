"""Variables in Compose files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.deployment.interpolate import fill

VARIABLES = {"TAG": "24.05", "EMPTY": "", "PORT": "8000"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("t:$TAG-py3", "t:24.05-py3"),
        ("t:${TAG}-py3", "t:24.05-py3"),
        ("${NONE:-x}${NONE-y}", "xy"),
        ("${EMPTY:-x}|${EMPTY-y}|", "x||"),
        ("${TAG:-x}", "24.05"),
        ("${TAG:?must be set}", "24.05"),
        ("${TAG:+yes}${NONE:+no}${EMPTY:+no}${EMPTY+set}", "yesset"),
        ("${NONE:-${TAG}}", "24.05"),
        ("${NONE:-${OTHER:-deep}}", "deep"),
        ("$$TAG $${TAG}", "$TAG ${TAG}"),
        ("a$", "a$"),
        ("${", "${"),
        ("${TAG", "${TAG"),
        ("$1", "$1"),
    ],
)
def test_values(text: str, value: str) -> None:
    """What Compose puts in."""
    filled = fill(text, VARIABLES)
    assert (filled.text, filled.known) == (value, True)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("$NONE", ("NONE",)),
        ("a${NONE}b", ("NONE",)),
        ("${NONE:?x}", ("NONE",)),
        ("${A:-$B}", ("B",)),
        ("$A$B", ("A", "B")),
        ("{{ $x.y }}", ("x",)),
    ],
)
def test_missing(text: str, missing: tuple[str, ...]) -> None:
    """A variable that nobody sets stays as written: its value is not guessed."""
    filled = fill(text, VARIABLES)
    assert filled.missing == missing
    assert "$" in filled.text


@given(st.text(alphabet="${}:-+?AB x", max_size=40))
def test_never_fails(text: str) -> None:
    """Any text is filled or left; nothing grows without end."""
    assert len(fill(text, {"A": "x", "B": ""}).text) <= len(text) + 40


def test_nests_without_end() -> None:
    """A thousand levels end soon."""
    assert fill("${A:-" * 1000 + "}" * 1000, {}).missing
