"""A real core, for the tests that ask one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.core import Core
from tests.needs import needed
from tests.oracle.wheels import DEFAULT_WHEEL, OracleUnavailable, find_server


@pytest.fixture(scope="module")
def core() -> Iterator[Core]:
    """The newest core. What becomes of it once it runs is no lack of the machine."""
    with needed(OracleUnavailable), Core(find_server(DEFAULT_WHEEL)) as running:
        yield running
