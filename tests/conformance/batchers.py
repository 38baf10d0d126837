"""Configurations made ready for a change of their batcher: they get one where they have none."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.valid_schedulers import control, dynamic


def dynamic_batcher(random: Random, config: Any) -> Any:
    """The dynamic batcher of a configuration, which gets one in place of any other."""
    config.ClearField("sequence_batching")
    if not config.HasField("dynamic_batching"):
        dynamic(random, config)
    return config.dynamic_batching


def sequence_batcher(config: Any) -> Any:
    """The sequence batcher of a configuration, which gets one in place of any other, and no cache beside it."""
    config.ClearField("dynamic_batching")
    config.ClearField("response_cache")
    if not config.HasField("sequence_batching"):
        config.sequence_batching.max_sequence_idle_microseconds = 1000
    return config.sequence_batching


def only_control(random: Random, config: Any, kind: int) -> Any:
    """A control of that kind, the only one, alone in its entry."""
    batcher = sequence_batcher(config)
    batcher.ClearField("control_input")
    entry = batcher.control_input.add(name="CONTROL")
    control(random, entry.control.add(), kind)
    return entry.control[0]
