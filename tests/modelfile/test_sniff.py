"""First bytes: what is told for sure, what is not, and that nothing but a regular file is opened."""

from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.modelfile.sniff import HEAD, kind_of, read_head


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"", "empty"),
        (b"ftrt\x00\x00", "a TensorRT plan"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"\x08\x07\x12\x07pytorch", "an ONNX model"),
        (b"\x08\x03:\x04", "an ONNX model"),
        (b"\n<!DOCTYPE HTML>", "an HTML page"),
        (b"<!-- saved --><html>", "an HTML page"),
        (b'<?xml version="1.0"?><net>', "an XML file"),
        (b'{"error": "not found"}', "a JSON file"),
        (b'\x10\x02\x00\x00{"stride": 32}', "a TensorRT plan behind a JSON header"),
        (pickle.dumps({"a": 1}, protocol=2), "a Python pickle"),
        (pickle.dumps([1, 2], protocol=4), "a Python pickle"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (bytes(3), "a file that begins with zeros"),
        (bytes(HEAD), "a file that begins with zeros"),
        (bytes(8) + b"x", ""),
        (b"import numpy\n", ""),
        (b"weights", ""),
        (b"\x08", ""),
        (b"\x80\x02", ""),
    ],
)
def test_kinds(head: bytes, kind: str) -> None:
    """One example of each kind, and beginnings that say nothing."""
    assert kind_of(head) == kind


@given(st.binary(max_size=HEAD))
def test_any_bytes(head: bytes) -> None:
    """Nothing makes it fail; only no bytes are empty."""
    assert (kind_of(head) == "empty") is (head == b"")


def test_zip(tmp_path: Path) -> None:
    """What PyTorch writes today."""
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    assert kind_of(read_head(str(tmp_path / "model.pt")) or b"") == "a zip archive"


def test_only_the_head_of_regular_files(tmp_path: Path) -> None:
    """A pipe or a device is not waited for, a folder or a missing file is no error."""
    (tmp_path / "long").write_bytes(b"x" * 10 * HEAD)
    assert read_head(str(tmp_path / "long")) == b"x" * HEAD
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing", Path("/dev/zero")):
        assert read_head(str(path)) is None
