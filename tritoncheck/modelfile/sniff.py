"""What kind of file something is, by its first bytes. Knows no backends and no rules.

Reads regular files only, and never more than `HEAD` bytes: a FIFO, a device or a socket is not opened for reading.
"""

from __future__ import annotations

import os
import re

from tritoncheck.modelfile.window import open_regular

HEAD = 512
ZEROS = "a file that begins with zeros"

# The beginnings of files that can be told for sure. `ftrt` is the tag of a serialized TensorRT engine, `ptrt` that
# of TensorRT up to 7; NumPy, HDF5, zip, gzip, ELF and pickle have theirs by definition.
_BEGINNINGS = (
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer"),
    (b"ftrt", "a TensorRT plan"),
    (b"ptrt", "a TensorRT plan"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x7fELF", "a program or library"),
    (b"\x89PNG\r\n", "a picture"),
    (b"%PDF-", "a PDF"),
)
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|net)\b")
_JSON = re.compile(rb'\s*[{\[]\s*["{\[\]}]')
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|\x8a\x0a|[}\](cq.K])")
# An ONNX model: `ir_version` (field 1, a varint), then `producer_name`, `opset_import` or the like (fields 2 to 8).
_ONNX = re.compile(rb"\x08[\x01-\x14][\x12\x1a\x22\x2a\x32\x3a\x42]")
# No format of a model begins so; a disk that was full or a download that was never filled leaves it.
_ZEROS = re.compile(rb"\x00+")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f-\xff]")
# What an Ultralytics export puts before the engine: the length of a text, then the text, in JSON.
_PREFIXED = re.compile(rb'.{2}\x00\x00\{"', re.DOTALL)


def read_head(path: str, listed: bool = False) -> bytes | None:
    """The first bytes of a regular file; None for what is none or cannot be read. listed: as for `open_regular`."""
    opened = open_regular(path, listed)
    if opened is None:
        return None
    try:
        return os.read(opened[0], HEAD)
    except OSError:
        return None
    finally:
        os.close(opened[0])


def kind_of(head: bytes) -> str:
    """What a file with this beginning is, in words with their article; "" where it cannot be told."""
    if not head:
        return "empty"
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if _ZEROS.fullmatch(head):
        return ZEROS
    for pattern, kind in (
        (_HTML, "an HTML page"),
        (_XML, "an XML file"),
        (_PREFIXED, "a TensorRT plan behind a JSON header"),
        (_PICKLE, "a Python pickle"),
        (_ONNX, "an ONNX model"),
        (_JSON, "a JSON file"),
    ):
        if pattern.match(head):
            return kind
    return ""


def is_text(head: bytes) -> bool:
    """Whether it is a plain text, as people put where a model is to come."""
    return not _CONTROL.search(head)
