"""Mutations of sequence batchers and their controls. Labels as in changes_batching.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.batchers import only_control, sequence_batcher
from tests.conformance.mutation import on_config
from tests.conformance.valid_schedulers import CONTROLS, control


@on_config("G14")
def nameless_control(random: Random, config: Any) -> None:
    only_control(random, config, random.choice((0, 1, 2, 3)))
    config.sequence_batching.control_input[0].ClearField("name")


@on_config("G15")
def control_name_twice(random: Random, config: Any) -> None:
    batcher = sequence_batcher(config)
    batcher.ClearField("control_input")
    for kind in random.sample(sorted(CONTROLS.values()), 2):
        control(random, batcher.control_input.add(name="SAME").control.add(), kind)


@on_config("G15")
def two_kinds_in_one_entry(random: Random, config: Any) -> None:
    only_control(random, config, 0)
    control(random, config.sequence_batching.control_input[0].control.add(), random.choice((1, 2, 3)))


@on_config("G16")
def control_kind_twice(random: Random, config: Any) -> None:
    kind = random.choice(sorted(CONTROLS.values()))
    only_control(random, config, kind)
    batcher = config.sequence_batching
    entry = batcher.control_input[0] if random.random() < 0.4 else batcher.control_input.add(name="OTHER")
    control(random, entry.control.add(), kind)


@on_config("G17")
def control_without_values(random: Random, config: Any) -> None:
    one = only_control(random, config, random.choice((0, 1, 2)))
    for field in ("int32_false_true", "fp32_false_true", "bool_false_true"):
        one.ClearField(field)


@on_config("G17")
def control_with_two_lists(random: Random, config: Any) -> None:
    one = only_control(random, config, random.choice((0, 1, 2)))
    one.int32_false_true[:], one.fp32_false_true[:] = (0, 1), (0, 1)


@on_config("G18")
def control_with_odd_list(random: Random, config: Any) -> None:
    one = only_control(random, config, random.choice((0, 1, 2)))
    for field in ("int32_false_true", "fp32_false_true", "bool_false_true"):
        one.ClearField(field)
    random.choice((one.int32_false_true, one.fp32_false_true)).extend(random.choice(((1,), (0, 1, 2), (0,) * 4)))


@on_config("G19")
def correlation_with_values(random: Random, config: Any) -> None:
    only_control(random, config, 3).int32_false_true.extend((0, 1))


@on_config("G20")
def correlation_of_wrong_type(random: Random, config: Any) -> None:
    one = only_control(random, config, 3)
    one.data_type = random.choice((0, 1, 11, 6, 10))


@on_config("G21")
def oldest_preferred(random: Random, config: Any) -> None:
    batcher = sequence_batcher(config)
    batcher.oldest.max_candidate_sequences = 4
    batcher.oldest.preferred_batch_size.append(random.choice((0, -1, max(0, config.max_batch_size) + 1)))


@on_config("G22")
def slot_utilization(random: Random, config: Any) -> None:
    sequence_batcher(config).direct.minimum_slot_utilization = random.choice((-0.1, 1.5, 0.0, 1.0, float("nan"), -1.0))


@on_config("G22")
def iterative_without_decoupled(random: Random, config: Any) -> None:
    sequence_batcher(config).iterative_sequence = True
