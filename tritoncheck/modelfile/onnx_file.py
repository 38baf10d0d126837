"""What an ONNX file says of itself: tensors in and out, opsets, and the files its weights lie in. No weights are read.

Numbers of fields and types: onnx `onnx.proto`, IR version 13. That the `onnx` package is not used is on purpose: it
reads all weights into memory, and the base installation is to do without it. Knows nothing of configurations.
"""

from __future__ import annotations

from typing import NamedTuple

from tritoncheck.modelfile.window import Window
from tritoncheck.modelfile.wire import VARINT, Malformed, TooMuch, Walk, signed

# More fields than this are in no graph that was ever seen; at a microsecond each it bounds the time.
FIELDS = 1_000_000
_LOCATIONS = 1000

# ONNX element type -> data type of ModelConfig (onnxruntime_backend `onnxruntime_utils.cc`,
# `ConvertFromOnnxDataType`; BF16 since 26.03). What is not listed has none: complex, float8, int4.
DATA_TYPES = {
    1: "TYPE_FP32",
    2: "TYPE_UINT8",
    3: "TYPE_INT8",
    4: "TYPE_UINT16",
    5: "TYPE_INT16",
    6: "TYPE_INT32",
    7: "TYPE_INT64",
    8: "TYPE_STRING",
    9: "TYPE_BOOL",
    10: "TYPE_FP16",
    11: "TYPE_FP64",
    12: "TYPE_UINT32",
    13: "TYPE_UINT64",
    16: "TYPE_BF16",
}
# Operators that ONNX Runtime gives to cuDNN as convolutions, of the standard's domain.
CONVOLUTIONS = frozenset(("Conv", "ConvTranspose"))
# Field of TypeProto -> what such a value is.
_KINDS = {1: "tensor", 4: "sequence", 5: "map", 8: "sparse tensor", 9: "optional"}


class OnnxTensor(NamedTuple):
    """One input or output. kind: `tensor`, `sequence`, `map`, … ("" if not said). element: number of its type.

    dims: a number, a symbolic name, or "" for each dimension; None where the file gives no shape.
    """

    name: str
    kind: str = ""
    element: int = 0
    dims: tuple[int | str, ...] | None = None

    @property
    def data_type(self) -> str:
        """Its type in a configuration, "" where there is none."""
        return DATA_TYPES.get(self.element, "")

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape as ONNX Runtime gives it: -1 for what is not fixed."""
        return None if self.dims is None else tuple(one if isinstance(one, int) else -1 for one in self.dims)


class OnnxModel(NamedTuple):
    """One file. inputs: those that a request must give; optional: the names of those that have an initializer.

    opset: that of the standard operators, 0 if none is named. external: files that hold weights, as written.
    fault: why the file cannot be read as ONNX: `cut` (it ends too soon), `malformed`, `no graph`, or `no
    model`, where it does not even begin like one; "" if it can.
    """

    ir: int = 0
    opset: int = 0
    inputs: tuple[OnnxTensor, ...] = ()
    outputs: tuple[OnnxTensor, ...] = ()
    optional: frozenset[str] = frozenset()
    external: tuple[str, ...] = ()
    fault: str = ""


def parse_onnx(window: Window) -> OnnxModel | None:
    """What an open file says; None where it cannot be read or holds more than anything that makes sense."""
    try:
        return _model(window, Walk(window, FIELDS))
    except Malformed as error:
        return OnnxModel(fault="cut" if error.cut else "malformed")
    except (TooMuch, OSError):
        return None


def convolves(path: str) -> bool | None:
    """Whether the main graph of an ONNX file has a convolution; None where that cannot be told. Reads the names of the
    operators up to the first, so it costs more than `parse_onnx` and is asked for by itself."""
    window = Window.open(path)
    if window is None:
        return None
    with window:
        walk = Walk(window, FIELDS)
        try:
            for number, start, stop in walk.message(0, window.size):
                if number == 7 and stop != VARINT:
                    return any(
                        _operator(walk, at, end) in CONVOLUTIONS
                        for field, at, end in walk.message(start, stop)
                        if field == 1 and end != VARINT
                    )
        except (Malformed, TooMuch, OSError):
            return None
    return False


def _operator(walk: Walk, start: int, stop: int) -> str:
    """The `op_type` of a NodeProto; "" for one of another domain than the standard's."""
    kind = domain = ""
    for number, at, end in walk.message(start, stop):
        if number == 4:
            kind = walk.text(at, end)
        elif number == 7:
            domain = walk.text(at, end)
    return kind if domain in ("", "ai.onnx") else ""


