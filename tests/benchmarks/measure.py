"""Times and peak memory of whole processes, each fresh, in turns. Knows nothing of what they do.

Turns, because a machine is seldom quiet: what disturbs one run disturbs its neighbours too, and their ratio least.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Run(NamedTuple):
    """One run. seconds: wall time, or what the process itself printed. megabytes: its peak, with its children's."""

    seconds: float
    megabytes: float


class Sample(NamedTuple):
    """All runs of one thing."""

    runs: tuple[Run, ...]

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(run.seconds for run in self.runs)

    def ratio(self, yardstick: Sample) -> float:
        """How many times the yardstick it takes: the median over the turns, each with its own yardstick."""
        return statistics.median(a.seconds / b.seconds for a, b in zip(self.runs, yardstick.runs, strict=True))

    @property
    def megabytes(self) -> float:
        """The highest peak of all runs."""
        return max(run.megabytes for run in self.runs)

    def __str__(self) -> str:
        times = [run.seconds for run in self.runs]
        return f"{_time(self.median)} ({_time(min(times))} … {_time(max(times))})"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def run(command: Sequence[str], *, printed: bool = False) -> Run:
    """Run a command to its end; 0 and 1 are its good exit codes. printed: it prints its seconds itself."""
    # An installed package has its bytecode; a checkout must be allowed to write it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"exit code {process.returncode}: {' '.join(command)}")
    return Run(float(output) if printed else seconds, usage.ru_maxrss / 1024)


def in_turns(things: Mapping[str, Callable[[], Run]], times: int) -> dict[str, Sample]:
    """Run each thing that often, one after the other, after one round that only warms the caches."""
    for thing in things.values():
        thing()
    rounds = [{name: thing() for name, thing in things.items()} for _ in range(times)]
    return {name: Sample(tuple(each[name] for each in rounds)) for name in things}
