"""How large tensors are, and what their types are called. Knows nothing of models.

Source: common `model_config.cc` `GetDataTypeByteSize`, `GetElementCount`, 21.05 to 26.06.
"""

from __future__ import annotations

from collections.abc import Iterable

# DataType of `model_config.proto`: name and bytes an element; 0 where the size varies.
_TYPES = (
    *(("TYPE_INVALID", 0), ("TYPE_BOOL", 1), ("TYPE_UINT8", 1), ("TYPE_UINT16", 2), ("TYPE_UINT32", 4)),
    *(("TYPE_UINT64", 8), ("TYPE_INT8", 1), ("TYPE_INT16", 2), ("TYPE_INT32", 4), ("TYPE_INT64", 8)),
    *(("TYPE_FP16", 2), ("TYPE_FP32", 4), ("TYPE_FP64", 8), ("TYPE_STRING", 0), ("TYPE_BF16", 2)),
)


def type_name(data_type: int) -> str:
    """`TYPE_FP32`; the number of a type that there is not."""
    return _TYPES[data_type][0] if 0 <= data_type < len(_TYPES) else str(data_type)


def byte_size(data_type: int, dims: Iterable[int]) -> int | None:
    """The bytes of a tensor; None where the type or a dimension varies or is unknown."""
    size = _TYPES[data_type][1] if 0 <= data_type < len(_TYPES) else 0
    for dim in dims:
        if dim < 0:
            return None
        size *= dim
    return size or None
