"""Valid configurations of all families: what a server loads if nothing is changed.

Everything is drawn from a `random.Random`: a seed gives bulk, hypothesis' own gives cases that shrink.
"""

from __future__ import annotations

from random import Random

from tests.conformance.draws import chance, some
from tests.conformance.ensembles import ensemble_sample
from tests.conformance.frameworks import FRAMEWORKS, PYTHON, WEIGHTS, bare
from tests.conformance.sample import Part, Sample
from tests.conformance.valid_extras import EXTRAS
from tests.conformance.valid_schedulers import scheduling
from tests.conformance.valid_tensors import input_only, tensor


def valid_sample(random: Random, name: str) -> Sample:
    """A repository of one model, seldom of a few, or of an ensemble and its parts."""
    if chance(random, 0.22):
        return ensemble_sample(random, name)
    sample = Sample(name)
    sample.parts[name] = model(random, name)
    if chance(random, 0.05):
        sample.parts[f"{name}_b"] = model(random, f"{name}_b")
    return sample


def model(random: Random, name: str) -> Part:
    """A model with a backend, tensors, and some of what else there is."""
    framework = PYTHON if chance(random, 0.015) else random.choices(FRAMEWORKS, WEIGHTS)[0]
    part = bare(random, name, framework)
    config = part.config
    config.max_batch_size = random.choice((0, 0, 1, 2, 4, 8, 8, 16, 32, 64, 128))
    for n in some(random, 1, 3):
        tensor(
            random, config.input.add(), f"{random.choice(('INPUT', 'in_', 'x'))}{n}", framework, config.max_batch_size
        )
    for n in some(random, 1, 3):
        tensor(
            random,
            config.output.add(),
            f"{random.choice(('OUTPUT', 'out_', 'y'))}{n}",
            framework,
            config.max_batch_size,
        )
        if chance(random, 0.12):
            config.output[n].label_filename = f"labels{n}.txt"
            part.files[f"labels{n}.txt"] = b"cat\ndog\n"
    for one in config.input:
        input_only(random, one, framework)
    scheduling(random, part)
    for share, extend in EXTRAS:
        if chance(random, share):
            extend(random, part, framework)
    return part
