"""Valid schedulers: dynamic and sequence batchers, controls, states."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.draws import chance, some
from tests.conformance.sample import Part
from tests.conformance.valid_tensors import byte_size, draw_type


def scheduling(random: Random, part: Part) -> None:
    """No batcher, or one of both kinds."""
    way = random.random()
    if way < 0.3:
        dynamic(random, part.config)
    elif way < 0.48:
        sequence(random, part)


def dynamic(random: Random, config: Any) -> None:
    """A dynamic batcher."""
    batcher, batch = config.dynamic_batching, config.max_batch_size
    batcher.SetInParent()
    if batch > 0 and chance(random, 0.5):
        batcher.preferred_batch_size.extend(sorted({random.randint(1, batch) for _ in some(random, 1, 3)}))
    if chance(random, 0.5):
        batcher.max_queue_delay_microseconds = random.choice((0, 100, 5000))
    if chance(random, 0.25):
        batcher.preserve_ordering = True
    if chance(random, 0.3):
        levels = batcher.priority_levels = 1 if batcher.preserve_ordering else random.randint(1, 5)
        batcher.default_priority_level = random.randint(1, levels)
        for level in range(1, levels + 1):
            if chance(random, 0.4):
                queue_policy(random, batcher.priority_queue_policy[level], batcher.preserve_ordering)
    if chance(random, 0.3):
        queue_policy(random, batcher.default_queue_policy, batcher.preserve_ordering)


def queue_policy(random: Random, policy: Any, ordered: bool) -> None:
    """A queue policy; one that delays does not go with a preserved order."""
    policy.timeout_action = 0 if ordered else random.choice((0, 1))
    policy.default_timeout_microseconds = random.choice((0, 1000, 100_000))
    policy.allow_timeout_override = chance(random, 0.3)
    policy.max_queue_size = random.choice((0, 1, 64))


CONTROLS = {
    "CONTROL_SEQUENCE_START": 0,
    "CONTROL_SEQUENCE_READY": 1,
    "CONTROL_SEQUENCE_END": 2,
    "CONTROL_SEQUENCE_CORRID": 3,
}


def sequence(random: Random, part: Part) -> None:
    """A sequence batcher with controls and maybe states."""
    config = part.config
    batcher = config.sequence_batching
    batcher.SetInParent()
    if chance(random, 0.4):
        batcher.max_sequence_idle_microseconds = random.choice((0, 5_000_000))
    for kind in random.sample(sorted(CONTROLS), random.randint(0, 4)):
        entry = batcher.control_input.add()
        entry.name = kind.removeprefix("CONTROL_SEQUENCE_")
        control(random, entry.control.add(), CONTROLS[kind])
    way = random.random()
    if way < 0.35:
        batcher.direct.SetInParent()
        if chance(random, 0.5):
            batcher.direct.minimum_slot_utilization = random.choice((0.0, 0.5, 1.0))
            batcher.direct.max_queue_delay_microseconds = 1000
    elif way < 0.7:
        batcher.oldest.max_candidate_sequences = random.choice((1, 4, 64))
        if config.max_batch_size > 0 and chance(random, 0.5):
            batcher.oldest.preferred_batch_size.append(random.randint(1, config.max_batch_size))
    if chance(random, 0.35):
        for n in some(random, 1, 2):
            state(random, part, batcher.state.add(), n)


def control(random: Random, one: Any, kind: int) -> None:
    """A control of a kind: a type for the correlation ID, two values for the others."""
    one.kind = kind
    if kind == CONTROLS["CONTROL_SEQUENCE_CORRID"]:
        one.data_type = random.choice((8, 9, 4, 13, 5))  # INT32, INT64, UINT64, STRING, …
        kinds = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_name
        one.data_type = kinds[
            random.choice(("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING"))
        ].number
        return
    way = random.choice(("int32_false_true", "fp32_false_true", "bool_false_true"))
    getattr(one, way).extend((False, True) if way.startswith("bool") else (0, 1))


def state(random: Random, part: Part, one: Any, n: int) -> None:
    """A state, maybe with data to begin with."""
    one.input_name, one.output_name = f"state_in_{n}", f"state_out_{n}"
    one.data_type = draw_type(random, one)
    one.dims.extend(random.choice((1, 4, 16, -1)) for _ in some(random, 1, 3))
    if chance(random, 0.4):
        initial_state(random, part, one, f"initial_{n}")


def initial_state(random: Random, part: Part, one: Any, name: str) -> None:
    """Data that a state begins with, zeros or a file."""
    data = one.initial_state.add()
    data.name, data.data_type = name, one.data_type
    data.dims.extend(2 if dim == -1 else dim for dim in one.dims)
    kind = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number[one.data_type].name
    if kind == "TYPE_STRING" or chance(random, 0.6):
        data.zero_data = True
    else:
        data.data_file = f"{name}.bin"
        part.files[f"initial_state/{name}.bin"] = bytes(byte_size(kind, data.dims))
