"""What somebody may have meant who wrote a name that does not exist. Only ever called for a wrong text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from tritoncheck.schema.descriptors import MessageInfo, message_info

# Names that people write, with what they mean, where likeness alone does not find it. Source: the PyTorch backend's
# own README (`default_model_name`) and questions asked of Triton's developers.
_KNOWN = {
    "default_model_name": "default_model_filename",
    "dynamic_batch": "dynamic_batching",
    "max_batchsize": "max_batch_size",
    "gpu": "gpus",
    "instance_groups": "instance_group",
    "instances": "instance_group",
    "inputs": "input",
    "outputs": "output",
    "max_queue_delay": "max_queue_delay_microseconds",
    "model_name": "name",
    "dtype": "data_type",
    "shape": "dims",
    "datatype": "data_type",
}
# Names of data types elsewhere (NumPy, PyTorch, ONNX, TensorRT), without `TYPE_`, with Triton's.
_TYPES = {
    "FLOAT": "FP32",
    "FLOAT16": "FP16",
    "FLOAT32": "FP32",
    "FLOAT64": "FP64",
    "HALF": "FP16",
    "DOUBLE": "FP64",
    "FP": "FP32",
    "INT": "INT32",
    "LONG": "INT64",
    "BYTES": "STRING",
    "STR": "STRING",
    "BYTE": "UINT8",
    "BFLOAT16": "BF16",
    "BFP16": "BF16",
    "BOOLEAN": "BOOL",
}
_SIZELESS = frozenset(("FP", "INT"))
# Names that nobody means by a name like them: an empty `model_repository_agents { }` ends the server.
_NEVER_MEANT = frozenset(("model_repository_agents",))
_SLIP = 0.85  # likeness from which on a name is a slip of the pen: `data_typ`, `outptu`, `maxBatchSize`
_LONGEST = 64  # names beyond this length are no slip of the pen, and comparing them takes long


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, None if none is near. Case and `-` for `_` do not count."""
    return _nearest(name, tuple(known))


@lru_cache(maxsize=1024)
def _nearest(name: str, names: tuple[str, ...]) -> str | None:
    from difflib import get_close_matches

    if _KNOWN.get(name) in names:
        return _KNOWN[name]
    if len(name) > _LONGEST:
        return None
    folded = {one.lower(): one for one in names if one not in _NEVER_MEANT or is_slip(name, one)}
    close = get_close_matches(name.lower().replace("-", "_"), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def nearest_value(text: str, values: list[str]) -> str | None:
    """The enum value that was meant: `TYPE_FLOAT32` is `TYPE_FP32`, `fp16` is `TYPE_FP16`, `gpu` is `KIND_GPU`."""
    prefix = values[0].split("_")[0] + "_" if values else ""
    plain = text.upper().removeprefix(prefix)
    meant = prefix + _TYPES.get(plain, plain)
    return meant if meant in values else nearest(text, values)


def exact_value(text: str, values: list[str]) -> str:
    """The enum value that is the same by another name, `TYPE_FP32` for `fp32` or `FLOAT32`; "" where a guess would be
    needed: `INT` and `FP` have sizes that nobody wrote."""
    prefix = values[0].split("_")[0] + "_" if values else ""
    plain = text.upper().removeprefix(prefix)
    meant = prefix + _TYPES.get(plain, plain)
    return meant if meant in values and plain not in _SIZELESS else ""


def meant_name(name: str, known: list[str], here: str) -> str | None:
    """The field that was meant by an unknown name in the block with the path `here`.

    None where no name is near, or where a block further in has a field of exactly this name.
    """
    inside = here and any(home.startswith(f"{here}.") for home in homes(name))
    return None if inside and name not in _KNOWN else nearest(name, known)


def is_slip(name: str, meant: str) -> bool:
    """Whether a name is so like another that what stands behind it is the other's value."""
    from difflib import SequenceMatcher

    folded = name.lower().replace("-", "_")
    return _KNOWN.get(name) == meant or SequenceMatcher(None, folded, meant).ratio() >= _SLIP


@lru_cache(maxsize=1024)
def homes(name: str) -> tuple[str, ...]:
    """Where a field of this name does exist in ModelConfig: paths of the blocks that have it, the shortest first."""
    found = set(_homes(name, message_info(), "", frozenset()))
    return tuple(sorted(found, key=lambda path: (path.count("."), path)))


def _homes(name: str, info: MessageInfo, path: str, above: frozenset[str]) -> Iterator[str]:
    if info.name in above:
        return
    if name in info.fields:
        yield path
    for field in info.fields.values():
        if field.message is not None and not field.is_map:
            inner = f"{path}.{field.name}" if path else field.name
            yield from _homes(name, field.message, inner, above | {info.name})
