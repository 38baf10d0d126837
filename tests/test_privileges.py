"""Files that nobody may read are read by nobody, also where the tests run as root."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.privileges import permissions_hold


def test_inside_they_hold(tmp_path: Path) -> None:
    """In this process and in those that it starts; outside, root reads it as before."""
    path = tmp_path / "closed"
    path.touch(mode=0)
    may = os.geteuid() == 0
    with permissions_hold():
        with pytest.raises(PermissionError):
            path.read_bytes()
        assert subprocess.run(["cat", path], capture_output=True).returncode != 0
    assert os.access(path, os.R_OK) is may
    assert (subprocess.run(["cat", path], capture_output=True).returncode == 0) is may
