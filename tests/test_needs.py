"""A test that cannot take place is a failure in CI and a skip elsewhere, never a pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.needs import give_up, needed


class Lack(Exception):
    """What a helper raises where something is missing."""


@pytest.fixture(params=["", None])
def at_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`CI` is not set, or set to nothing."""
    if request.param is None:
        monkeypatch.delenv("CI", raising=False)
    else:
        monkeypatch.setenv("CI", request.param)


@pytest.fixture(params=["true", "1"])
def in_ci(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`CI` is set, to whatever."""
    monkeypatch.setenv("CI", request.param)


def lacking() -> None:
    """What a helper of a test does without a network."""
    with needed(OSError, Lack):
        raise Lack("no network")


def ended(test: Callable[[], None]) -> tuple[str, str]:
    """How a test ends and why. `pytest.raises` of a failure would let a skip go by, which then skips the asker, too."""
    try:
        test()
    except (pytest.skip.Exception, pytest.fail.Exception) as end:
        return type(end).__name__, str(end)
    return "Passed", ""


ENDS: list[Callable[[], None]] = [partial(give_up, "no network"), lacking]


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("end", ENDS)
def test_a_laptop_skips(end: Callable[[], None]) -> None:
    assert ended(end) == ("Skipped", "no network")


@pytest.mark.usefixtures("in_ci")
@pytest.mark.parametrize("end", ENDS)
def test_ci_fails(end: Callable[[], None]) -> None:
    assert ended(end) == ("Failed", "this test has to take place in CI: no network")


@pytest.mark.usefixtures("at_home")
def test_what_is_not_named_is_a_fault() -> None:
    with pytest.raises(ValueError, match="of ours"), needed(Lack):
        raise ValueError("of ours")
