"""Mutations of ensembles and their parts. Labels E: the checks of one configuration, X: those across models."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_ensemble
from tests.conformance.sample import Part, Sample, config_class
from tests.conformance.valid import chance


def _config(sample: Sample) -> Any:
    return sample.parts[sample.name].config


def _step(random: Random, sample: Sample) -> Any:
    return random.choice(_config(sample).ensemble_scheduling.step)


def _key(random: Random, entries: Any) -> str:
    return random.choice(sorted(entries)) if entries else ""


def _part(random: Random, sample: Sample) -> Part | None:
    names = [
        one
        for one, part in sample.parts.items()
        if one != sample.name and part.config is not None and part.text is None
    ]
    return sample.parts[random.choice(names)] if names else None


@on_ensemble("E1")
def forbidden_field(random: Random, sample: Sample, name: str) -> None:
    config = _config(sample)
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
    _config(sample).ensemble_scheduling.ClearField("step")


@on_ensemble("E2")
def step_lacks_field(random: Random, sample: Sample, name: str) -> None:
    _step(random, sample).ClearField(random.choice(("model_name", "input_map", "output_map")))


@on_ensemble("E3")
def written_twice(random: Random, sample: Sample, name: str) -> bool | None:
    step = _step(random, sample)
    others = [value for one in _config(sample).ensemble_scheduling.step for value in sorted(one.output_map.values())]
    if not step.output_map or not others:
        return False
    step.output_map[_key(random, step.output_map)] = random.choice(others)
    return None


@on_ensemble("E4")
def unused_input(random: Random, sample: Sample, name: str) -> None:
    own = _config(sample).input.add(name="unused", data_type=11)
    own.dims.append(4)


@on_ensemble("E4")
def unmade_output(random: Random, sample: Sample, name: str) -> None:
    own = _config(sample).output.add(name="unmade", data_type=11)
    own.dims.append(4)


@on_ensemble("E4")
def dropped(random: Random, sample: Sample, name: str) -> None:
    config = _config(sample)
    tensors = random.choice((config.input, config.output))
    if len(tensors):
        del tensors[random.randrange(len(tensors))]


@on_ensemble("E5")
def not_written(random: Random, sample: Sample, name: str) -> bool | None:
    step = _step(random, sample)
    if not step.input_map:
        return False
    step.input_map[_key(random, step.input_map)] = "nowhere"
    return None


@on_ensemble("E5")
def own_output_as_input(random: Random, sample: Sample, name: str) -> bool | None:
    step = _step(random, sample)
    if not step.input_map or not step.output_map:
        return False
    step.input_map[_key(random, step.input_map)] = step.output_map[_key(random, step.output_map)]
    return None


@on_ensemble("E6")
def unused_tensor(random: Random, sample: Sample, name: str) -> bool | None:
    step = _step(random, sample)
    step.output_map[random.choice(("EXTRA", "OUT0", "OUT1"))] = "nobody_wants"
    return None


@on_ensemble("E1")
def ensemble_batcher(random: Random, sample: Sample, name: str) -> None:
    config = _config(sample)
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
    config = _config(sample)
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


@on_ensemble("X1")
def unknown_model(random: Random, sample: Sample, name: str) -> None:
    _step(random, sample).model_name = random.choice(("nowhere", f"{sample.name}_part9", "Resnet"))


@on_ensemble("X2")
def cycle(random: Random, sample: Sample, name: str) -> None:
    _step(random, sample).model_name = sample.name


@on_ensemble("X3")
def broken_part(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None:
        return False
    part.config.max_batch_size = -1
    return None


@on_ensemble("X4")
def step_version(random: Random, sample: Sample, name: str) -> None:
    step = _step(random, sample)
    step.model_version = random.choice((0, 1, 1, 5, -2))
    if chance(random, 0.3):
        step.ClearField("model_version")


@on_ensemble("X5")
def part_batch(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None:
        return False
    part.config.ClearField("dynamic_batching")
    part.config.max_batch_size = random.choice((0, 1, 2, 16))
    return None


@on_ensemble("X5")
def ensemble_batch(random: Random, sample: Sample, name: str) -> None:
    _config(sample).max_batch_size = random.choice((0, 1, 64))


@on_ensemble("X6")
def unknown_key(random: Random, sample: Sample, name: str) -> bool | None:
    step = _step(random, sample)
    entries = random.choice((step.input_map, step.output_map))
    key = _key(random, entries)
    if not key:
        return False
    value = entries[key]
    del entries[key]
    entries[random.choice(("nowhere", "", key.lower()))] = value
    return None


@on_ensemble("X7")
def unmapped_input(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None:
        return False
    one = part.config.input.add(name="more", data_type=11)
    one.dims.append(4)
    if chance(random, 0.4):
        one.optional = True
    return None


@on_ensemble("X8")
def part_tensor(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None or not part.config.input or not part.config.output:
        return False
    one = random.choice([*part.config.input, *part.config.output])
    way = random.randrange(4)
    if way == 0:
        one.data_type = random.choice((1, 8, 11, 13))
    elif way == 1:
        one.dims[:] = [*one.dims, 1] if chance(random, 0.5) else [7 if dim > 0 else dim for dim in one.dims]
    elif way == 2:
        one.dims[:] = [-1] * len(one.dims)
    else:
        one.name = "renamed"
    return None


@on_ensemble("X9")
def decoupled_part(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None:
        return False
    part.config.model_transaction_policy.decoupled = True
    return None


@on_ensemble("X10")
def part_is_gone(random: Random, sample: Sample, name: str) -> bool | None:
    names = [one for one in sample.parts if one != sample.name]
    if not names:
        return False
    del sample.parts[random.choice(names)]
    return None


@on_ensemble("X11")
def part_without_tensors(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if part is None:
        return False
    part.config.ClearField(random.choice(("input", "output")))
    return None


@on_ensemble("X12")
def nested(random: Random, sample: Sample, name: str) -> bool | None:
    """An ensemble around the ensemble."""
    inner, outer = _config(sample), f"{sample.name}_outer"
    if outer in sample.parts or not inner.input or not inner.output:
        return False
    config = config_class()()
    config.name, config.platform, config.max_batch_size = outer, "ensemble", inner.max_batch_size
    step = config.ensemble_scheduling.step.add(model_name=sample.name, model_version=-1)
    for one in inner.input:
        config.input.add(name=one.name, data_type=one.data_type).dims.extend(one.dims)
        step.input_map[one.name] = one.name
    for one in inner.output:
        config.output.add(name=one.name, data_type=one.data_type).dims.extend(one.dims)
        step.output_map[one.name] = one.name
    if chance(random, 0.3):
        inner.ensemble_scheduling.step[0].model_name = outer
    sample.parts[outer] = Part(config, folders=["1"])
    return None
