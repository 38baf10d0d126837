"""What an attempt costs over the bare thing: `docker run`, ready, `docker rm -f` of the same image, in turns.

    python -m tests.benchmarks.overhead [ROUNDS]

Needs an engine with the image tritoncheck/triton-cpu. Prints the median of each and of the paired differences.
"""

from __future__ import annotations

import http.client
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tritoncheck.stress.docker_host import DockerHost
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.records import Attempt

IMAGE = "tritoncheck/triton-cpu"
REPOSITORY = Path(__file__).resolve().parents[2] / "fixtures" / "repositories" / "clean"
_POLL = 0.02


def bare() -> float:
    """Seconds of one start by hand."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begin = time.monotonic()
    command = [
        "docker",
        "run",
        "--detach",
        "--publish",
        f"127.0.0.1:{port}:8000",
        "--volume",
        f"{REPOSITORY}:/models:ro",
    ]
    command += [IMAGE, "tritonserver", "--model-repository=/models"]
    name = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    while not _is_ready(port):
        time.sleep(_POLL)
    subprocess.run(["docker", "rm", "--force", name], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/v2/health/ready")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class _Turns(Silent):
    """After each attempt one by hand."""

    def __init__(self) -> None:
        self.ours: list[float] = []
        self.theirs: list[float] = []
        self._begin = time.monotonic()

    def finished(self, attempt: Attempt) -> None:
        assert attempt.whole
        self.ours.append(time.monotonic() - self._begin)
        self.theirs.append(bare())
        self._begin = time.monotonic()


def main(rounds: int) -> None:
    """Measure and print."""
    plan = make_plan(Wish(str(REPOSITORY), restarts=rounds + 1, image=IMAGE), "docker")
    turns = _Turns()
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder, "run"), plan, resume=False) as journal:
        Engine(plan, DockerHost(plan), journal, turns, Stop()).run()
    ours, theirs = turns.ours[1:], turns.theirs[1:]  # the first of each pays for the caches
    shares = [one / other - 1 for one, other in zip(ours, theirs, strict=True)]
    print(f"{rounds} pairs: attempt {statistics.median(ours):.2f} s, by hand {statistics.median(theirs):.2f} s")
    print(f"overhead, median of the pairs: {statistics.median(shares):+.1%} ({min(shares):+.1%} to {max(shares):+.1%})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
