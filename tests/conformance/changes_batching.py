"""Mutations of one configuration: what the core checks of backends and batches, of dynamic batchers and of caches.

Labels G and IG are those of the rows in the reference of Triton's checks (`ValidateModelConfig`,
`ValidateInstanceGroup`), M what was measured beside them.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.batchers import dynamic_batcher, sequence_batcher
from tests.conformance.mutation import on_config
from tests.conformance.valid_schedulers import queue_policy


@on_config("G2")
def unknown_platform(random: Random, config: Any) -> None:
    config.ClearField("backend")
    config.ClearField("default_model_filename")
    config.platform = random.choice(
        ("caffe2_netdef", "custom", "onnxruntime", "tensorrt", "pytorch", "onnx_runtime", "TENSORRT_PLAN")
    )


@on_config("G3")
def ensemble_with_backend(random: Random, config: Any) -> None:
    config.backend, config.platform = random.choice(("onnxruntime", "python", "ensemble")), "ensemble"


@on_config("G4")
def platform_of_another(random: Random, config: Any) -> None:
    config.backend = random.choice(("onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino", "identity"))
    config.platform = random.choice(
        ("onnxruntime_onnx", "tensorrt_plan", "pytorch_libtorch", "tensorflow_savedmodel", "libtorch", "my_platform")
    )


@on_config("G5")
def negative_batch(random: Random, config: Any) -> None:
    config.max_batch_size = random.choice((-1, -8, -(2**31)))


@on_config("G7")
def preferred_not_positive(random: Random, config: Any) -> None:
    dynamic_batcher(random, config).preferred_batch_size.append(random.choice((0, -1, -4)))


@on_config("G8")
def preferred_above_maximum(random: Random, config: Any) -> None:
    dynamic_batcher(random, config).preferred_batch_size.append(max(0, config.max_batch_size) + random.choice((1, 8)))


@on_config("G8")
def no_batches_any_more(random: Random, config: Any) -> None:
    dynamic_batcher(random, config)
    config.max_batch_size = 0


@on_config("G9")
def default_level_outside(random: Random, config: Any) -> None:
    batcher = dynamic_batcher(random, config)
    batcher.priority_levels = batcher.priority_levels or 2
    batcher.default_priority_level = random.choice((0, batcher.priority_levels + 1, 99))


@on_config("G9")
def levels_without_default(random: Random, config: Any) -> None:
    batcher = dynamic_batcher(random, config)
    batcher.priority_levels = random.choice((1, 2, 10))
    batcher.ClearField("default_priority_level")


@on_config("G10")
def policy_of_no_level(random: Random, config: Any) -> None:
    batcher = dynamic_batcher(random, config)
    if random.random() < 0.7:
        batcher.priority_levels = batcher.priority_levels or 2
        batcher.default_priority_level = batcher.default_priority_level or 1
    queue_policy(
        random,
        batcher.priority_queue_policy[random.choice((0, batcher.priority_levels + 1, 50))],
        batcher.preserve_ordering,
    )


@on_config("G11")
def order_with_levels(random: Random, config: Any) -> None:
    batcher = dynamic_batcher(random, config)
    batcher.preserve_ordering = True
    batcher.priority_levels, batcher.default_priority_level = random.choice(((2, 1), (3, 2), (1, 1)))


@on_config("G12")
def order_with_delay(random: Random, config: Any) -> None:
    batcher = dynamic_batcher(random, config)
    batcher.preserve_ordering = True
    policy = (
        batcher.default_queue_policy if random.random() < 0.5 else batcher.priority_queue_policy[random.choice((1, 2))]
    )
    policy.timeout_action = 1
    policy.default_timeout_microseconds = random.choice((0, 1000))


@on_config("G13")
def cache_with_sequences(random: Random, config: Any) -> None:
    sequence_batcher(config)
    config.response_cache.enable = True


@on_config("G24")
def cache_with_decoupled(random: Random, config: Any) -> None:
    config.response_cache.enable = True
    config.model_transaction_policy.decoupled = True
