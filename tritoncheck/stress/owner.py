"""Who owns what a run leaves on a machine, and whether that owner still lives; so that only leftovers are swept.

An owner is a process, told apart from a later one with the same id by its start time and the boot of its machine.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

LABEL = "tritoncheck.owner"
VARIABLE = "TRITONCHECK_OWNER"


@cache
def machine() -> str:
    """This boot of this machine, and this process namespace: process ids mean something only within it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")[:12]
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return os.uname().nodename
    return f"{boot}.{space}"


def me() -> str:
    """This process as an owner."""
    return f"{machine()}.{os.getpid()}.{_started(os.getpid())}"


def alive(owner: str) -> bool:
    """Whether an owner may still live. One of another machine may: nobody here knows."""
    place, _, rest = owner.rpartition(".")
    place, _, number = place.rpartition(".")
    if not number.isdigit() or place != machine():
        return True
    return _started(int(number)) == rest != "0"


def processes_of(owner: str) -> list[int]:
    """The processes that carry this owner in their environment, but the owner itself."""
    wanted = f"{VARIABLE}={owner}".encode()
    return [number for number, found in _marked() if found == wanted]


def dead_processes() -> dict[int, str]:
    """Processes that a dead owner left, with that owner."""
    found = {number: mark.partition(b"=")[2].decode("ascii", "replace") for number, mark in _marked()}
    return {number: owner for number, owner in found.items() if not alive(owner)}


def _marked() -> list[tuple[int, bytes]]:
    found = []
    prefix = f"{VARIABLE}=".encode()
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            entries = Path("/proc", name, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [(int(name), one) for one in entries if one.startswith(prefix)]
    return found


def _started(number: int) -> str:
    """When a process started, in ticks since the boot; "0" if there is none or it is a zombie."""
    try:
        text = Path("/proc", str(number), "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "0"
    fields = text.rpartition(")")[2].split()
    return "0" if fields[0] in "ZX" else fields[19]
