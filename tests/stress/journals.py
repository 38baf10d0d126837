"""Runs for tests: journals with kept logs, as an engine writes them, made from outcomes. The same each time."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tritoncheck.stress.records import Attempt, Facts, ModelOutcome, Plan, to_line

NV12 = ("depth_main", "pose_main", "rfdetr", "vlm_main")
FACTS = Facts(
    started="2025-11-30T09:00:00Z",
    tritoncheck="0.1.0",
    triton="2.70.0",
    image_digest="sha256:" + "5e" * 32,
    engine="Docker 28.1.1",
    driver="580.173.02",
    gpu="NVIDIA GeForce RTX 3070 Laptop GPU, 8192 MiB",
    host="Debian GNU/Linux 12, Linux 6.1.0",
    cpus=16,
    command=("tritonserver", "--model-repository=/models", "--exit-on-error=false", "--strict-readiness=false"),
)
_906 = "CUDA failure 906: operation would make the legacy stream depend on a capturing blocking stream"
_901 = "unable to finish CUDA graph: operation failed due to a previous error during capture"

Outcomes = Mapping[str, ModelOutcome]


def plan(models: Sequence[str] = NV12, restarts: int = 50, **more: object) -> Plan:
    """A plan for these models."""
    given = {"repository": "/srv/models", "host": "docker", "image": "nvcr.io/nvidia/tritonserver:26.06-py3"}
    return Plan(expected=tuple(models), restarts=restarts, **{**given, "gpus": "all", **more})  # type: ignore[arg-type]


def ready(seconds: float = 0.5, begun: float = 0.01) -> ModelOutcome:
    """A model that came up."""
    return ModelOutcome("ready", seconds=seconds, begun=begun)


def failed(kind: str = "oom", text: str = "out of memory", **more: object) -> ModelOutcome:
    """A model that did not."""
    return ModelOutcome("failed", kind, 9, text, seconds=0.3, begun=0.01, **more)  # type: ignore[arg-type]


def attempt(number: int, models: Outcomes, **more: object) -> Attempt:
    """An attempt with these outcomes, whole if all are ready."""
    whole = all(one.outcome == "ready" for one in models.values())
    given: dict[str, object] = {
        "started": f"2025-11-30T09:{number // 60 % 60:02}:{number % 60:02}Z",
        "seconds": max([2.0, *((one.begun or 0) + (one.seconds or 0) for one in models.values())]),
        "ended": "settled",
        "whole": whole,
        "models": dict(models),
    }
    return Attempt(number=number, **{**given, **more})  # type: ignore[arg-type]


def write(
    folder: Path,
    plan: Plan,
    attempts: Sequence[Attempt],
    *,
    facts: Sequence[Facts] = (FACTS,),
    others: Sequence[tuple[str, Mapping[str, object]]] = (),
    end: str = "complete",
    torn: str = "",
) -> Path:
    """Writes a run's folder. others: further lines, before the end. torn: what is left of a last line."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [to_line("plan", plan), *(to_line("facts", one) for one in facts)]
    lines += [to_line("attempt", one) for one in attempts]
    lines += [to_line(kind, dict(table)) for kind, table in others]
    if end:
        lines.append(to_line("end", {"reason": end}))
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n" + torn, encoding="ascii")
    return folder


def from_strips(folder: Path, strips: Mapping[str, str], restarts: int | None = None, **more: Any) -> Path:
    """A run in which each model ended as its strip says: `.` ready, `d` degraded, `F` failed, `k`, `H`, `C`, `?`."""
    kinds: dict[str, Callable[[], ModelOutcome]] = {
        ".": ready,
        "d": lambda: ModelOutcome("degraded", "cuda-graph-capture", 5, _901, lost=("cuda-graph",), seconds=0.6),
        "F": failed,
        "k": lambda: ModelOutcome("knock-on"),
        "H": lambda: ModelOutcome("hung", "hang", begun=0.5),
        "C": lambda: ModelOutcome("crashed", "crash-signal"),
        "?": lambda: ModelOutcome("unknown"),
    }
    n = len(next(iter(strips.values())))
    attempts = [attempt(i + 1, {name: kinds[strip[i]]() for name, strip in strips.items()}) for i in range(n)]
    return write(folder, plan(tuple(strips), restarts or n, **more), attempts)


