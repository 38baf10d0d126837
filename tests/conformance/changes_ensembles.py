"""Mutations of ensembles by themselves. Labels E: the checks of one configuration."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.draws import chance
from tests.conformance.mutation import on_ensemble
from tests.conformance.sample import Sample


def whole_config(sample: Sample) -> Any:
    """The configuration of the ensemble."""
    return sample.parts[sample.name].config


def one_step(random: Random, sample: Sample) -> Any:
    """A step of the ensemble."""
    return random.choice(whole_config(sample).ensemble_scheduling.step)


def one_key(random: Random, entries: Any) -> str:
    """A key of a map; "" of an empty one."""
    return random.choice(sorted(entries)) if entries else ""


@on_ensemble("E1")
def forbidden_field(random: Random, sample: Sample, name: str) -> None:
    config = whole_config(sample)
    way = random.randrange(4)
    if way == 0:
        config.instance_group.add(kind=2)
    elif way == 1:
        config.optimization.SetInParent()
    elif way == 2:
        config.optimization.priority = 1
    else:
        config.model_warmup.add(name="w", batch_size=1)


@on_ensemble("E2")
def no_steps(random: Random, sample: Sample, name: str) -> None:
    whole_config(sample).ensemble_scheduling.ClearField("step")


@on_ensemble("E2")
def step_lacks_field(random: Random, sample: Sample, name: str) -> None:
    one_step(random, sample).ClearField(random.choice(("model_name", "input_map", "output_map")))


@on_ensemble("E3")
def written_twice(random: Random, sample: Sample, name: str) -> bool | None:
    step = one_step(random, sample)
    steps = whole_config(sample).ensemble_scheduling.step
    others = [value for one in steps for value in sorted(one.output_map.values())]
    if not step.output_map or not others:
        return False
    step.output_map[one_key(random, step.output_map)] = random.choice(others)
    return None


@on_ensemble("E4")
def unused_input(random: Random, sample: Sample, name: str) -> None:
    own = whole_config(sample).input.add(name="unused", data_type=11)
    own.dims.append(4)


@on_ensemble("E4")
def unmade_output(random: Random, sample: Sample, name: str) -> None:
    own = whole_config(sample).output.add(name="unmade", data_type=11)
    own.dims.append(4)


@on_ensemble("E4")
def dropped(random: Random, sample: Sample, name: str) -> None:
    config = whole_config(sample)
    tensors = random.choice((config.input, config.output))
    if len(tensors):
        del tensors[random.randrange(len(tensors))]


@on_ensemble("E5")
def not_written(random: Random, sample: Sample, name: str) -> bool | None:
    step = one_step(random, sample)
    if not step.input_map:
        return False
    step.input_map[one_key(random, step.input_map)] = "nowhere"
    return None


@on_ensemble("E5")
def own_output_as_input(random: Random, sample: Sample, name: str) -> bool | None:
    step = one_step(random, sample)
    if not step.input_map or not step.output_map:
        return False
    step.input_map[one_key(random, step.input_map)] = step.output_map[one_key(random, step.output_map)]
    return None


@on_ensemble("E6")
def unused_tensor(random: Random, sample: Sample, name: str) -> None:
    step = one_step(random, sample)
    step.output_map[random.choice(("EXTRA", "OUT0", "OUT1"))] = "nobody_wants"


@on_ensemble("E1")
def ensemble_batcher(random: Random, sample: Sample, name: str) -> None:
    config = whole_config(sample)
    way = random.randrange(4)
    if way == 0:
        config.response_cache.enable = True
    elif way == 1:
        config.model_transaction_policy.decoupled = True
    elif way == 2:
        config.backend = "ensemble"
    else:
        config.ClearField("platform")


@on_ensemble("I")
def own_tensor(random: Random, sample: Sample, name: str) -> bool | None:
    config = whole_config(sample)
    tensors = [*config.input, *config.output]
    if not tensors:
        return False
    one = random.choice(tensors)
    way = random.randrange(5)
    if way == 0:
        one.ClearField(random.choice(("name", "data_type", "dims")))
    elif way == 1:
        one.dims[:] = random.choice(([0], [-2], [], [3, 0]))
    elif way == 2:
        one.data_type = random.choice((1, 8, 11, 13))
    elif way == 3:
        one.dims[:] = [*one.dims, 1] if chance(random, 0.5) else [7 if dim > 0 else dim for dim in one.dims]
    else:
        one.reshape.shape[:] = [*one.dims, 1] if chance(random, 0.5) else [5]
    return None
