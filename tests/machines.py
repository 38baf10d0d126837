"""Machines from files: what `fixtures/hosts/<name>` recorded of their files, commands and NVML.

`machine.toml` says what exists, what commands print (`commands` names a file, `output` holds the text) and what NVML
tells; `base` names a machine to take what is not said from. Files lie in `files/` below their path.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tritoncheck.deployment.machine import Nvml, NvmlGpu

HOSTS = Path(__file__).parent.parent / "fixtures" / "hosts"


class RecordedMachine:
    """One recorded machine. without: `nvml`, the beginnings of commands, or paths that it shall not have."""

    def __init__(self, name: str, without: tuple[str, ...] = (), outputs: dict[str, str] | None = None) -> None:
        self.folder = HOSTS / name
        self.table: dict[str, Any] = tomllib.loads((self.folder / "machine.toml").read_text(encoding="utf-8"))
        self.base = RecordedMachine(self.table["base"], without) if "base" in self.table else None
        self.without = without
        self.outputs = outputs or {}

    def read(self, path: str) -> str | None:
        """The text of a recorded file."""
        file = self.folder / "files" / path.lstrip("/")
        if path in self.without:
            return None
        if file.is_file():
            return file.read_text(encoding="utf-8")
        return self.base.read(path) if self.base else None

    def exists(self, path: str) -> bool:
        """Whether it was there."""
        own = path in self.table.get("exists", ()) or self.read(path) is not None
        return path not in self.without and (own or (self.base is not None and self.base.exists(path)))

    def run(self, *words: str) -> str | None:
        """What a command printed."""
        command = " ".join(words)
        if command in self.outputs:
            return self.outputs[command]
        if any(command.startswith(one) for one in self.without):
            return None
        if command in self.table.get("output", {}):
            return str(self.table["output"][command])
        if command in self.table.get("commands", {}):
            return (self.folder / str(self.table["commands"][command])).read_text(encoding="utf-8")
        return self.base.run(*words) if self.base else None

    def nvml(self) -> Nvml | None:
        """What NVML told."""
        if "nvml" in self.without:
            return None
        told = self.table.get("nvml")
        if told is None:
            return self.base.nvml() if self.base else None
        gpus = [
            NvmlGpu(one["name"], one["brand"], one["memory"], (one["capability"][0], one["capability"][1]))
            for one in told["gpus"]
        ]
        return Nvml(told["driver"], told["cuda"], tuple(gpus))
