"""What a test needs from the machine and may not find: a network, an engine, a compiler.

In CI each of these must be there, so its lack is a failure; at home the test is skipped and says why. Packages of the
`dev` group are no such need: they are always there, and are imported plainly.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import NoReturn

import pytest


def give_up(why: object) -> NoReturn:
    """End the test that cannot take place: failed where the environment variable `CI` is set, else skipped."""
    if os.environ.get("CI"):
        pytest.fail(f"this test has to take place in CI: {why}")
    pytest.skip(str(why))


@contextlib.contextmanager
def needed(*lacks: type[Exception]) -> Iterator[None]:
    """Give up where one of these exceptions says that something is not to be had here. All others go on."""
    try:
        yield
    except lacks as why:
        give_up(why)
