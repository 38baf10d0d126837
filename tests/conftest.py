"""What many tests need: where the checkout lies, and how to run the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Time per example says more about the machine than about the code.
hypothesis.settings.register_profile("tritoncheck", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("tritoncheck")


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def tritoncheck() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `tritoncheck` with some arguments in a process of its own, in the folder `cwd` (default: the checkout)."""

    def run(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "120"}
        command = [sys.executable, "-m", "tritoncheck", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)

    return run
