"""Valid ensembles with their parts: a graph whose edges fit, so that each mutation breaks one thing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.conformance.draws import chance, some
from tests.conformance.frameworks import FRAMEWORKS, bare
from tests.conformance.sample import Part, Sample, config_class
from tests.conformance.valid_schedulers import dynamic
from tests.conformance.valid_tensors import tensor


@dataclass(slots=True)
class _Tensor:
    """A tensor of an ensemble, and whether a step consumes it."""

    name: str
    data_type: int
    dims: list[int]
    source: Any = None  # the entry of a step's output map that makes it: (step, key)
    used: bool = False


def ensemble_sample(random: Random, name: str) -> Sample:
    """One to four parts in a graph."""
    sample = Sample(name)
    whole = Part(config_class()(), folders=["1"])
    config = whole.config
    config.name = name
    config.platform = "ensemble"
    batch = config.max_batch_size = random.choice((0, 0, 1, 4, 8))
    sample.parts[name] = whole
    there: list[_Tensor] = []
    for number in some(random, 1, 4):
        _step(random, sample, config, there, number, batch)
    _outputs(random, config, there)
    return sample


def _step(random: Random, sample: Sample, config: Any, there: list[_Tensor], number: int, batch: int) -> None:
    name = f"{sample.name}_part{number}"
    framework = random.choice(FRAMEWORKS)
    part = bare(random, name, framework)
    part.config.max_batch_size = batch * random.choice((1, 1, 2))
    if "version_policy" in {field.name for field, _ in part.config.ListFields()}:
        part.config.ClearField("version_policy")
    step = config.ensemble_scheduling.step.add()
    step.model_name, step.model_version = name, -1
    for n in some(random, 1, 2):
        one = part.config.input.add()
        free = [have for have in there if not have.used]
        if there and chance(random, 0.75):
            have = random.choice(free or there)
            one.name, one.data_type = f"IN{n}", have.data_type
            one.dims.extend(-1 if chance(random, 0.1) else dim for dim in have.dims)
        else:
            tensor(random, one, f"IN{n}", framework, 0)
            one.ClearField("reshape")
            one.ClearField("is_shape_tensor")
            own = config.input.add()
            own.name, own.data_type = f"input_{number}_{n}", one.data_type
            own.dims.extend(one.dims)
            have = _Tensor(own.name, one.data_type, list(one.dims))
            there.append(have)
        have.used = True
        step.input_map[one.name] = have.name
    for n in some(random, 1, 2):
        one = part.config.output.add()
        tensor(random, one, f"OUT{n}", framework, 0)
        one.ClearField("reshape")
        one.ClearField("is_shape_tensor")
        made = _Tensor(f"tensor_{number}_{n}", one.data_type, list(one.dims), (step, one.name))
        step.output_map[one.name] = made.name
        there.append(made)
    if part.config.max_batch_size and chance(random, 0.3):
        dynamic(random, part.config)
    sample.parts[name] = part


def _outputs(random: Random, config: Any, there: list[_Tensor]) -> None:
    made = [one for one in there if one.source]
    outputs = [one for one in made if not one.used] or [made[-1]]
    for one in made:
        if one.used and one not in outputs and chance(random, 0.2):
            outputs.append(one)
    for n, one in enumerate(outputs):
        step, key = one.source
        if not one.used and n and chance(random, 0.3) and len(step.output_map) > 1:
            del step.output_map[key]  # an output of a part that nobody wants is just left out
            continue
        own = config.output.add()
        own.name, own.data_type = one.name, one.data_type
        own.dims.extend(one.dims)
