"""What the `.xml` of an OpenVINO model says: tensors in and out, and whether weights lie in a `.bin` beside it.

Format: OpenVINO IR version 10 and 11. No entity is expanded and nothing outside is fetched: a text that declares one
is not read on. Knows nothing of configurations.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

SIZE_LIMIT = 32 * 1024 * 1024
_ELEMENTS = 1_000_000

# element_type -> data type of ModelConfig (openvino_backend `openvino_utils.cc`, `ConvertFromOpenVinoElementType`).
DATA_TYPES = {
    "f16": "TYPE_FP16",
    "f32": "TYPE_FP32",
    "i8": "TYPE_INT8",
    "i16": "TYPE_INT16",
    "i32": "TYPE_INT32",
    "i64": "TYPE_INT64",
    "u8": "TYPE_UINT8",
    "u16": "TYPE_UINT16",
    "u32": "TYPE_UINT32",
    "u64": "TYPE_UINT64",
    "boolean": "TYPE_BOOL",
}


class NetworkTensor(NamedTuple):
    """One input or output. names: all that it has, none where the file gives none. dims: -1 for what is not fixed,
    None where the shape is not given."""

    names: tuple[str, ...]
    element: str = ""
    dims: tuple[int, ...] | None = None

    @property
    def data_type(self) -> str:
        """Its type in a configuration, "" where there is none."""
        return DATA_TYPES.get(self.element, "")


class Network(NamedTuple):
    """One file. version: of the format; before 11 tensors have no names of their own. weights: whether it has
    constants, which lie in the `.bin`. fault: what is wrong with the text, and line: where; "" if it can be read."""

    version: int = 0
    inputs: tuple[NetworkTensor, ...] = ()
    outputs: tuple[NetworkTensor, ...] = ()
    weights: bool = False
    fault: str = ""
    line: int = 1


class _Stop(Exception):
    """More, or other, than is looked at."""


def parse_network(content: bytes) -> Network | None:
    """What the bytes of an OpenVINO model say; None for another kind of text, or one with too many elements."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = reader.entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        return Network(fault=expat.ErrorString(error.code), line=error.lineno) if reader.is_network else None
    except _Stop:
        return None
    return reader.network() if reader.is_network else None


class _Reader:
    """Collects while the parser goes through the text."""

    def __init__(self) -> None:
        self.is_network = False
        self._version = 0
        self._count = 0
        self._path: list[str] = []
        self._layer: dict[str, str] = {}
        self._port: tuple[str, str] | None = None
        self._dims: list[int] | None = None
        self._weights = False
        self._inputs: list[tuple[str, str]] = []
        self._results: list[tuple[str, tuple[str, ...]]] = []
        self._ports: dict[tuple[str, str], NetworkTensor] = {}
        self._edges: dict[str, tuple[str, str]] = {}
        self._shapes: dict[str, tuple[int, ...] | None] = {}

    def entity(self, *_: object) -> None:
        raise _Stop

    def start(self, tag: str, given: dict[str, str]) -> None:
        self._count += 1
        if self._count > _ELEMENTS:
            raise _Stop
        if not self._path:
            self.is_network = tag == "net"
            if not self.is_network:
                raise _Stop
            version = given.get("version", "")
            self._version = int(version) if re.fullmatch("[0-9]{1,4}", version) else 0
        self._path.append(tag)
        depth = len(self._path)
        if tag == "layer" and depth == 3:
            self._layer = given
            if given.get("type") == "Result":
                self._results.append((given.get("id", ""), _names(given.get("output_names", ""))))
        elif tag == "data" and depth == 4 and self._layer:
            self._data(given)
        elif tag == "port" and depth == 5 and self._path[3] == "output":
            self._open_port(given)
        elif tag == "dim" and self._port is not None:
            self._dims = [] if self._dims is None else self._dims
        elif tag == "edge" and depth == 3:
            self._edges[given.get("to-layer", "")] = (given.get("from-layer", ""), given.get("from-port", ""))

    def _data(self, given: dict[str, str]) -> None:
        kind, number = self._layer.get("type"), self._layer.get("id", "")
        if kind == "Const":
            self._weights = self._weights or given.get("size", "0") != "0"
        elif kind == "Parameter":
            self._shapes[number] = _shape(given.get("shape"))

    def _open_port(self, given: dict[str, str]) -> None:
        self._port, self._dims = (self._layer.get("id", ""), given.get("id", "")), None
        if self._layer.get("type") == "Parameter":
            self._inputs.append(self._port)
        element = _ELEMENTS_OF.get(given.get("precision", ""), "")
        self._ports[self._port] = NetworkTensor(_names(given.get("names", "")), element)

    def text(self, data: str) -> None:
        if self._dims is not None and self._path[-1] == "dim" and self._port is not None:
            self._dims.append(int(data) if re.fullmatch(r"\s*-?[0-9]{1,18}\s*", data) else -1)

    def end(self, tag: str) -> None:
        self._path.pop()
        if tag == "port" and self._port is not None:
            dims = tuple(self._dims or ())
            self._ports[self._port] = self._ports[self._port]._replace(dims=dims)
            self._port, self._dims = None, None
        elif tag == "layer" and len(self._path) == 2:
            self._layer = {}

    def network(self) -> Network:
        """What was collected."""
        inputs = tuple(
            self._ports[port]._replace(dims=self._shapes.get(port[0], self._ports[port].dims)) for port in self._inputs
        )
        outputs = []
        for number, names in self._results:
            port = self._ports.get(self._edges.get(number, ("", "")), NetworkTensor(()))
            outputs.append(port._replace(names=port.names + names))
        return Network(self._version, inputs, tuple(outputs), self._weights)


# `precision` of a port -> element type.
_ELEMENTS_OF = {
    "FP16": "f16",
    "FP32": "f32",
    "I8": "i8",
    "I16": "i16",
    "I32": "i32",
    "I64": "i64",
    "U8": "u8",
    "U16": "u16",
    "U32": "u32",
    "U64": "u64",
    "BOOL": "boolean",
}


def _names(text: str) -> tuple[str, ...]:
    """`images,a\\,b` as names."""
    return tuple(one.replace("\0", ",").strip() for one in text.replace("\\,", "\0").split(",") if one)


def _shape(text: str | None) -> tuple[int, ...] | None:
    """`1,3,?,1..8` as numbers, -1 for what is not fixed; None where no rank is given."""
    if text is None or text.strip() == "...":
        return None
    return tuple(int(part) if part.strip().isdecimal() else -1 for part in text.split(",") if part.strip())
