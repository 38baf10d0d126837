"""A Docker engine and the image with the real Triton, for the tests that need them.

Uses the engine that answers. Where none does, and this is Debian or Ubuntu and we are root, one is installed and
started by hand; `TRITONCHECK_DOCKER=no` forbids that. An engine that was started here is ended here.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "tritoncheck/triton-cpu"
_PACKAGES = ("docker.io", "iptables", "debootstrap")


class NoEngine(Exception):
    """There is none, and none can be brought up; the text says why."""


def answers() -> bool:
    """Whether an engine answers."""
    try:
        done = subprocess.run(["docker", "version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class Daemon:
    """An engine that we started, and may stop."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers. Raises NoEngine."""
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(["dockerd"], stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 40
        while not answers():
            if self._process.poll() is not None or time.monotonic() > until:
                tail = self._log.read_text(errors="replace").strip().splitlines()[-1:]
                raise NoEngine(f"dockerd does not come up here: {' '.join(tail)[-300:]}")
            time.sleep(0.2)

    def stop(self) -> None:
        """End it."""
        if self._process is None:
            return
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def engine(logs: Path) -> Iterator[Daemon | None]:
    """An engine that answers; None if it is somebody else's. Raises NoEngine.

    One process has it at a time: tests count containers, and whoever started the engine ends it.
    """
    with open(Path(tempfile.gettempdir()) / "tritoncheck-tests-docker.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with _engine(logs) as daemon:
            yield daemon


@contextlib.contextmanager
def _engine(logs: Path) -> Iterator[Daemon | None]:
    if answers():
        yield None
        return
    if os.geteuid() != 0 or not Path("/etc/debian_version").exists():
        raise NoEngine("no Docker engine answers, and one is brought up on Debian and Ubuntu as root only")
    if os.environ.get("TRITONCHECK_DOCKER") == "no":
        raise NoEngine("no Docker engine answers, and TRITONCHECK_DOCKER=no forbids to bring one up")
    if not all(shutil.which(program) for program in ("dockerd", "docker", "iptables", "debootstrap")):
        _install()
    daemon = Daemon(logs / "dockerd.log")
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.stop()


def build_image() -> str:
    """The image, built unless there is one of the same recipe. Raises NoEngine."""
    folder = ROOT / "fixtures" / "triton-cpu"
    script = folder / "build.sh"
    recipe = hashlib.sha256(script.read_bytes() + (folder / "Dockerfile").read_bytes()).hexdigest()[:16]
    label = '{{index .Config.Labels "tritoncheck.recipe"}}'
    found = subprocess.run(["docker", "image", "inspect", "--format", label, IMAGE], capture_output=True, text=True)
    if found.stdout.strip() == recipe:
        return IMAGE
    done = subprocess.run([str(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    if done.returncode != 0:
        raise NoEngine(f"{script.name} failed: {done.stdout.strip()[-500:]}")
    return IMAGE


def _install() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    for command in (["apt-get", "update", "-qq"], [*install, *_PACKAGES], [*install, "docker-cli"]):
        if command[-1] == "docker-cli" and shutil.which("docker"):
            continue  # a package of its own since Debian 13
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise NoEngine(f"{' '.join(command[:2])} failed: {done.stdout.strip()[-300:]}")
