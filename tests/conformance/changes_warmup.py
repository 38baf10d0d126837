"""Mutations of warmup. Labels as in changes_batching.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_part
from tests.conformance.sample import Part
from tests.conformance.valid_tensors import byte_size


def _sample(part: Part) -> Any:
    """The value of the first input in a sample that fits. IndexError where there is no input."""
    config = part.config
    first = config.input[0].name
    del config.model_warmup[:]
    warmup = config.model_warmup.add(name="sample", batch_size=1)
    for one in config.input:
        value = warmup.inputs[one.name]
        value.data_type, value.zero_data = one.data_type, True
        value.dims.extend(2 if dim == -1 else dim for dim in one.dims)
    return warmup.inputs[first]


@on_part("W")
def warmup_dims(random: Random, part: Part) -> None:
    value = _sample(part)
    value.dims[:] = random.choice(([-1], [1, 2, 3, 4, 5, 6], [], [*value.dims, 1], [*list(value.dims)[:-1], 77]))


@on_part("W")
def warmup_without_data(random: Random, part: Part) -> None:
    value = _sample(part)
    value.ClearField("zero_data")


@on_part("W")
def warmup_type(random: Random, part: Part) -> None:
    value = _sample(part)
    value.data_type = random.choice((0, 1, 8, 13))


@on_part("W")
def warmup_file(random: Random, part: Part) -> bool | None:
    value = _sample(part)
    kinds = value.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number
    if value.data_type not in kinds:
        return False
    value.input_data_file = "data"
    size = byte_size(kinds[value.data_type].name, value.dims)
    way = random.randrange(4)
    if way and 0 < size < 10**7:
        part.files["warmup/data"] = bytes((size, max(0, size - 1), size + 100)[way - 1])
    return None


@on_part("W")
def warmup_inputs(random: Random, part: Part) -> None:
    _sample(part)
    inputs = part.config.model_warmup[0].inputs
    way = random.randrange(3)
    if way == 0:
        del inputs[part.config.input[0].name]
    elif way == 1:
        inputs["nowhere"].zero_data = True
    else:
        inputs.clear()


@on_part("W")
def warmup_batch(random: Random, part: Part) -> None:
    _sample(part)
    warmup = part.config.model_warmup[0]
    warmup.batch_size = random.choice((0, 2, max(0, part.config.max_batch_size) + 1))
    warmup.ClearField("name")


@on_part("W", crashes=True)
def warmup_folder(random: Random, part: Part) -> None:
    value = _sample(part)
    value.input_data_file = "data"
    part.folders.append("warmup/data")
