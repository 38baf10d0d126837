"""ONNX files: what is read of them, that weights are not, and that no file does harm."""

from __future__ import annotations

import os
import time
from pathlib import Path

import onnx as reference
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.binaries import bytes_field, content, number, onnx, value_info, varint
from tritoncheck.modelfile.onnx_file import OnnxModel, OnnxTensor, convolves, parse_onnx
from tritoncheck.modelfile.window import Window


def entry(key: str, value: str) -> bytes:
    """An entry of `external_data`."""
    return bytes_field(13, bytes_field(1, key.encode()) + bytes_field(2, value.encode()))


PLAIN = content("(onnx ir 9 opset 18: x FP32[batch,3], n INT64[] -> y FP16[-1,10]; weights w)")


def _read(tmp_path: Path, content: bytes) -> OnnxModel | None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    return read_onnx(str(path))


def read_onnx(path: str) -> OnnxModel | None:
    """An ONNX file; None where it cannot be opened."""
    window = Window.open(path)
    if window is None:
        return None
    with window:
        return parse_onnx(window)


def test_what_a_file_says(tmp_path: Path) -> None:
    found = _read(tmp_path, PLAIN)
    assert found == OnnxModel(
        ir=9,
        opset=18,
        inputs=(OnnxTensor("x", "tensor", 1, ("batch", 3)), OnnxTensor("n", "tensor", 7, ())),
        outputs=(OnnxTensor("y", "tensor", 10, ("", 10)),),
    )
    assert [one.data_type for one in found.inputs] == ["TYPE_FP32", "TYPE_INT64"]
    assert found.outputs[0].shape == (-1, 10)


def test_an_input_with_initializer_need_not_be_given(tmp_path: Path) -> None:
    found = _read(tmp_path, content("(onnx: x FP32[1], w FP32[2] -> y FP32[1]; weights w)"))
    assert found is not None
    assert [one.name for one in found.inputs] == ["x"]
    assert found.optional == {"w"}


def test_external_data_and_what_is_no_tensor(tmp_path: Path) -> None:
    found = _read(tmp_path, content("(onnx: x FP32 -> y SEQUENCE, z COMPLEX64[1]; external a.bin, sub/b.bin, a.bin)"))
    assert found is not None
    assert found.external == ("a.bin", "sub/b.bin")
    assert found.inputs[0].dims is None
    assert [(one.kind, one.data_type) for one in found.outputs] == [("sequence", ""), ("tensor", "")]


@pytest.mark.parametrize(
    ("said", "external"),
    [
        (number(14, 1) + entry("location", "a.bin"), ("a.bin",)),
        (entry("location", "a.bin") + entry("offset", "12") + number(14, 1), ("a.bin",)),
        (number(14, 0) + entry("location", "a.bin"), ()),
        (entry("location", "a.bin"), ()),
        (number(14, 1) + entry("offset", "12"), ()),
    ],
)
def test_where_weights_lie(tmp_path: Path, said: bytes, external: tuple[str, ...]) -> None:
    """Beside the file only where `data_location` says EXTERNAL; of the entries, the location."""
    weight = number(1, 7) + number(2, 1) + bytes_field(8, b"w") + said
    found = _read(tmp_path, number(1, 8) + bytes_field(7, bytes_field(5, weight)))
    assert found is not None
    assert found.external == external


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (PLAIN[:-1], "cut"),
        (PLAIN[:40], "cut"),
        (b"\x08\x08\x12\x07pytorch", "no graph"),
        (b"\x08\x08\x12\x02xx\x0f", "malformed"),
        (b"\x08\x08\x3a\x02\x0a\x7f", "cut"),
        (b"", "no graph"),
    ],
)
def test_faults(tmp_path: Path, content: bytes, fault: str) -> None:
    found = _read(tmp_path, content)
    assert found is not None
    assert found.fault == fault


