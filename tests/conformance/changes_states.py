"""Mutations of the states of sequences. Labels as in changes_batching.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_part
from tests.conformance.sample import Part
from tests.conformance.valid_schedulers import initial_state


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
