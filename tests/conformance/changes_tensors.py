"""Mutations of tensors: inputs, outputs, batch inputs, labels. Labels as in changes_batching.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_config, on_part
from tests.conformance.sample import Part


def _one(random: Random, config: Any) -> Any:
    return random.choice([*config.input, *config.output])


@on_config("I1")
def without_name(random: Random, config: Any) -> None:
    _one(random, config).ClearField("name")


@on_config("I1")
def without_type(random: Random, config: Any) -> None:
    _one(random, config).ClearField("data_type")


@on_config("I1")
def without_dims(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.ClearField("dims")
    one.ClearField("reshape")


@on_config("I1")
def without_tensors(random: Random, config: Any) -> None:
    config.ClearField(random.choice(("input", "output")))
    config.ClearField("batch_input")
    config.ClearField("batch_output")


@on_config("I1")
def odd_type(random: Random, config: Any) -> None:
    _one(random, config).data_type = 99


@on_config("I2")
def bad_dim(random: Random, config: Any) -> None:
    one = _one(random, config)
    if not one.dims:
        one.dims.append(1)
    one.dims[random.randrange(len(one.dims))] = random.choice((0, -2, -(2**40)))


@on_config("I3")
def empty_reshape(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.dims[:] = random.choice(([1], [1, 1], [2], [-1]))
    one.ClearField("reshape")
    one.reshape.SetInParent()


@on_config("I4")
def bad_reshape_dim(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.reshape.shape.append(random.choice((0, -2)))


@on_config("I5")
def other_size(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.dims[:], one.reshape.shape[:] = random.choice((([4], [2, 3]), ([2, 3], [5]), ([1, 16], [4, 4, 2]), ([2], [1])))


@on_config("I6")
def other_count_of_variables(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.dims[:], one.reshape.shape[:] = random.choice((([-1, 4], [4]), ([4], [-1]), ([-1, -1], [-1]), ([-1], [-1, -1])))


@on_config("I7")
def other_runs(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.dims[:], one.reshape.shape[:] = random.choice(
        (([2, 4, -1, 6], [8, -1, 6]), ([2, 4, -1, 6], [2, -1, 4, 6]), ([3, -1], [-1, 3]), ([2, -1, 3], [-1, 6]))
    )


@on_config("I8")
def huge_dims(random: Random, config: Any) -> None:
    one = _one(random, config)
    one.ClearField("reshape")
    one.dims[:] = [2**32, 2**32]
    if random.random() < 0.6:
        one.reshape.shape[:] = random.choice(([2**32, 2**32, 1], [2**32, 2**32, 16], [16], [1]))


@on_config("I9")
def format_needs_three(random: Random, config: Any) -> None:
    one = random.choice(config.input)
    one.format = random.choice((1, 2))
    one.ClearField("reshape")
    one.dims[:] = random.choice(([3, 224, 224], [224, 224], [3], [1, 3, 4, 4], [-1, -1, 3]))


@on_config("I10")
def shape_tensor(random: Random, config: Any) -> None:
    _one(random, config).is_shape_tensor = True


@on_config("I11")
def non_linear(random: Random, config: Any) -> None:
    _one(random, config).is_non_linear_format_io = True


@on_config("I12")
def batch_input_sources(random: Random, config: Any) -> None:
    entry = config.batch_input.add(kind=0, target_name=["T"], data_type=8)
    entry.source_input.extend(random.choice(([], [config.input[0].name] * 2)))


@on_config("I13")
def batch_input_type(random: Random, config: Any) -> None:
    config.batch_input.add(
        kind=0, target_name=["T"], data_type=random.choice((0, 9, 10, 13)), source_input=[config.input[0].name]
    )


@on_config("I14")
def batch_input_source(random: Random, config: Any) -> None:
    config.batch_input.add(
        kind=0, target_name=["T"], data_type=8, source_input=[random.choice(("nowhere", config.output[0].name))]
    )


@on_config("I15")
def batch_output_source(random: Random, config: Any) -> None:
    entry = config.batch_output.add(kind=0, target_name=[config.output[0].name])
    entry.source_input.extend(random.choice(([], ["nowhere"], [config.input[0].name] * 2)))


@on_config("I15")
def batch_output_target(random: Random, config: Any) -> None:
    name = config.output[0].name
    targets = random.choice((["nowhere"], [name, name], [name], []))
    config.batch_output.add(kind=0, target_name=targets, source_input=[config.input[0].name])
    if random.random() < 0.3:
        config.batch_output.add(kind=0, target_name=[name], source_input=[config.input[0].name])


@on_config("I16")
def optional(random: Random, config: Any) -> None:
    random.choice(config.input).optional = True


@on_config("I")
def name_twice(random: Random, config: Any) -> None:
    tensors = random.choice((config.input, config.output))
    tensors.add().CopyFrom(tensors[0])


@on_part("L20")
def label_file(random: Random, part: Part) -> None:
    one = random.choice(part.config.output)
    place = random.choice(("none.txt", "1/labels.txt", "", "../labels.txt", "/etc/hostname", "sub/labels.txt"))
    one.label_filename = place
    if place.startswith(("1/", "sub/")) and random.random() < 0.6:
        part.files[place] = b"a\n"


@on_part("L20", crashes=True)
def label_folder(random: Random, part: Part) -> None:
    part.config.output[0].label_filename = "labels"
    part.folders.append("labels")
