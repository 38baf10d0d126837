"""Small binary files out of one line of text, so that a case can be read where it stands.

    (onnx ir 8 opset 17: images FP32[batch,3,224,224] -> scores FP32[batch,1000])
        After the tensors may follow, each behind a `;`: `weights a, b` (initializers of these names), `external
        a.bin, b.bin` (initializers whose data lie there), `operators Conv, Relu` (its nodes), `cut` (the last
        third is missing).
        A type without dims gives no shape; SEQUENCE and MAP are no tensors.
    (plan 10.3.0.26)   the beginning of a TensorRT plan
                       Behind any of these may follow `, 3 GiB`: the file is as long as that, zeros at its end.
    (library)          the beginning of a shared library
    (24 bytes)         so many zeros
    (hex 80 02 7d)     these bytes
    (zip m/data.pkl m/data/0)  an archive of empty files with these names; `; cut` behind them leaves its directory off

Writes the formats by itself: what reads them is not to be tested with its own mistakes.
"""

from __future__ import annotations

import os
import re
import shutil
import struct

ELEMENTS = {
    "FP32": 1,
    "UINT8": 2,
    "INT8": 3,
    "INT32": 6,
    "INT64": 7,
    "STRING": 8,
    "BOOL": 9,
    "FP16": 10,
    "FP64": 11,
    "COMPLEX64": 14,
    "BF16": 16,
    "FP8": 17,
}
_GROWN = re.compile(r"(?:, )?(\d+) GiB\)\s*$")
_TENSOR = re.compile(r"\s*([^\s,\[\]]+)\s+([A-Z0-9]+)(?:\[([^\]]*)\])?\s*(?:,|$)")
_ONNX = re.compile(r"\(onnx(?: ir (\d+))?(?: opset (\d+))?: (.*?)-> ([^;]*)(?:; (.*))?\)\s*", re.DOTALL)


def content(text: str) -> bytes:
    """The bytes that a text stands for; most texts stand for themselves."""
    if found := _ONNX.fullmatch(text):
        ir, opset, inputs, outputs, more = found.groups()
        return onnx(_tensors(inputs), _tensors(outputs), int(ir or 8), int(opset or 17), (more or "").split("; "))
    text = _GROWN.sub(")", text)
    if text.strip() == "()":
        return b""
    if found := re.fullmatch(r"\(plan (\d+)\.(\d+)\.(\d+)\.(\d+)\)\s*", text):
        return plan(*map(int, found.groups()))
    if text.strip() == "(library)":
        return b"\x7fELF\x02\x01\x01" + bytes(57)
    if found := re.fullmatch(r"\(hex ([0-9a-f ]+)\)\s*", text):
        return bytes.fromhex(found[1])
    if found := re.fullmatch(r"\(zip ([^;]*)(; cut)?\)\s*", text):
        return archive(found[1].split(), bool(found[2]))
    if found := re.fullmatch(r"\((\d+) bytes\)\s*", text):
        return bytes(int(found.group(1)))
    return text.encode()


def grown(text: str) -> int:
    """The whole length of a file that is as long as its text says, 0 for others."""
    found = _GROWN.search(text) if text.startswith("(") else None
    return int(found[1]) * 2**30 if found else 0


def copy_file(source: str, target: str) -> None:
    """Copies a file; one that has a hole up to its end, as the fixture of a large engine, keeps it."""
    status = os.stat(source)
    if status.st_blocks * 512 >= status.st_size:
        shutil.copy2(source, target)
        return
    with open(source, "rb") as file, open(target, "wb") as copy:
        hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE)
        file.seek(0)
        copy.write(file.read(hole))
        copy.truncate(status.st_size)


def plan(*version: int) -> bytes:
    """The beginning of a TensorRT plan."""
    return b"ftrt" + bytes(20) + bytes(version) + bytes(100)


def archive(names: list[str], cut: bool) -> bytes:
    """A zip archive of empty files."""
    local, directory = b"", b""
    for name in map(str.encode, names):
        common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0)
        directory += b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + name
        local += b"PK\x03\x04" + common + name
    count = len(names)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(local), 0)
    return local + (bytes(40) if cut else directory + end)


