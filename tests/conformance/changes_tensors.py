"""Mutations of tensors: inputs, outputs, batch inputs, states, warmup. Labels as in changes_config.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_config, on_part
from tests.conformance.sample import Part
from tests.conformance.valid import byte_size, initial_state


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


def _state(random: Random, part: Part) -> Any:
    config = part.config
    config.ClearField("dynamic_batching")
    config.ClearField("response_cache")
    if config.sequence_batching.state:
        return config.sequence_batching.state[0]
    one = config.sequence_batching.state.add(input_name="s_in", output_name="s_out", data_type=11)
    one.dims.extend((2, -1) if random.random() < 0.3 else (4,))
    return one


def _initial(random: Random, part: Part) -> tuple[Any, Any]:
    one = _state(random, part)
    if not one.initial_state:
        initial_state(random, part, one, "begin")
    return one, one.initial_state[0]


# Every refusal of an initial state ends the server too, in a part of the loads.
@on_part("S1", crashes=True)
def initial_type(random: Random, part: Part) -> None:
    one, initial = _initial(random, part)
    initial.data_type = 9 if one.data_type != 9 else 8


@on_part("S2", crashes=True)
def initial_name(random: Random, part: Part) -> None:
    _initial(random, part)[1].ClearField("name")


@on_part("S4", crashes=True)
def initial_rank(random: Random, part: Part) -> None:
    _initial(random, part)[1].dims.append(1)


@on_part("S5", crashes=True)
def initial_dim(random: Random, part: Part) -> None:
    one, initial = _initial(random, part)
    one.dims[0] = 4
    initial.dims[0] = random.choice((-1, 3, 0))


@on_part("S7", crashes=True)
def initial_without_data(random: Random, part: Part) -> None:
    initial = _initial(random, part)[1]
    initial.ClearField("zero_data")
    initial.ClearField("data_file")


@on_part("S8", crashes=True)
def initial_file(random: Random, part: Part) -> None:
    _, initial = _initial(random, part)
    initial.ClearField("zero_data")
    initial.data_file = "begin.bin"
    way = random.randrange(3)
    part.files.pop("initial_state/begin.bin", None)
    if way:
        part.files["initial_state/begin.bin"] = b"\0" if way == 1 else bytes(100_000)


@on_part("S9", crashes=True)
def initial_twice(random: Random, part: Part) -> None:
    one, initial = _initial(random, part)
    one.initial_state.add().CopyFrom(initial)


@on_part("S10")
def state_names(random: Random, part: Part) -> None:
    one = _state(random, part)
    way = random.randrange(5)
    if way == 0:
        part.config.sequence_batching.state.add().CopyFrom(one)
    elif way == 1:
        one.ClearField(random.choice(("input_name", "output_name")))
    elif way == 2:
        one.ClearField(random.choice(("data_type", "dims")))
        one.ClearField("initial_state")
    elif way == 3:
        one.ClearField("initial_state")
        one.dims[0] = random.choice((0, -2))
    else:
        one.input_name = part.config.input[0].name if part.config.input else "x"


@on_part("S11")
def growable(random: Random, part: Part) -> None:
    one = _state(random, part)
    one.use_growable_memory = True
    one.use_same_buffer_for_input_output = random.random() < 0.5


def _sample(random: Random, part: Part) -> Any:
    """The value of the first input in a sample that fits."""
    config = part.config
    if not config.input:
        return None
    del config.model_warmup[:]
    warmup = config.model_warmup.add(name="sample", batch_size=1)
    for one in config.input:
        value = warmup.inputs[one.name]
        value.data_type, value.zero_data = one.data_type, True
        value.dims.extend(2 if dim == -1 else dim for dim in one.dims)
    return warmup.inputs[config.input[0].name]


@on_part("W")
def warmup_dims(random: Random, part: Part) -> bool | None:
    value = _sample(random, part)
    if value is None:
        return False
    value.dims[:] = random.choice(([-1], [1, 2, 3, 4, 5, 6], [], [*value.dims, 1], [*list(value.dims)[:-1], 77]))
    return None


@on_part("W")
def warmup_without_data(random: Random, part: Part) -> bool | None:
    value = _sample(random, part)
    if value is None:
        return False
    value.ClearField("zero_data")
    return None


@on_part("W")
def warmup_type(random: Random, part: Part) -> bool | None:
    value = _sample(random, part)
    if value is None:
        return False
    value.data_type = random.choice((0, 1, 8, 13))
    return None


@on_part("W")
def warmup_file(random: Random, part: Part) -> bool | None:
    value = _sample(random, part)
    if value is None:
        return False
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
def warmup_inputs(random: Random, part: Part) -> bool | None:
    if _sample(random, part) is None:
        return False
    inputs = part.config.model_warmup[0].inputs
    way = random.randrange(3)
    if way == 0:
        del inputs[part.config.input[0].name]
    elif way == 1:
        inputs["nowhere"].zero_data = True
    else:
        inputs.clear()
    return None


@on_part("W")
def warmup_batch(random: Random, part: Part) -> bool | None:
    if _sample(random, part) is None:
        return False
    warmup = part.config.model_warmup[0]
    warmup.batch_size = random.choice((0, 2, max(0, part.config.max_batch_size) + 1))
    warmup.ClearField("name")
    return None


@on_part("W", crashes=True)
def warmup_folder(random: Random, part: Part) -> bool | None:
    value = _sample(random, part)
    if value is None:
        return False
    value.input_data_file = "data"
    part.folders.append("warmup/data")
    return None
