"""Archives of PyTorch: what `zipfile` writes is read by the names in it, and what is none gives a fault or nothing."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.modelfile import archive_file
from tritoncheck.modelfile.archive_file import Archive, parse_archive
from tritoncheck.modelfile.contents import Contents
from tritoncheck.modelfile.window import Window

SAVED = ["net/data.pkl", "net/byteorder", "net/data/0", "net/data/1", "net/version", "net/.data/serialization_id"]
SCRIPT = ["net/data.pkl", "net/code/__torch__/net.py", "net/constants.pkl", "net/version", "net/data/0"]


def _zip(path: Path, names: list[str], comment: bytes = b"") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"x" * 100)
        archive.comment = comment
    return path


def _read(path: Path) -> Archive | None:
    window = Window.open(str(path))
    assert window is not None
    with window:
        return parse_archive(window)


@pytest.mark.parametrize(
    ("names", "checkpoint"),
    [
        (SAVED, True),
        (SAVED[:1] + SAVED[4:5], True),
        (SCRIPT, False),
        ([name for name in SCRIPT if "code" not in name], False),
        (["net/model.json", "net/version", "net/data/0"], False),
        ([*SAVED, "net/bytecode.pkl"], False),
        (["net/data/aotinductor/model/x.so", "net/version", "net/archive_format"], False),
        (["a/data.pkl", "b/version"], False),
        (["data.pkl"], False),
        ([], False),
    ],
)
@pytest.mark.parametrize("large", [False, True])
def test_names(
    names: list[str], checkpoint: bool, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what `torch.save` writes and nothing else is a checkpoint; the records of large archives are read, too."""
    if large:
        monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 0)
    assert _read(_zip(tmp_path / "model.pt", names)) == Archive(checkpoint)


def test_with_comment(tmp_path: Path) -> None:
    """A comment as long as one may be stands behind the directory."""
    assert _read(_zip(tmp_path / "model.pt", SAVED, b"c" * 65535)) == Archive(True)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"PK\x03\x04" + bytes(100), Archive(fault="cut")),
        (b"\x9a\x13\xf0\x00", Archive(fault="no archive")),
        (b"weights\n", None),
        (b"", None),
    ],
)
def test_no_archives(content: bytes, found: Archive | None, tmp_path: Path) -> None:
    """What has no directory; a text says nothing."""
    path = tmp_path / "model.pt"
    path.write_bytes(content)
    assert _read(path) == found


@pytest.mark.parametrize("lost", [1, 10, 21, 22, 100])
def test_cut(lost: int, tmp_path: Path) -> None:
    """However little is lost of the record at the end, it is no directory any more."""
    path = _zip(tmp_path / "model.pt", SAVED)
    os.truncate(path, path.stat().st_size - lost)
    assert _read(path) == Archive(fault="cut")


@pytest.mark.parametrize(("size", "offset"), [(0, 1000), (1000, 0), (2**32 - 1, 0), (0, 2**32 - 1)])
def test_a_directory_that_lies_nowhere(size: int, offset: int, tmp_path: Path) -> None:
    """It says nothing: not even that the archive is empty."""
    path = tmp_path / "model.pt"
    path.write_bytes(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0, 0, size, offset, 0))
    assert _read(path) is None


def test_a_large_directory_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the most bytes is read, one of a byte more is not."""
    path = _zip(tmp_path / "model.pt", SAVED)
    (size,) = struct.unpack("<I", path.read_bytes()[-10:-6])
    monkeypatch.setattr(archive_file, "_MOST_BYTES", size)
    assert _read(path) == Archive(True)
    monkeypatch.setattr(archive_file, "_MOST_BYTES", size - 1)
    assert _read(path) is None


def test_other_kinds_and_no_files(tmp_path: Path) -> None:
    """What is told by its first bytes is not asked again, and what is no regular file is not opened."""
    (tmp_path / "page.pt").write_bytes(b"<html></html>")
    os.mkfifo(tmp_path / "pipe.pt")
    assert Contents().archive(str(tmp_path / "page.pt")) is None
    assert Contents().archive(str(tmp_path / "pipe.pt")) is None
    assert Contents().archive(str(tmp_path / "nowhere.pt")) is None


def test_length_of_a_large_file_costs_nothing(tmp_path: Path) -> None:
    """The beginning and the end are read, not what lies between."""
    path = tmp_path / "model.pt"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    os.truncate(path, 50 * 2**30)
    assert _read(path) == Archive(fault="cut")


_CHANGE = st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255))


@given(changes=st.lists(_CHANGE, max_size=8), kept=st.floats(0, 1))
def test_any_damage(changes: list[tuple[float, int]], kept: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A damaged archive gives an answer or None, never an exception."""
    path = _zip(tmp_path_factory.getbasetemp() / "damaged.pt", SAVED)
    content = bytearray(path.read_bytes())
    for place, byte in changes:
        content[int(place * len(content))] = byte
    path.write_bytes(bytes(content[: int(kept * len(content))]))
    found = _read(path)
    assert found is None or found.fault in ("", "cut", "no archive")
