"""What an attempt of `tritoncheck stress` costs, and how soon it knows: real servers in Docker, beside bare ones.

The bare thing is `docker run`, a poll of `/v2/health/ready` every 20 ms, `docker rm -f`, of the same image.
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import socket
import statistics
import subprocess
import time
from pathlib import Path

from tests.benchmarks.measure import Run, Sample
from tritoncheck.stress.docker_host import DockerHost
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal, read_attempts
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.logs import LogReader
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.records import Attempt, ModelOutcome

REPOSITORIES = Path(__file__).resolve().parents[2] / "fixtures" / "repositories"
_POLL = 0.02
_DAY = 86400.0


def bare(image: str, repository: Path) -> float:
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
        f"{repository}:/models:ro",
    ]
    command += [image, "tritonserver", "--model-repository=/models"]
    name = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    while not _is_ready(port):
        time.sleep(_POLL)
    subprocess.run(["docker", "rm", "--force", name], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/v2/health/ready")
        return connection.getresponse().status == http.client.OK
    return False


class _Turns(Silent):
    """After each attempt one by hand."""

    def __init__(self, image: str, repository: Path) -> None:
        self.ours: list[Run] = []
        self.theirs: list[Run] = []
        self._image, self._repository = image, repository
        self._begin = time.monotonic()

    def finished(self, attempt: Attempt) -> None:
        """Time both."""
        assert attempt.whole, attempt
        self.ours.append(Run(time.monotonic() - self._begin, 0))
        self.theirs.append(Run(bare(self._image, self._repository), 0))
        self._begin = time.monotonic()


def against_bare(image: str, folder: Path, pairs: int) -> tuple[Sample, Sample]:
    """Attempts, from one journal line to the next, and starts by hand."""
    repository = REPOSITORIES / "clean"
    turns = _Turns(image, repository)
    _start(image, repository, folder, pairs + 1, turns)
    return Sample(tuple(turns.ours[1:])), Sample(tuple(turns.theirs[1:]))  # the first of each pays for the caches


class _Watch(Silent):
    """Writes down when it is told of a failed model."""

    def __init__(self) -> None:
        self.told: dict[tuple[int, int], float] = {}

    def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
        """Remember the time of day."""
        if outcome.outcome == "failed":
            self.told[number, outcome.line] = time.time() % _DAY


def until_noticed(image: str, folder: Path, attempts: int) -> float:
    """Seconds from the time in the line of a failure, as the server wrote it, until a listener is told: the median."""
    watch = _Watch()
    _start(image, REPOSITORIES / "always_fails", folder, attempts, watch)
    late = []
    for attempt in read_attempts(folder):
        reader = LogReader()
        with gzip.open(folder / "logs" / attempt.log) as log:
            events = [event for line in log for event in reader.feed(line, "")] + reader.close()
        times = {event.line: event.time for event in events}
        for (number, line), told in watch.told.items():
            written = times.get(line) if number == attempt.number else None
            if written is not None:
                late.append((told - written % _DAY) % _DAY)
    return statistics.median(late)


def _start(image: str, repository: Path, folder: Path, restarts: int, listener: Silent) -> None:
    plan = make_plan(Wish(str(repository), restarts=restarts, image=image), "docker")
    with Journal(folder, plan, resume=False) as journal:
        Engine(plan, DockerHost(plan), journal, listener, Stop()).run()
