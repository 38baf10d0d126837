"""The version of TensorRT that built a plan, from the beginning of the file. Nothing else stands at a public place.

Layout: NVIDIA/TensorRT `samples/common/sampleEngines.cpp` (`getPlanVersionOnly`), plans of TensorRT 8.6 and later.
"""

from __future__ import annotations

import struct

PlanVersion = tuple[int, int, int, int]

# The tag `ftrt`, the version of the serialization, 16 bytes of other things, four bytes of version.
HEADER = 28


def plan_version(head: bytes) -> PlanVersion | None:
    """Major, minor, patch and build of TensorRT; None for what is no plan, or of a layout that is not known."""
    if len(head) < HEADER or not head.startswith(b"ftrt"):
        return None
    (serialization,) = struct.unpack_from("<I", head, 4)
    major, minor, patch, build = head[24:HEADER]
    return (major, minor, patch, build) if serialization == 0 and 8 <= major <= 12 else None
