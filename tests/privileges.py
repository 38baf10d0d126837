"""Root as a user for whom the permissions of files hold, so that tests of what may not be read run for root, too.

Linux only, and of the calling thread; the processes that it starts lack all capabilities. For any other user than root
nothing has to be done.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

from tests.needs import give_up

_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of linux/capability.h
_PASSING = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_PR_GET_SECUREBITS, _PR_SET_SECUREBITS = 27, 28  # linux/prctl.h
_NOROOT = 1  # SECBIT_NOROOT of linux/securebits.h: a program that root starts gets no capabilities for it


@contextlib.contextmanager
def permissions_hold() -> Iterator[None]:
    """Inside, a file that nobody may read is not read. Gives up where root may not lay down what root may do."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; then the same of the capabilities from 32 on
    bits = libc.prctl(_PR_GET_SECUREBITS)
    if bits < 0 or libc.capget(header, sets) or libc.prctl(_PR_SET_SECUREBITS, bits | _NOROOT):
        give_up(f"root cannot lay down its capabilities: {os.strerror(ctypes.get_errno())}")
    before = sets[0]
    try:
        sets[0] = before & ~_PASSING
        if libc.capset(header, sets):
            give_up(f"root cannot lay down its capabilities: {os.strerror(ctypes.get_errno())}")
        yield
    finally:
        sets[0] = before
        libc.capset(header, sets)
        libc.prctl(_PR_SET_SECUREBITS, bits)
