"""A test that cannot take place is a failure in CI and a skip elsewhere, never a pass."""

from __future__ import annotations

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


@pytest.mark.usefixtures("at_home")
def test_a_laptop_skips() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"^no network$"):
        give_up("no network")
    with pytest.raises(pytest.skip.Exception, match=r"^no network$"), needed(OSError, Lack):
        raise Lack("no network")


@pytest.mark.usefixtures("in_ci")
def test_ci_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match="no network"):
        give_up("no network")
    with pytest.raises(pytest.fail.Exception, match="no network"), needed(OSError, Lack):
        raise Lack("no network")


@pytest.mark.usefixtures("at_home")
def test_what_is_not_named_is_a_fault() -> None:
    with pytest.raises(ValueError, match="of ours"), needed(Lack):
        raise ValueError("of ours")
