"""OpenVINO networks, and the version of plans: what is read, and that no text does harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.binaries import network, plan
from tritoncheck.modelfile.contents import Contents
from tritoncheck.modelfile.network_file import NetworkTensor, parse_network
from tritoncheck.modelfile.plan_file import plan_version

PLAIN = network(["images", "scale"], ["scores"])


def test_what_a_network_says() -> None:
    found = parse_network(PLAIN)
    assert found is not None
    assert found.version == 11
    assert found.inputs == (
        NetworkTensor(("images",), "f32", (-1, 3)),
        NetworkTensor(("scale",), "f32", (-1, 3)),
    )
    assert found.outputs == (NetworkTensor(("scores",), "f32", (-1, 3)),)
    assert not found.weights
    assert found.inputs[0].data_type == "TYPE_FP32"


def test_names_shapes_and_constants() -> None:
    text = PLAIN.replace(b'names="scores"', b'names="a\\,b,c"').replace(
        b'type="Result"', b'type="Result" output_names="d"'
    )
    text = text.replace(b"<layers>", b'<layers><layer id="9" type="Const"><data offset="0" size="12" /></layer>')
    found = parse_network(
        text.replace(b'shape="?,3"', b'shape="1..8,3,?"', 1).replace(b'shape="?,3"', b'shape="..."', 1)
    )
    assert found is not None
    assert found.outputs[0].names == ("a,b", "c", "d")
    assert found.weights
    assert [one.dims for one in found.inputs] == [(-1, 3, -1), None]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b'<net version="11"><layers>', "no element found"),
        (b"<net>\n<layers></net>", "mismatched tag"),
        (PLAIN[:-20], "unclosed token"),
    ],
)
def test_faults(text: bytes, fault: str) -> None:
    found = parse_network(text)
    assert found is not None
    assert found.fault == fault


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<html></html>",
        b"no xml",
        b"\xff\xfe<\0",
        b'<!DOCTYPE net [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><net>&b;</net>',
        b'<!DOCTYPE net [<!ENTITY a SYSTEM "file:///etc/passwd">]><net>&a;</net>',
        b'<!DOCTYPE net [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><net></net>',
    ],
)
def test_what_is_no_network_or_wants_more(text: bytes) -> None:
    assert parse_network(text) is None


@given(data=st.data())
def test_no_bytes_do_harm(data: st.DataObject) -> None:
    changed = bytearray(PLAIN)
    for _ in range(data.draw(st.integers(1, 6))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    parse_network(bytes(changed))


@pytest.mark.parametrize(
    ("head", "version"),
    [
        (plan(10, 3, 0, 26), (10, 3, 0, 26)),
        (plan(10, 3, 0, 26)[:28], (10, 3, 0, 26)),
        (plan(10, 3, 0, 26)[:27], None),
        (plan(7, 2, 3, 4), None),
        (b"ftrt\x01" + plan(10, 3, 0, 26)[5:], None),
        (b"ptrt" + plan(10, 3, 0, 26)[4:], None),
        (b"", None),
    ],
)
def test_the_version_of_a_plan(head: bytes, version: tuple[int, ...] | None) -> None:
    assert plan_version(head) == version


def test_each_file_is_read_once(tmp_path: Path) -> None:
    """What was read stays, also when the file is gone; what was not there stays so too."""
    contents, path = Contents(), tmp_path / "model.xml"
    path.write_bytes(PLAIN)
    found = contents.network(str(path))
    assert found is not None
    assert contents.module(str(tmp_path / "model.py")) is None
    path.unlink()
    assert contents.network(str(path)) is found
    assert contents.kind(str(path)) == "an XML file"
