"""The shared memory of a Compose service, and which other services use it.

Source: compose-spec `05-services.md`, `shm_size`, `ipc`, `tmpfs` and `volumes`. None is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tritoncheck.deployment.compose_merge import listed
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.parts import DEFAULT_SHM, OWN_IPC, SHM
from tritoncheck.deployment.quantities import size
from tritoncheck.deployment.volumes import read_volume
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

_WITH_SHM = re.compile(r"\bperf_(?:analyzer|client)\b.*--shared-memory[= ](?:system|cuda)\b", re.DOTALL)


def shm_size(service: Node, reader: Reader) -> tuple[int | None, str]:
    """Bytes of `/dev/shm`, and the key that says so; None with `ipc: host` and the like, where others decide."""
    own = _on_shm(service, reader)
    if own is not None:
        return own[:2]
    ipc = service.get("ipc")
    if ipc is not None and reader.text(ipc) not in OWN_IPC:
        return None, "ipc"
    node = service.get("shm_size")
    if node is not None and not node.null:
        return size(reader.text(node)), "shm_size"
    return DEFAULT_SHM, ""


def ipc(service: Node, reader: Reader) -> str:
    """Whose shared memory it has, "" for its own."""
    text = reader.text(service.get("ipc"))
    return "" if text in OWN_IPC else text


def shm_read_only(service: Node, reader: Reader) -> bool:
    """Whether what is mounted over `/dev/shm` cannot be written."""
    own = _on_shm(service, reader)
    return own is not None and own[2]


def _on_shm(service: Node, reader: Reader) -> tuple[int | None, str, bool] | None:
    """What is mounted over `/dev/shm`: its bytes, the key that says so, and whether it cannot be written; None where
    nothing is."""
    for one in listed(service.get("tmpfs")):
        target, _, options = reader.text(one).partition(":")
        if target.rstrip("/") == SHM:
            given = re.search(r"size=([^,]+)", options)
            return size(given[1]) if given else None, "tmpfs", False
    for one in listed(service.get("volumes")):
        if one.items:
            flag = one.get("read_only")
            target, read_only = reader.text(one.get("target")), flag is not None and flag.boolean is True
        else:
            mount = read_volume(reader.text(one), "/")
            target, read_only = (mount.target, mount.read_only) if mount else ("", False)
        if target.rstrip("/") == SHM:
            return size(reader.text(one.get("tmpfs", "size"))) if one.items else None, "volumes", read_only
    return None


def shm_clients(reader: Reader) -> Iterator[tuple[str, Span]]:
    """The services that call a load generator of Triton's with shared memory, each with the place of its command.

    Source: perf_analyzer `command_line_parser.cc`, 2.0 to 2.73: `--shared-memory=system` or `cuda`; `none` by default.
    """
    for name, node in reader.project.services.items():
        for key in ("command", "entrypoint"):
            value = node.get(key)
            words = " ".join(reader.text(one) for one in listed(value))
            if value is not None and _WITH_SHM.search(words):
                yield name, node.place(key)
                break
