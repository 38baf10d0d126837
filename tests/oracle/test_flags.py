"""Real servers on what `tritoncheck.deployment.flags` says of their arguments.

Behind the arguments stands one that every server refuses, after it has taken all the others: which of them it names
first tells whether it took them, and nothing is started.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.deployment.flag_cases import BY_RELEASE, CASES
from tests.needs import needed
from tests.oracle.wheels import DEFAULT_WHEEL, OracleUnavailable, ServerFiles, find_server
from tritoncheck.deployment.flags import complaints

WHEELS = {(22, 11): "0.1.5", (23, 4): "0.2.5", (23, 7): "0.3.1", (23, 10): "0.4.2", (24, 3): "0.5.5"}
LAST = "the-last-one"


def takes(files: ServerFiles, words: str) -> bool:
    """Whether a server takes the arguments."""
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, files.libraries))}
    command = [str(files.binary), *words.split(), LAST]
    ran = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    return f"Unexpected argument: {LAST}".encode() in ran.stdout + ran.stderr  # it prints single bytes of a letter


def server(wheel: str) -> ServerFiles:
    """The server of a wheel."""
    with needed(OracleUnavailable):
        return find_server(wheel)


def ours(words: str, release: tuple[int, ...]) -> bool:
    """What we say: a number that is only half read is taken."""
    return all(one.kind == "half-read" for one in complaints(tuple(words.split()), release))


def test_newest() -> None:
    """The newest server takes what is said to be taken, and nothing else."""
    files = server(DEFAULT_WHEEL)
    asked = [words for words in CASES if not words.startswith(("-- ", "--model-config-name=h100"))]
    # A flag without value takes the word behind it.
    asked = [words for words in asked if not CASES[words].startswith("no-value") or " " in words]
    assert {words: takes(files, words) for words in asked} == {words: ours(words, (24, 10)) for words in asked}


@pytest.mark.all_servers
@pytest.mark.parametrize("release", BY_RELEASE)
def test_older(release: tuple[int, int]) -> None:
    """Older servers lack what came later."""
    files = server(WHEELS[release])
    asked = BY_RELEASE[release]
    assert {words: takes(files, words) for words in asked} == {words: ours(words, release) for words in asked}
