"""Valid tensors: what inputs, outputs and batch inputs may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.conformance.draws import chance, some
from tests.conformance.frameworks import Framework
from tests.conformance.sample import Part

_KINDS = ("BOOL", "UINT8", "INT8", "INT32", "INT64", "FP16", "FP32", "FP64", "STRING", "BF16", "UINT64")

TYPES = tuple(f"TYPE_{one}" for one in _KINDS)

_SIZES = {"BOOL": 1, "UINT8": 1, "INT8": 1, "FP16": 2, "BF16": 2, "INT64": 8, "FP64": 8, "UINT64": 8}


def byte_size(data_type: str, dims: Sequence[int]) -> int:
    """Bytes of a tensor of fixed dims."""
    return _SIZES.get(data_type.removeprefix("TYPE_"), 4) * math.prod(dims)


def tensor(random: Random, one: Any, name: str, framework: Framework, batch: int) -> None:
    """An input or output: name, type, dims, maybe a reshape."""
    one.name, one.data_type = name, draw_type(random, one)
    one.dims.extend(random.choice((1, 2, 3, 4, 16, -1)) for _ in some(random, 1, 4))
    if chance(random, 0.2):
        one.dims[-1] = 224
    if chance(random, 0.15):
        _reshape(random, one, batch)
    if (
        framework.backend == "tensorrt"
        and "reshape" not in {field.name for field, _ in one.ListFields()}
        and chance(random, 0.05)
    ):
        one.is_shape_tensor = True


def draw_type(random: Random, one: Any) -> int:
    """The number of a data type for a field `data_type` of this message."""
    kinds = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_name
    return int(kinds[random.choice(TYPES)].number)


def _reshape(random: Random, one: Any, batch: int) -> None:
    dims = list(one.dims)
    way = random.randrange(4)
    if way == 0 and batch and all(dim == 1 for dim in dims):
        one.reshape.SetInParent()
    elif way == 1:
        one.reshape.shape.extend([1, *dims])
    elif way == 2 and -1 not in dims:
        one.reshape.shape.append(math.prod(dims))
    else:
        one.reshape.shape.extend([*dims, 1])


def input_only(random: Random, one: Any, framework: Framework) -> None:
    """What an input may have besides."""
    if len(one.dims) == 3 and chance(random, 0.2):
        one.format = random.choice((1, 2))
    if framework.optional and chance(random, 0.1):
        one.optional = True
    elif chance(random, 0.08):
        one.allow_ragged_batch = True


def batch_input(random: Random, part: Part, framework: Framework) -> None:
    """An input that the batcher makes, and maybe a scattered output."""
    config = part.config
    entry = config.batch_input.add()
    entry.kind = random.choice((0, 1, 2, 3))
    entry.target_name.append("BATCH_AUX")
    entry.data_type = (
        entry.DESCRIPTOR.fields_by_name["data_type"]
        .enum_type.values_by_name[random.choice(("TYPE_INT32", "TYPE_FP32"))]
        .number
    )
    entry.source_input.append(config.input[0].name)
    if chance(random, 0.5):
        scatter = config.batch_output.add()
        scatter.kind = 0
        scatter.target_name.append(config.output[0].name)
        scatter.source_input.append(config.input[0].name)