def network(inputs: list[str], outputs: list[str]) -> bytes:
    """An OpenVINO model of tensors with these names."""
    lines = ['<?xml version="1.0"?>', '<net name="model" version="11">', "<layers>"]
    edges = []
    for number, name in enumerate([*inputs, *outputs]):
        kind = "Parameter" if number < len(inputs) else "ReLU"
        lines += [f'<layer id="{number}" name="{name}" type="{kind}" version="opset1">']
        lines += ['<data shape="?,3" element_type="f32" />', f'<output><port id="0" precision="FP32" names="{name}">']
        lines += ["<dim>-1</dim><dim>3</dim></port></output>", "</layer>"]
    for number, name in enumerate(outputs, len(inputs)):
        result = number + len(outputs)
        lines += [f'<layer id="{result}" name="{name}/result" type="Result" version="opset1" />']
        edges += [f'<edge from-layer="{number}" from-port="0" to-layer="{result}" to-port="0" />']
    return "\n".join([*lines, "</layers>", "<edges>", *edges, "</edges>", "</net>", ""]).encode()


Tensor = tuple[str, str, str | None]


def _tensors(text: str) -> list[Tensor]:
    found, at = [], 0
    while text[at:].strip():
        one = _TENSOR.match(text, at)
        assert one, f"no tensor: {text[at:]}"
        found.append((one[1], one[2], one[3]))
        at = one.end()
    return found


def onnx(
    inputs: list[Tensor], outputs: list[Tensor], ir: int = 8, opset: int = 17, more: list[str] | None = None
) -> bytes:
    """An ONNX model of one node, or of some."""
    parts = dict(part.strip().partition(" ")[::2] for part in more or () if part)
    graph = b""
    for name in parts.get("operators", "Relu").split(", "):
        graph += bytes_field(1, bytes_field(1, b"x") + bytes_field(2, b"y") + bytes_field(4, name.encode()))
    for name in filter(None, parts.get("weights", "").split(", ")):
        graph += bytes_field(5, number(1, 2) + number(2, 1) + bytes_field(8, name.encode()) + bytes_field(9, bytes(8)))
    for place in filter(None, parts.get("external", "").split(", ")):
        entry = bytes_field(1, b"location") + bytes_field(2, place.encode())
        graph += bytes_field(
            5, number(1, 2) + number(2, 1) + bytes_field(8, b"w") + bytes_field(13, entry) + number(14, 1)
        )
    for field, tensors in ((11, inputs), (12, outputs)):
        for one in tensors:
            graph += bytes_field(field, value_info(one))
    model = number(1, ir) + bytes_field(2, b"tests") + bytes_field(7, graph)
    model += bytes_field(8, bytes_field(1, b"") + number(2, opset)) + bytes_field(
        8, bytes_field(1, b"ai.onnx.ml") + number(2, 3)
    )
    return model[: len(model) * 2 // 3] if "cut" in parts else model


def value_info(tensor: Tensor) -> bytes:
    name, kind, dims = tensor
    if kind in ("SEQUENCE", "MAP"):
        return bytes_field(1, name.encode()) + bytes_field(2, bytes_field(4 if kind == "SEQUENCE" else 5, b""))
    shape = b""
    for dim in (one.strip() for one in (dims or "").split(",") if one.strip()):
        fixed = re.fullmatch(r"-?\d+", dim)
        one = number(1, int(dim)) if fixed and dim != "-1" else bytes_field(2, dim.encode()) if dim != "-1" else b""
        shape += bytes_field(1, one)
    inside = number(1, ELEMENTS[kind]) + (bytes_field(2, shape) if dims is not None else b"")
    return bytes_field(1, name.encode()) + bytes_field(2, bytes_field(1, inside))


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    out, value = b"", value & 0xFFFFFFFFFFFFFFFF
    while value > 127:
        out, value = out + struct.pack("B", value & 127 | 128), value >> 7
    return out + struct.pack("B", value)


def number(field: int, value: int) -> bytes:
    """A field that holds a number."""
    return varint(field << 3) + varint(value)


def bytes_field(field: int, value: bytes) -> bytes:
    """A field that holds bytes, a text or a message."""
    return varint(field << 3 | 2) + varint(len(value)) + value