def nv12(folder: Path, restarts: int = 50, seed: int = 12, **more: Any) -> Path:
    """The race of four models, three of which capture graphs: some are hit by another's capture, which is lost."""
    chance = random.Random(seed)
    attempts, good_kept = [], False
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    for number in range(1, restarts + 1):
        models = _race(chance)
        one = attempt(number, models)
        if not one.whole or not good_kept:
            log = f"{number:05}.log.gz"
            lines, models = _log(models)
            (folder / "logs" / log).write_bytes(gzip.compress(lines.encode(), mtime=0))
            one = attempt(number, models, log=log)
            good_kept = good_kept or one.whole
        attempts.append(one)
    return write(folder, plan(restarts=restarts, **more), attempts)


def clustered(folder: Path, restarts: int = 60) -> Path:
    """One model that fails only in the second third of the run."""
    return from_strips(folder, {"a": "." * (restarts // 3) + "F" * (restarts // 3) + "." * (restarts // 3)})


def _race(chance: random.Random) -> dict[str, ModelOutcome]:
    """One start: with some luck no two meet; else one captures, and some of the others are hit meanwhile."""
    begun = {name: 0.006 + 0.0001 * place for place, name in enumerate(chance.sample(NV12, 4))}
    seconds = {name: round(chance.gauss(0.35, 0.05), 4) for name in NV12}
    models = {name: ModelOutcome("ready", seconds=seconds[name], begun=begun[name]) for name in NV12}
    if chance.random() < 0.5:
        return models
    culprit = chance.choice(NV12[:3])
    hit = sorted(name for name in NV12 if name != culprit and chance.random() < (0.6 if name == "vlm_main" else 0.35))
    if not hit:
        return models
    for name in hit:
        text = f"{name}: synchronising the legacy stream: {_906}"
        models[name] = ModelOutcome(
            "failed", "legacy-stream-dependency", 0, text, (culprit,), seconds=seconds[name] * 0.7, begun=begun[name]
        )
    models[culprit] = ModelOutcome(
        "degraded",
        "cuda-graph-capture",
        text=f"{culprit}: {_901}",
        victims=tuple(hit),
        lost=("cuda-graph",),
        seconds=seconds[culprit],
        begun=begun[culprit],
    )
    return models


def _log(models: Outcomes) -> tuple[str, dict[str, ModelOutcome]]:
    """What Triton logs in such a start, and the outcomes with the lines where they are told."""
    events: list[tuple[float, str, str]] = [
        (
            0.0,
            "I",
            "pinned_memory_manager.cc:277] \"Pinned memory pool is created at '0x7f00' with size 268435456\"",
        ),
        (0.002, "I", 'cuda_memory_manager.cc:107] "CUDA memory pool is created on device 0 with size 67108864"'),
    ]
    for name, one in models.items():
        begun, end = one.begun or 0.0, (one.begun or 0.0) + (one.seconds or 0.0)
        events.append((begun, "I", f'model_lifecycle.cc:472] "loading: {name}:1"'))
        if one.outcome == "degraded":
            events.append((begun + 0.6 * (end - begun), "E", f'instance_state.cc:38] "{one.text}"'))
        if one.outcome == "failed":
            events.append(
                (end, "E", f"model_lifecycle.cc:642] \"failed to load '{name}' version 1: Unavailable: {one.text}\"")
            )
        else:
            events.append((end, "I", f"model_lifecycle.cc:839] \"successfully loaded '{name}'\""))
    end = max(time for time, _, _ in events)
    events.append((end + 0.003, "I", 'grpc_server.cc:2558] "Started GRPCInferenceService at 0.0.0.0:8001"'))
    lines, placed = [], dict(models)
    for number, (time, level, text) in enumerate(sorted(events), start=1):
        lines.append(f"{level}1130 09:06:{7 + time:09.6f} 1 {text}")
        for name, one in models.items():
            if level == "E" and one.text and one.text in text:
                placed[name] = ModelOutcome(**{**{k: getattr(one, k) for k in one.__slots__}, "line": number})
    return "\n".join(lines) + "\n", placed
