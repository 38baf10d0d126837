"""Repositories to ask about: valid ones, and valid ones with one to three mutations, as hypothesis draws them."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.conformance.mutation import mutate
from tests.conformance.sample import Sample
from tests.conformance.valid import valid_sample

# In this order the mutations stand in the list from which a seed draws: another one makes other repositories.
# isort: off
from tests.conformance import changes_batching  # noqa: F401
from tests.conformance import changes_sequences  # noqa: F401
from tests.conformance import changes_instances  # noqa: F401
from tests.conformance import changes_ensembles  # noqa: F401
from tests.conformance import changes_parts  # noqa: F401
from tests.conformance import changes_layout  # noqa: F401
from tests.conformance import changes_tensors  # noqa: F401
from tests.conformance import changes_states  # noqa: F401
from tests.conformance import changes_warmup  # noqa: F401
# isort: on

SHARE_VALID, SHARE_CRASHES = 0.3, 0.03


def make(random: Random, name: str) -> Sample:
    """One repository; its models' names begin with `name`."""
    sample = valid_sample(random, name)
    way = random.random()
    if way >= SHARE_VALID:
        count = random.choice((1, 1, 1, 2, 2, 3))
        mutate(random, sample, count, crashes=way > 1 - SHARE_CRASHES)
    return sample


def repositories(name: str = "m") -> st.SearchStrategy[Sample]:
    """The strategy, with hypothesis' own randomness, so that its cases shrink."""
    return st.randoms(use_true_random=False).map(lambda random: make(random, name))


def made(index: int, number: int = 0) -> Sample:
    """The repository of an index, always the same for a number; its models' names tell the index."""
    return make(Random(f"{number}/{index}"), f"m{index}")


def samples(count: int, number: int = 0) -> list[Sample]:
    """The first repositories of a number."""
    return [made(index, number) for index in range(count)]
