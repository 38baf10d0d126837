"""Mutations of ensembles and their parts. Labels X: the checks across models."""

from __future__ import annotations

from random import Random

from tests.conformance.changes_ensembles import one_key, one_step, whole_config
from tests.conformance.draws import chance
from tests.conformance.mutation import on_ensemble
from tests.conformance.sample import Part, Sample, config_class


def _part(random: Random, sample: Sample) -> Part:
    """A part of the ensemble that can be changed. IndexError where there is none."""
    names = [
        one
        for one, part in sample.parts.items()
        if one != sample.name and part.config is not None and part.text is None
    ]
    return sample.parts[random.choice(names)]


@on_ensemble("X1")
def unknown_model(random: Random, sample: Sample, name: str) -> None:
    one_step(random, sample).model_name = random.choice(("nowhere", f"{sample.name}_part9", "Resnet"))


@on_ensemble("X2")
def cycle(random: Random, sample: Sample, name: str) -> None:
    one_step(random, sample).model_name = sample.name


@on_ensemble("X3")
def broken_part(random: Random, sample: Sample, name: str) -> None:
    part = _part(random, sample)
    part.config.max_batch_size = -1


@on_ensemble("X4")
def step_version(random: Random, sample: Sample, name: str) -> None:
    step = one_step(random, sample)
    step.model_version = random.choice((0, 1, 1, 5, -2))
    if chance(random, 0.3):
        step.ClearField("model_version")


@on_ensemble("X5")
def part_batch(random: Random, sample: Sample, name: str) -> None:
    part = _part(random, sample)
    part.config.ClearField("dynamic_batching")
    part.config.max_batch_size = random.choice((0, 1, 2, 16))


@on_ensemble("X5")
def ensemble_batch(random: Random, sample: Sample, name: str) -> None:
    whole_config(sample).max_batch_size = random.choice((0, 1, 64))


@on_ensemble("X6")
def unknown_key(random: Random, sample: Sample, name: str) -> bool | None:
    step = one_step(random, sample)
    entries = random.choice((step.input_map, step.output_map))
    key = one_key(random, entries)
    if not key:
        return False
    value = entries[key]
    del entries[key]
    entries[random.choice(("nowhere", "", key.lower()))] = value
    return None


@on_ensemble("X7")
def unmapped_input(random: Random, sample: Sample, name: str) -> None:
    part = _part(random, sample)
    one = part.config.input.add(name="more", data_type=11)
    one.dims.append(4)
    if chance(random, 0.4):
        one.optional = True


@on_ensemble("X8")
def part_tensor(random: Random, sample: Sample, name: str) -> bool | None:
    part = _part(random, sample)
    if not part.config.input or not part.config.output:
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
def decoupled_part(random: Random, sample: Sample, name: str) -> None:
    part = _part(random, sample)
    part.config.model_transaction_policy.decoupled = True


@on_ensemble("X10")
def part_is_gone(random: Random, sample: Sample, name: str) -> bool | None:
    names = [one for one in sample.parts if one != sample.name]
    if not names:
        return False
    del sample.parts[random.choice(names)]
    return None


@on_ensemble("X11")
def part_without_tensors(random: Random, sample: Sample, name: str) -> None:
    part = _part(random, sample)
    part.config.ClearField(random.choice(("input", "output")))


@on_ensemble("X12")
def nested(random: Random, sample: Sample, name: str) -> bool | None:
    """An ensemble around the ensemble."""
    inner, outer = whole_config(sample), f"{sample.name}_outer"
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
