"""A machine as far as it can be asked: its files, its commands, NVML. The only door to `pynvml`.

Nothing here raises: what is not there, or does not answer in time, is None. Knows not what the answers mean.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

_SECONDS = 5.0
_BYTES = 1 << 20


class NvmlGpu(NamedTuple):
    """A GPU as NVML tells it. brand: NVML's number. capability: None where it does not say."""

    name: str
    brand: int = 0
    memory: int = 0
    capability: tuple[int, int] | None = None


class Nvml(NamedTuple):
    """NVML's answers. cuda: as it numbers versions, 13000 for 13.0; 0 where it does not say."""

    driver: str
    cuda: int = 0
    gpus: tuple[NvmlGpu, ...] = ()


class Machine(Protocol):
    """What can be asked."""

    def read(self, path: str) -> str | None:
        """The text of a file, None where it cannot be read."""

    def exists(self, path: str) -> bool:
        """Whether there is something at a path."""

    def run(self, *words: str) -> str | None:
        """What a command prints, None where it is not there, fails or takes too long."""

    def nvml(self) -> Nvml | None:
        """NVML's answers, None where there is no driver or the package to ask is missing."""


class ThisMachine:
    """The machine that this program runs on."""

    def read(self, path: str) -> str | None:
        """The text of a file."""
        try:
            with open(path, "rb") as file:
                return file.read(_BYTES).decode("utf-8", "replace")
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether there is something at a path."""
        return os.path.exists(path)

    def run(self, *words: str) -> str | None:
        """What a command prints."""
        try:
            done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None
        return done.stdout[:_BYTES].decode("utf-8", "replace") if done.returncode == 0 else None

    def nvml(self) -> Nvml | None:
        """NVML's answers."""
        try:
            import pynvml

            pynvml.nvmlInit()
        except Exception:  # without a driver it raises its own kinds
            return None
        try:
            count = _told(pynvml.nvmlDeviceGetCount) or 0
            gpus = [gpu for number in range(count) if (gpu := _gpu(pynvml, number)) is not None]
            driver = _text(_told(pynvml.nvmlSystemGetDriverVersion) or "")
            return Nvml(driver, int(_told(pynvml.nvmlSystemGetCudaDriverVersion) or 0), tuple(gpus))
        finally:
            _told(pynvml.nvmlShutdown)


def _gpu(pynvml: Any, number: int) -> NvmlGpu | None:
    """One GPU; None where not even its name is told. Integrated ones have no memory of their own to tell."""
    handle = _told(pynvml.nvmlDeviceGetHandleByIndex, number)
    name = _told(pynvml.nvmlDeviceGetName, handle)
    if name is None:
        return None
    capability = _told(pynvml.nvmlDeviceGetCudaComputeCapability, handle)
    memory = _told(pynvml.nvmlDeviceGetMemoryInfo, handle)
    return NvmlGpu(
        _text(name),
        int(_told(pynvml.nvmlDeviceGetBrand, handle) or 0),
        int(memory.total) if memory else 0,
        (int(capability[0]), int(capability[1])) if capability else None,
    )


def _told(ask: Callable[..., Any], *about: Any) -> Any:
    """An answer of NVML; None for what this driver or GPU does not tell."""
    try:
        return ask(*about)
    except Exception:  # it raises its own kinds, and an old package lacks some calls
        return None


def _text(value: object) -> str:
    """Older packages answer with bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
