"""A host that plays scripts instead of running servers: for `--demo`, and for tests of everything above a host.

Time is the script's own: nothing waits, unless a demo is to be watched (`pace`).
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tritoncheck.stress.host import Chunk, EnvironmentFault, HostFacts, Note, Row


@dataclass(frozen=True, slots=True)
class Script:
    """What one server does.

    steps: (second, stream, text) in the order of time. ends: the second at which it ends by itself, with `exit_code`.
    rows: its index, None where it does not answer. fault: why it cannot be started at all, "" if it can. lost: when the
    surroundings fail. deaf: it does not die of SIGABRT.
    """

    steps: tuple[tuple[float, str, str], ...] = ()
    ends: float | None = None
    exit_code: int = 1
    rows: tuple[Row, ...] | None = ()
    fault: str = ""
    lost: float | None = None
    deaf: bool = False


# Nobody waits for scripts, so that their time may go by in larger steps.
_LEAP, _SHORT = 0.5, 0.03

Scenario = Callable[[int], Script]


@dataclass(slots=True)
class MockHost:
    """Plays a scenario: a script for each attempt. pace: real seconds for each second of a script."""

    scenario: Scenario
    pace: float = 0.0
    faults: list[str] = field(default_factory=list)
    running: int = 0
    started: int = 0

    def prepare(self, note: Note) -> HostFacts:
        """Nothing is needed."""
        return HostFacts(engine="none: scripted, no server ran")

    def start(self, number: int) -> MockServer:
        """Begin the script of this attempt."""
        script = self.scenario(number)
        if self.faults:
            raise EnvironmentFault(self.faults.pop(0))
        if script.fault:
            raise EnvironmentFault(script.fault)
        self.started += 1
        self.running += 1
        return MockServer(self, script)

    def close(self) -> None:
        """Nothing is left."""


class MockServer:
    """Plays one script."""

    def __init__(self, host: MockHost, script: Script) -> None:
        self._host = host
        self._script = script
        self._now = 0.0
        self._next = 0
        self._code: int | None = None
        self._removed = False

    def now(self) -> float:
        """The script's time."""
        return self._now

    def read(self, timeout: float) -> list[Chunk]:
        """All that is written at the next moment at which something is, if that comes in time."""
        timeout = max(timeout, _LEAP) if timeout > _SHORT else timeout
        steps = self._script.steps
        if self._script.lost is not None and self._now >= self._script.lost:
            raise EnvironmentFault("the engine went away")
        if self._code is not None:
            self._pass(timeout)
            return []
        due = steps[self._next][0] if self._next < len(steps) else None
        ends = self._script.ends
        if due is None or (ends is not None and due > ends):
            if ends is not None and ends <= self._now + timeout:
                self._pass(max(0.0, ends - self._now))
                self._code = self._script.exit_code
            else:
                self._pass(timeout)
            return []
        if due > self._now + timeout:
            self._pass(timeout)
            return []
        self._pass(max(0.0, due - self._now))
        chunks = []
        while self._next < len(steps) and steps[self._next][0] <= self._now:
            chunks.append(Chunk(steps[self._next][1], steps[self._next][2].encode()))
            self._next += 1
        return chunks

    def over(self) -> bool:
        """Whether it has ended."""
        return self._code is not None

    def exit_code(self) -> int | None:
        """The script's code, or the signal it was sent."""
        return self._code

    def index(self, timeout: float) -> list[Row] | None:
        """The script's index."""
        return None if self._script.rows is None else list(self._script.rows)

    def signal(self, number: int) -> bool:
        """Die of it, unless deaf."""
        heeds = not (self._script.deaf and number == signal.SIGABRT)
        if self._code is None and heeds:
            self._code = -number
        return heeds

    def remove(self) -> None:
        """Gone."""
        if not self._removed:
            self._removed = True
            self._host.running -= 1

    def _pass(self, seconds: float) -> None:
        self._now += seconds
        if self._host.pace:
            time.sleep(seconds * self._host.pace)


def header(level: str, second: float, source: str) -> str:
    """The header of a log line, at a second of a made-up day."""
    minute, rest = divmod(second, 60)
    return f"{level}1130 09:{int(minute) % 60:02}:{rest:09.6f} 1 {source}] "


def load_steps(models: dict[str, tuple[float, str]], at: float = 0.05) -> tuple[tuple[float, str, str], ...]:
    """The log of a start: per model the seconds its load takes and why it fails, "" if it does not."""
    steps = [(at, "stdout", f'{header("I", at, "pinned_memory_manager.cc:277")}"Pinned memory pool is created"\n')]
    rows = []
    for name, (seconds, why) in models.items():
        steps.append((at, "stdout", f'{header("I", at, "model_lifecycle.cc:472")}"loading: {name}:1"\n'))
        end = at + seconds
        if why:
            text = f"{header('E', end, 'model_lifecycle.cc:642')}\"failed to load '{name}' version 1: {why}\"\n"
            text += f"{header('I', end, 'model_lifecycle.cc:777')}\"failed to load '{name}'\"\n"
        else:
            text = f"{header('I', end, 'model_lifecycle.cc:839')}\"successfully loaded '{name}'\"\n"
        steps.append((end, "stderr" if why else "stdout", text))
        rows.append((name, f"UNAVAILABLE: {why}" if why else "READY"))
    last = max(step[0] for step in steps) + 0.01
    steps.append(
        (last, "stdout", table(("Model", "Version", "Status"), [(name, "1", said) for name, said in rows], last))
    )
    text = f'{header("I", last, "grpc_server.cc:2558")}"Started GRPCInferenceService at 0.0.0.0:8001"\n'
    steps.append((last, "stdout", text))
    return tuple(sorted(steps, key=lambda step: step[0]))


def table(head: tuple[str, ...], rows: list[tuple[str, ...]], at: float) -> str:
    """A table as the server prints it."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    lines = [
        "|" + "|".join(f" {cell:{width}} " for cell, width in zip(row, widths, strict=True)) + "|\n"
        for row in [head, *rows]
    ]
    return f"{header('I', at, 'server.cc:674')}\n{rule}{lines[0]}{rule}{''.join(lines[1:])}{rule}\n"


DEMO_MODELS = ("depth_main", "pose_main", "rfdetr", "vlm_main")
_906 = (
    "Internal: onnx runtime error 6: CUDA failure 906: operation would make the legacy stream depend on a capturing "
    "blocking stream ; GPU=0 ; file=gpu_data_transfer.cc ; expr=cudaMemcpy"
)
_LOST = '"unable to finish CUDA graph for pose_main_0_0: operation failed due to a previous error during capture"\n'


def demo(seed: int = 0) -> Scenario:
    """Four models that race while they load, as in the finding this tool was built for: made-up logs, no server."""

    def scenario(number: int) -> Script:
        chance = random.Random(f"{seed}.{number}")
        bad = chance.random() < 0.4
        times = {name: (chance.uniform(0.6, 2.4), "") for name in DEMO_MODELS}
        if not bad:
            return Script(load_steps(times), rows=None)
        times["vlm_main"] = (times["pose_main"][0] - 0.1, _906)
        steps = load_steps(times)
        lost = times["pose_main"][0] + 0.04
        line = (lost, "stderr", f"{header('E', lost, 'instance_state.cc:4113')}{_LOST}")
        return Script(tuple(sorted([*steps, line], key=lambda step: step[0])), rows=None)

    return scenario
