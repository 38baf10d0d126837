"""Our reading against real Triton servers: what they accept, and every line and column of what they print.

The newest server that a wheel holds is asked in every test run, all of them by `make oracle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.needs import needed
from tests.oracle.agreement import disagreements, release_of
from tests.oracle.cases import FIXED
from tests.oracle.server import ParserOracle
from tests.oracle.wheels import DEFAULT_WHEEL, RELEASES, OracleUnavailable, find_server
from tests.strategies import texts
from tritoncheck.schema.descriptors import model_config_class

SEED = 12  # another one asks about other texts
IN_EVERY_RUN, BY_MAKE_ORACLE = 3_000, 20_000
SHOWN = 10
WHEELS = [wheel for wheel in RELEASES if wheel != "0.7.0"]  # 0.7.0 holds the server of 0.5.14


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[[str], ParserOracle]]:
    """Starts the server of a wheel; it ends with the module."""
    running: dict[str, ParserOracle] = {}

    def oracle(wheel: str) -> ParserOracle:
        if wheel not in running:
            with needed(OracleUnavailable):
                running[wheel] = ParserOracle(find_server(wheel)).__enter__()
        return running[wheel]

    yield oracle
    for one in running.values():
        one.__exit__(None, None, None)


def compare(oracle: ParserOracle, asked: list[bytes]) -> None:
    """Fail with the first texts on which we and the server differ."""
    found = list(disagreements(asked, oracle.verdicts(asked), release_of(oracle.files.release)))
    assert not found, f"{len(found)} of {len(asked)} texts:\n" + "\n".join(found[:SHOWN])


def generated(wheel: str, count: int) -> list[bytes]:
    """Texts with fields of the wheel's release, more than a third of them faulty."""
    return texts(SEED, count, model_config_class(release_of(RELEASES[wheel])))


def test_texts_chosen_by_hand(start: Callable[[str], ParserOracle]) -> None:
    compare(start(DEFAULT_WHEEL), list(FIXED))


def test_generated_texts(start: Callable[[str], ParserOracle]) -> None:
    compare(start(DEFAULT_WHEEL), generated(DEFAULT_WHEEL, IN_EVERY_RUN))


@pytest.mark.all_servers
@pytest.mark.parametrize("wheel", WHEELS)
def test_every_server(wheel: str, start: Callable[[str], ParserOracle]) -> None:
    compare(start(wheel), [*FIXED, *generated(wheel, BY_MAKE_ORACLE)])


def test_the_comparison_sees_a_difference(start: Callable[[str], ParserOracle]) -> None:
    """A text judged by another one's verdict."""
    oracle = start(DEFAULT_WHEEL)
    release = release_of(oracle.files.release)
    bad, worse, good = b"name: 1", b" name: 1", b"name: '1'"
    verdicts = oracle.verdicts([bad, good])
    assert list(disagreements([bad, good], verdicts, release)) == []
    assert len(list(disagreements([good, bad], verdicts, release))) == 2
    assert len(list(disagreements([worse, good], verdicts, release))) == 1


def test_a_crash_is_survived(start: Callable[[str], ParserOracle]) -> None:
    """`model_repository_agents` without an agent ends every release of the server."""
    verdicts = start(DEFAULT_WHEEL).verdicts([b"model_repository_agents { }", b"foo: 1", b""])
    assert [verdict.crashed for verdict in verdicts] == [True, False, False]
    assert [verdict.accepted for verdict in verdicts] == [True, False, True]
