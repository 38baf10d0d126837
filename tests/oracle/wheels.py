"""Real Triton servers out of `nvidia-pytriton` wheels: fetched with pip, unpacked once, kept in a cache.

Knows how such a wheel is laid out, not how a server is run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFAULT_WHEEL = "0.5.14"

RELEASES = {
    "0.1.5": "2.28.0",
    "0.2.5": "2.33.0",
    "0.3.1": "2.36.0",
    "0.4.2": "2.39.0",
    "0.5.5": "2.44.0",
    "0.5.14": "2.51.0",
    "0.7.0": "2.51.0",
}
"""Version of the nvidia-pytriton wheel → release of the Triton server inside it."""

_WANTED = re.compile(r"(pytriton/tritonserver/|[^/]*\.libs/|.*external_libs/)")


class OracleUnavailable(Exception):
    """No real server can be had here: another platform, no network, no pip, or it does not start."""


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """One unpacked server."""

    wheel: str
    release: str
    binary: Path
    libraries: tuple[Path, ...]


def cache_folder() -> Path:
    """Where unpacked servers are kept: `TRITONCHECK_CACHE`, else `.cache/tritoncheck` in the checkout."""
    named = os.environ.get("TRITONCHECK_CACHE")
    return Path(named) if named else Path(__file__).resolve().parents[2] / ".cache" / "tritoncheck"


@contextlib.contextmanager
def locked(name: str) -> Iterator[Path]:
    """The cache folder, while no other process holds the lock of that name."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache


def find_server(wheel: str = DEFAULT_WHEEL) -> ServerFiles:
    """The server of a `nvidia-pytriton` wheel, fetched with pip and unpacked at the first call.

    The folder gets its name by a rename at the very end, so a killed download leaves nothing that counts.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise OracleUnavailable("nvidia-pytriton holds a server for Linux on x86-64 only")
    with locked(f"pytriton-{wheel}") as cache:
        home = cache / f"pytriton-{wheel}"
        if not home.is_dir():
            unfinished = cache / f"pytriton-{wheel}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            try:
                _unpack(_download(wheel, unfinished / "wheel"), unfinished)
                shutil.rmtree(unfinished / "wheel")
                unfinished.rename(home)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    binary = home / "pytriton" / "tritonserver" / "bin" / "tritonserver"
    libraries = sorted(home.glob("*.libs")) + sorted(home.rglob("external_libs"))
    return ServerFiles(wheel, RELEASES.get(wheel, ""), binary, tuple(libraries))


def _download(wheel: str, folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--retries=2",
    ]
    command += ["--only-binary=:all:", "--dest", str(folder), f"nvidia-pytriton=={wheel}"]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise OracleUnavailable(f"pip cannot fetch nvidia-pytriton=={wheel}: {done.stdout.strip()[-500:]}")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if _WANTED.match(name):
                archive.extract(name, folder)
                path = folder / name
                if path.is_file():
                    path.chmod(0o755)