def _model(window: Window, walk: Walk) -> OnnxModel:
    ir = opset = 0
    graph: tuple[int, int] | None = None
    for number, start, stop in walk.message(0, window.size):
        if number == 1 and stop == VARINT:
            ir = signed(start)
        elif number == 7 and stop != VARINT:
            graph = (start, stop)
        elif number == 8 and stop != VARINT:
            domain, version = _opset(walk, start, stop)
            if domain in ("", "ai.onnx"):
                opset = version
    if graph is None:
        return OnnxModel(ir, opset, fault="no graph")
    inputs, outputs, weights = [], [], []
    for number, start, stop in walk.message(*graph):
        if stop == VARINT:
            continue
        if number == 5:
            weights.append((start, stop))
        elif number == 11:
            inputs.append(_tensor(walk, start, stop))
        elif number == 12:
            outputs.append(_tensor(walk, start, stop))
    names = {one.name for one in inputs}
    optional, external = set(), dict[str, None]()
    for start, stop in weights:
        name, location = _weight(walk, start, stop)
        if name in names:
            optional.add(name)
        if location and len(external) < _LOCATIONS:
            external[location] = None
    required = tuple(one for one in inputs if one.name not in optional)
    return OnnxModel(ir, opset, required, tuple(outputs), frozenset(optional), tuple(external))


def _opset(walk: Walk, start: int, stop: int) -> tuple[str, int]:
    domain, version = "", 0
    for number, at, end in walk.message(start, stop):
        if number == 1:
            domain = walk.text(at, end)
        elif number == 2 and end == VARINT:
            version = signed(at)
    return domain, version


def _weight(walk: Walk, start: int, stop: int) -> tuple[str, str]:
    """The name of an initializer, and the file that its data lie in, "" for this one."""
    name, location, outside = "", "", False
    for number, at, end in walk.message(start, stop):
        if number == 8:
            name = walk.text(at, end)
        elif number == 13 and end != VARINT:
            key, value = _entry(walk, at, end)
            location = value if key == "location" else location
        elif number == 14 and end == VARINT:
            outside = at == 1
    return name, location if outside else ""


def _entry(walk: Walk, start: int, stop: int) -> tuple[str, str]:
    key = value = ""
    for number, at, end in walk.message(start, stop):
        if number == 1:
            key = walk.text(at, end)
        elif number == 2:
            value = walk.text(at, end)
    return key, value


def _tensor(walk: Walk, start: int, stop: int) -> OnnxTensor:
    """A ValueInfoProto."""
    name, kind, element = "", "", 0
    dims: tuple[int | str, ...] | None = None
    for number, at, end in walk.message(start, stop):
        if number == 1:
            name = walk.text(at, end)
        elif number == 2 and end != VARINT:
            for choice, inner, inner_end in walk.message(at, end):
                if choice in _KINDS and inner_end != VARINT:
                    kind = _KINDS[choice]
                    element, dims = _shaped(walk, inner, inner_end) if choice == 1 else (0, None)
    return OnnxTensor(name, kind, element, dims)


def _shaped(walk: Walk, start: int, stop: int) -> tuple[int, tuple[int | str, ...] | None]:
    """A TypeProto.Tensor: type and dimensions."""
    element, dims = 0, None
    for number, at, end in walk.message(start, stop):
        if number == 1 and end == VARINT:
            element = at
        elif number == 2 and end != VARINT:
            dims = tuple(_dim(walk, *each[1:]) for each in walk.message(at, end) if each[0] == 1 and each[2] != VARINT)
    return element, dims


def _dim(walk: Walk, start: int, stop: int) -> int | str:
    found: int | str = ""
    for number, at, end in walk.message(start, stop):
        if number == 1 and end == VARINT:
            found = signed(at)
        elif number == 2:
            found = walk.text(at, end)
    return found
