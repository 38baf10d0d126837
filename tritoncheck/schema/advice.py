"""What somebody may have meant who wrote a name that does not exist. Only ever called for a wrong text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tritoncheck.schema.descriptors import MessageInfo

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


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, None if none is near. Case and `-` for `_` do not count."""
    from difflib import get_close_matches

    names = list(known)
    if _KNOWN.get(name) in names:
        return _KNOWN[name]
    folded = {one.lower(): one for one in names}
    close = get_close_matches(name.lower().replace("-", "_"), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def homes(name: str, root: MessageInfo) -> list[str]:
    """Where a field of this name does exist: paths of the blocks that have it, the shortest first."""
    return sorted(_homes(name, root, "", frozenset()), key=lambda path: (path.count("."), path))


def _homes(name: str, info: MessageInfo, path: str, above: frozenset[str]) -> Iterator[str]:
    if info.name in above:
        return
    for field in info.fields.values():
        if field.message is None or field.is_map:
            continue
        inner = f"{path}.{field.name}" if path else field.name
        if name in field.message.fields:
            yield inner
        yield from _homes(name, field.message, inner, above | {info.name})
