"""Files with the bytes of a tensor: there, a folder, missing, or not to be looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tritoncheck.modelfile.data import DataFile, count_strings, look
from tritoncheck.tensors import byte_size, type_name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder of data files."""
    (tmp_path / "warmup" / "inner").mkdir(parents=True)
    (tmp_path / "warmup" / "zeros").write_bytes(bytes(12))
    (tmp_path / "warmup" / "later").write_bytes(b"")
    (tmp_path / "warmup" / "lfs").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n")
    (tmp_path / "warmup" / "inner" / "ones").write_bytes(b"\1\1")
    (tmp_path / "above").write_bytes(b"\2")
    (tmp_path / "warmup" / "lost").symlink_to("nowhere")
    (tmp_path / "warmup" / "link").symlink_to("zeros")
    os.mkfifo(tmp_path / "warmup" / "pipe")
    return tmp_path / "warmup"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("zeros", DataFile("file", 12)),
        ("link", DataFile("file", 12)),
        ("inner/ones", DataFile("file", 2)),
        ("../above", DataFile("file", 1)),
        ("later", DataFile("file", 0, "empty")),
        ("inner", DataFile("folder")),
        ("", DataFile("folder")),
        ("none", DataFile("missing")),
        ("lost", DataFile("missing")),
        ("zeros/none", DataFile("missing")),
        ("pipe", DataFile("unknown")),
        ("a\0b", DataFile("unknown")),
        ("x" * 5000, DataFile("unknown")),
    ],
)
def test_look(folder: Path, name: str, expected: DataFile) -> None:
    assert look(str(folder), name) == expected


def test_placeholders(folder: Path) -> None:
    assert [look(str(folder), name).is_placeholder for name in ("later", "lfs", "zeros")] == [True, True, False]


@pytest.mark.parametrize(
    ("data_type", "dims", "size"),
    [(11, [3], 12), (1, [2, 5], 10), (14, [], 2), (13, [3], None), (11, [-1], None), (0, [3], None), (99, [3], None)],
)
def test_byte_size(data_type: int, dims: list[int], size: int | None) -> None:
    assert byte_size(data_type, dims) == size


def test_type_name() -> None:
    assert [type_name(one) for one in (11, 13, 77)] == ["TYPE_FP32", "TYPE_STRING", "77"]


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"", 0),
        (b"\1\0\0\0a\2\0\0\0bb", 2),
        (b"\0\0\0\0" * 3, 3),
        (b"\0\0\0\0" * 9, 4),  # one more than there may be
        (b"\1\0\0\0a\2\0\0\0b", 2),  # the last one may be cut
        (b"\1\0\0\0a\2\0", -1),
        (b"hello world", 1),
    ],
)
def test_count_strings(tmp_path: Path, content: bytes, count: int) -> None:
    (tmp_path / "words").write_bytes(content)
    assert count_strings(str(tmp_path), "words", 3) == count


def test_count_strings_of_nothing(tmp_path: Path) -> None:
    assert count_strings(str(tmp_path), "words", 3) is None
