"""What a mutation is, and how one to three of them are made to a valid repository.

A mutation is a function that changes one thing in a way that the reference of Triton's checks names; its label is that
of the check. It returns False where the repository has nothing that it could change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.conformance.sample import Part, Sample

Change = Callable[[Random, Sample, str], bool | None]
OnPart = Callable[[Random, Part], bool | None]
OnConfig = Callable[[Random, Any], bool | None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change; `crashes` where it is known to end the server, which is then started again: few of these are drawn."""

    label: str
    change: Change
    crashes: bool = False
    ensemble: bool = False


MUTATIONS: list[Mutation] = []


def on_part(label: str, *, crashes: bool = False) -> Callable[[OnPart], OnPart]:
    """Registers a change of one model that is no ensemble."""

    def register(change: OnPart) -> OnPart:
        @functools.wraps(change)
        def whole(random: Random, sample: Sample, name: str) -> bool | None:
            return change(random, sample.parts[name])

        MUTATIONS.append(Mutation(label, whole, crashes))
        return change

    return register


def on_config(label: str, *, crashes: bool = False) -> Callable[[OnConfig], OnConfig]:
    """Registers a change of one model's configuration."""

    def register(change: OnConfig) -> OnConfig:
        @functools.wraps(change)
        def whole(random: Random, sample: Sample, name: str) -> bool | None:
            return change(random, sample.parts[name].config)

        MUTATIONS.append(Mutation(label, whole, crashes))
        return change

    return register


def on_ensemble(label: str) -> Callable[[Change], Change]:
    """Registers a change of an ensemble, or of one of its parts."""

    def register(change: Change) -> Change:
        MUTATIONS.append(Mutation(label, change, ensemble=True))
        return change

    return register


def mutate(random: Random, sample: Sample, count: int, *, crashes: bool = False) -> None:
    """Make so many changes, or fewer where nothing fits; with `crashes` one that is known to end the server."""
    whole = is_ensemble(sample)
    for number in range(count):
        fatal = crashes and number == 0
        fitting = [one for one in MUTATIONS if one.crashes is fatal and (whole or not one.ensemble)]
        weights = [8 if one.ensemble else 1 for one in fitting]
        for _ in range(30):
            mutation = random.choices(fitting, weights)[0]
            names = [
                one for one in sample.parts if sample.parts[one].config is not None and sample.parts[one].text is None
            ]
            if not names:
                return
            plain = [one for one in names if not (whole and one == sample.name)]
            name = sample.name if mutation.ensemble else random.choice(plain or names)
            if name in names and fits(mutation, random, sample, name):
                sample.changes.append(mutation.label)
                break


def fits(mutation: Mutation, random: Random, sample: Sample, name: str) -> bool:
    """Make the change; whether there was something to change, of which it could choose."""
    try:
        return mutation.change(random, sample, name) is not False
    except IndexError:
        return False


def is_ensemble(sample: Sample) -> bool:
    """Whether the model that gave the repository its name is an ensemble."""
    part = sample.parts.get(sample.name)
    return part is not None and part.config is not None and part.config.HasField("ensemble_scheduling")
