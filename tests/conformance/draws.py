"""Draws of which all made configurations consist."""

from __future__ import annotations

from random import Random


def chance(random: Random, share: float) -> bool:
    """True in that share of the cases."""
    return random.random() < share


def some(random: Random, least: int, most: int) -> range:
    """As many numbers from 0 on."""
    return range(random.randint(least, most))
