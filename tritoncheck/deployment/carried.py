"""A script of the host that a container runs, brought into it by a mount or a `COPY`: what in it starts the server."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tritoncheck.deployment.belonging import host_path
from tritoncheck.deployment.command_line import find_servers
from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.started import started


def started_by_script(launch: Launch, paths: Iterable[str], files: Files) -> Launch | None:
    """A launch with what a script starts that is one of these paths in the container; None where none of them does."""
    for path in paths:
        there = host_path(path, launch)
        if not there or not files.exists(there):
            continue
        # Shown as the file that leads to it is.
        there = there if os.path.isabs(launch.source) else os.path.relpath(there)
        try:
            text = files.read(there)
        except FileError:
            continue
        found = next(find_servers(text, dict(launch.environment)), None)
        if found is not None:
            return started(launch, found, Lines(text, there).span)
    return None
