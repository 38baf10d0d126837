"""What an archive of PyTorch holds, by the names in the directory at its end. No member is read.

The format is zip, APPNOTE.TXT of PKWARE 4.3.7 to 4.3.16. What `torch.jit.save` and `torch.save` write: PyTorch
`caffe2/serialize/inline_container.cc`, `torch/csrc/jit/serialization/export_module.cpp`, `torch/serialization.py`, 1.4
to 2.9. Knows nothing of configurations.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from tritoncheck.modelfile.sniff import HEAD, is_text
from tritoncheck.modelfile.window import Window

# The end of the directory has 22 bytes and a comment of up to 65535 bytes; that of a large one stands before it.
_END, _END64, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_TAIL = 22 + 65535
_ENTRY = b"PK\x01\x02"
# A larger directory is that of no model; what it says is left open.
_MOST_BYTES = 16 * 1024 * 1024
# All that `torch.save` writes below its one folder. A TorchScript has `constants.pkl` and `code/` besides.
_SAVED = re.compile(r"(?:data\.pkl|version|byteorder|\.format_version|\.storage_alignment|\.?data/.+)")


class Archive(NamedTuple):
    """checkpoint: it is what `torch.save` writes, tensors or pickled objects, and not a program. fault: why it is no
    archive: `cut` (it begins like one and has no directory at its end), `no archive`; "" if it is one."""

    checkpoint: bool = False
    fault: str = ""


def parse_archive(window: Window) -> Archive | None:
    """What an open file is; None for a text, which stands for a file, and where its directory cannot be read."""
    try:
        head = window.read(0, min(HEAD, window.size))
        place = _directory(window)
        if place is None:
            if not head or is_text(head):
                return None
            return Archive(fault="cut" if head.startswith(b"PK\x03\x04") else "no archive")
        start, size = place
        if size > _MOST_BYTES or start < 0 or start + size > window.size:
            return None
        names = _names(window.read(start, size))
    except (OSError, struct.error):
        return None
    return None if names is None else Archive(_is_checkpoint(names))


def _directory(window: Window) -> tuple[int, int] | None:
    """Where the directory begins and how many bytes it has; None where the file has none."""
    start = max(0, window.size - _TAIL)
    tail = window.read(start, window.size - start)
    at = tail.rfind(_END)
    if at < 0 or at + 22 > len(tail):
        return None
    size, offset = struct.unpack_from("<II", tail, at + 12)
    if at >= 20 and tail[at - 20 : at - 16] == _LOCATOR:
        (place,) = struct.unpack_from("<Q", tail, at - 12)
        end = window.read(place, 56) if place < window.size else b""
        if end.startswith(_END64):
            size, offset = struct.unpack_from("<QQ", end, 40)
    return offset, size


def _names(directory: bytes) -> list[str] | None:
    """The names in a directory; None where it is damaged."""
    names, at = [], 0
    while at < len(directory):
        if directory[at : at + 4] != _ENTRY:
            return None
        name, extra, comment = struct.unpack_from("<HHH", directory, at + 28)
        names.append(directory[at + 46 : at + 46 + name].decode("utf-8", "replace"))
        at += 46 + name + extra + comment
    return names


def _is_checkpoint(names: list[str]) -> bool:
    tops = {name.partition("/")[0] for name in names}
    inside = [name.partition("/")[2] for name in names]
    return len(tops) == 1 and "data.pkl" in inside and all(_SAVED.fullmatch(name) for name in inside)