def test_two_gigabytes_cost_no_more_than_the_graph(tmp_path: Path) -> None:
    """The weights are a hole in a sparse file: to read them would take seconds, to pass over them takes none."""
    weights = 2**31 - 2**20
    inner = number(1, 1) + number(2, 1) + bytes_field(8, b"w")
    whole = len(inner) + len(varint(9 << 3 | 2) + varint(weights)) + weights
    after = bytes_field(11, value_info(("x", "FP32", "n,3")))
    head = varint(5 << 3 | 2) + varint(whole) + inner + varint(9 << 3 | 2) + varint(weights)
    path = tmp_path / "model.onnx"
    with open(path, "wb") as file:
        file.write(number(1, 8) + varint(7 << 3 | 2) + varint(len(head) + weights + len(after)) + head)
        file.seek(weights, os.SEEK_CUR)
        file.write(after + bytes_field(8, number(2, 17)))
    assert path.stat().st_size > 2**31 - 2**21
    before = _bytes_read()
    found = read_onnx(str(path))
    assert found is not None
    assert (found.opset, found.inputs[0].name) == (17, "x")
    assert _bytes_read() - before < 100_000


def _bytes_read() -> int:
    """All bytes that this process has read from files, cached or not."""
    lines = Path("/proc/self/io").read_text().splitlines() if os.path.exists("/proc/self/io") else ["rchar: 0"]
    return int(lines[0].split()[1])


def test_a_graph_without_end_is_given_up(tmp_path: Path) -> None:
    began = time.monotonic()
    assert _read(tmp_path, number(1, 8) + bytes_field(7, b"\x0a\x00" * 1_500_000)) is None
    assert time.monotonic() - began < 60


@given(data=st.data())
def test_no_bytes_do_harm(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    changed = bytearray(PLAIN)
    for _ in range(data.draw(st.integers(1, 6))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.integers(0, len(changed)))
    _read(tmp_path_factory.getbasetemp(), bytes(changed[:length]) + data.draw(st.binary(max_size=20)))


@pytest.mark.parametrize("path", ["nothing", "", "\0", "."])
def test_what_is_no_file(path: str) -> None:
    assert read_onnx(path) is None
    assert convolves(path) is None


@pytest.mark.parametrize(
    ("operators", "cut", "found"),
    [
        ("Relu, Conv", "", True),
        ("ConvTranspose", "", True),
        ("Relu, MatMul", "", False),
        ("ConvInteger", "", False),
        ("Relu", "; cut", None),
    ],
)
def test_convolutions(tmp_path: Path, operators: str, cut: str, found: bool | None) -> None:
    """By the names of the operators; what is cut off tells nothing."""
    path = tmp_path / "model.onnx"
    path.write_bytes(content(f"(onnx: x FP32[n,3,h,w] -> y FP32[n]; operators {operators}{cut})"))
    assert convolves(str(path)) is found


def test_the_same_as_the_onnx_package(tmp_path: Path) -> None:
    """Every model that the package brings along, and one with all that we write ourselves."""
    folder = Path(reference.__file__).parent / "backend" / "test" / "data"
    brought = sorted(folder.rglob("*.onnx"))
    assert len(brought) > 100
    own = tmp_path / "own.onnx"
    own.write_bytes(onnx([("x", "FP32", "n,3"), ("w", "FP32", "2")], [("y", "MAP", None)], 8, 17, ["weights w"]))
    for path in [own, *brought]:
        model = reference.load(str(path), load_external_data=False)
        weights = {one.name for one in model.graph.initializer}
        found = read_onnx(str(path))
        assert found is not None
        assert not found.fault
        assert found.ir == model.ir_version
        assert [_own(one) for one in found.inputs] == [
            _theirs(one) for one in model.graph.input if one.name not in weights
        ]
        assert [_own(one) for one in found.outputs] == [_theirs(one) for one in model.graph.output]


def _own(one: OnnxTensor) -> tuple[object, ...]:
    return one.name, one.element, one.dims


def _theirs(one: object) -> tuple[object, ...]:
    tensor = one.type.tensor_type  # type: ignore[attr-defined]
    dims = tuple(each.dim_value if each.HasField("dim_value") else each.dim_param for each in tensor.shape.dim)
    return one.name, tensor.elem_type, dims if tensor.HasField("shape") else None  # type: ignore[attr-defined]
