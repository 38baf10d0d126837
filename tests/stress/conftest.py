"""The real server as an installed distribution, for the tests of the embedded host."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import give_up, needed
from tests.oracle.wheels import OracleUnavailable, find_server
from tritoncheck.stress.embedded import missing_libraries

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nvidia-pytriton as pip would install it, from the wheel that the oracle uses."""
    with needed(OracleUnavailable):
        files = find_server()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = files.binary.parents[1] / "python_backend_stubs" / python / "triton_python_backend_stub"
    lacking = (
        missing_libraries(stub, sysconfig.get_config_var("LIBDIR") or "")
        if stub.is_file()
        else [f"a stub for {python}"]
    )
    if lacking:
        give_up(f"the real server cannot run Python models here: {', '.join(lacking)} is missing")
    folder = tmp_path_factory.mktemp("installed")
    home = files.binary.parents[3]
    for one in home.iterdir():
        (folder / one.name).symlink_to(one)
    about = folder / f"nvidia_pytriton-{files.wheel}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: nvidia-pytriton\nVersion: {files.wheel}\n")
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: how long a disk takes is no matter of the engine."""
    folder = Path(
        tempfile.mkdtemp(prefix="tritoncheck-test-", dir="/dev/shm" if os.path.isdir("/dev/shm") else tmp_path)
    )
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
