"""Mutations of one configuration: what the core checks of schedulers, policies and instance groups.

Labels G and IG are those of the rows in the reference of Triton's checks (`ValidateModelConfig`,
`ValidateInstanceGroup`), M what was measured beside them.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.mutation import on_config, on_part
from tests.conformance.sample import Part
from tests.conformance.valid import CONTROLS, control, dynamic, graphs, queue_policy, sequence


def _dynamic(random: Random, config: Any) -> Any:
    config.ClearField("sequence_batching")
    if not config.HasField("dynamic_batching"):
        dynamic(random, config)
    return config.dynamic_batching


def _sequence(random: Random, config: Any) -> Any:
    config.ClearField("dynamic_batching")
    config.ClearField("response_cache")
    if not config.HasField("sequence_batching"):
        config.sequence_batching.max_sequence_idle_microseconds = 1000
    return config.sequence_batching


def _controlled(random: Random, config: Any, kind: int) -> Any:
    """A control of that kind, alone in its entry."""
    batcher = _sequence(random, config)
    batcher.ClearField("control_input")
    entry = batcher.control_input.add(name="CONTROL")
    control(random, entry.control.add(), kind)
    return entry.control[0]


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
    _dynamic(random, config).preferred_batch_size.append(random.choice((0, -1, -4)))


@on_config("G8")
def preferred_above_maximum(random: Random, config: Any) -> None:
    _dynamic(random, config).preferred_batch_size.append(max(0, config.max_batch_size) + random.choice((1, 8)))


@on_config("G8")
def no_batches_any_more(random: Random, config: Any) -> None:
    _dynamic(random, config)
    config.max_batch_size = 0


@on_config("G9")
def default_level_outside(random: Random, config: Any) -> None:
    batcher = _dynamic(random, config)
    batcher.priority_levels = batcher.priority_levels or 2
    batcher.default_priority_level = random.choice((0, batcher.priority_levels + 1, 99))


@on_config("G9")
def levels_without_default(random: Random, config: Any) -> None:
    batcher = _dynamic(random, config)
    batcher.priority_levels = random.choice((1, 2, 10))
    batcher.ClearField("default_priority_level")


@on_config("G10")
def policy_of_no_level(random: Random, config: Any) -> None:
    batcher = _dynamic(random, config)
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
    batcher = _dynamic(random, config)
    batcher.preserve_ordering = True
    batcher.priority_levels, batcher.default_priority_level = random.choice(((2, 1), (3, 2), (1, 1)))


@on_config("G12")
def order_with_delay(random: Random, config: Any) -> None:
    batcher = _dynamic(random, config)
    batcher.preserve_ordering = True
    policy = (
        batcher.default_queue_policy if random.random() < 0.5 else batcher.priority_queue_policy[random.choice((1, 2))]
    )
    policy.timeout_action = 1
    policy.default_timeout_microseconds = random.choice((0, 1000))


@on_config("G13")
def cache_with_sequences(random: Random, config: Any) -> None:
    _sequence(random, config)
    config.response_cache.enable = True


@on_config("G24")
def cache_with_decoupled(random: Random, config: Any) -> None:
    config.response_cache.enable = True
    config.model_transaction_policy.decoupled = True


@on_config("G14")
def nameless_control(random: Random, config: Any) -> None:
    _controlled(random, config, random.choice((0, 1, 2, 3)))
    config.sequence_batching.control_input[0].ClearField("name")


@on_config("G15")
def control_name_twice(random: Random, config: Any) -> None:
    batcher = _sequence(random, config)
    batcher.ClearField("control_input")
    for kind in random.sample(sorted(CONTROLS.values()), 2):
        control(random, batcher.control_input.add(name="SAME").control.add(), kind)


@on_config("G15")
def two_kinds_in_one_entry(random: Random, config: Any) -> None:
    _controlled(random, config, 0)
    control(random, config.sequence_batching.control_input[0].control.add(), random.choice((1, 2, 3)))


@on_config("G16")
def control_kind_twice(random: Random, config: Any) -> None:
    kind = random.choice(sorted(CONTROLS.values()))
    _controlled(random, config, kind)
    batcher = config.sequence_batching
    entry = batcher.control_input[0] if random.random() < 0.4 else batcher.control_input.add(name="OTHER")
    control(random, entry.control.add(), kind)


@on_config("G17")
def control_without_values(random: Random, config: Any) -> None:
    one = _controlled(random, config, random.choice((0, 1, 2)))
    for field in ("int32_false_true", "fp32_false_true", "bool_false_true"):
        one.ClearField(field)


@on_config("G17")
def control_with_two_lists(random: Random, config: Any) -> None:
    one = _controlled(random, config, random.choice((0, 1, 2)))
    one.int32_false_true[:], one.fp32_false_true[:] = (0, 1), (0, 1)


@on_config("G18")
def control_with_odd_list(random: Random, config: Any) -> None:
    one = _controlled(random, config, random.choice((0, 1, 2)))
    for field in ("int32_false_true", "fp32_false_true", "bool_false_true"):
        one.ClearField(field)
    random.choice((one.int32_false_true, one.fp32_false_true)).extend(random.choice(((1,), (0, 1, 2), (0,) * 4)))


@on_config("G19")
def correlation_with_values(random: Random, config: Any) -> None:
    _controlled(random, config, 3).int32_false_true.extend((0, 1))


@on_config("G20")
def correlation_of_wrong_type(random: Random, config: Any) -> None:
    one = _controlled(random, config, 3)
    one.data_type = random.choice((0, 1, 11, 6, 10))


@on_config("G21")
def oldest_preferred(random: Random, config: Any) -> None:
    batcher = _sequence(random, config)
    batcher.oldest.max_candidate_sequences = 4
    batcher.oldest.preferred_batch_size.append(random.choice((0, -1, max(0, config.max_batch_size) + 1)))


@on_config("G22")
def slot_utilization(random: Random, config: Any) -> None:
    _sequence(random, config).direct.minimum_slot_utilization = random.choice((-0.1, 1.5, 0.0, 1.0, float("nan"), -1.0))


@on_config("G22")
def iterative_without_decoupled(random: Random, config: Any) -> None:
    _sequence(random, config).iterative_sequence = True


@on_config("G23")
def steps_on_a_model(random: Random, config: Any) -> None:
    config.ClearField("dynamic_batching")
    config.ClearField("sequence_batching")
    step = config.ensemble_scheduling.step.add(model_name="other", model_version=-1)
    step.input_map["x"], step.output_map["y"] = "x", "y"


@on_config("G23")
def ensemble_without_steps(random: Random, config: Any) -> None:
    for field in ("backend", "default_model_filename", "instance_group", "optimization", "model_warmup"):
        config.ClearField(field)
    config.platform = "ensemble"


@on_config("IG1")
def gpus_of_no_gpu(random: Random, config: Any) -> None:
    config.instance_group.add(kind=random.choice((2, 3)), gpus=[0])


@on_config("IG3")
def no_such_gpu(random: Random, config: Any) -> None:
    config.instance_group.add(kind=1, gpus=random.choice(([-1], [0, -2])))


@on_config("IG3")
def same_gpu_twice(random: Random, config: Any) -> None:
    config.instance_group.add(kind=random.choice((0, 1)), gpus=[0, 0])


@on_config("IG5")
def profile_elsewhere(random: Random, config: Any) -> None:
    config.instance_group.add(profile=["0"])


@on_config("IG6")
def odd_profile(random: Random, config: Any) -> None:
    if config.platform not in ("", "tensorrt_plan") or config.backend not in ("", "tensorrt"):
        return
    config.backend, config.platform = "tensorrt", "tensorrt_plan"
    config.ClearField("default_model_filename")
    profile = random.choice(("zero", "-1", "1.5", "0x1", " 1", "1a", "01", "+1", "", "a1"))
    config.instance_group.add(kind=1, profile=[profile])


@on_config("IG6", crashes=True)
def huge_profile(random: Random, config: Any) -> None:
    config.backend, config.platform = "tensorrt", "tensorrt_plan"
    config.ClearField("default_model_filename")
    config.instance_group.add(kind=1, profile=[random.choice(("2147483648", "99999999999", "0", "2147483647"))])


@on_config("IG")
def unknown_kind(random: Random, config: Any) -> None:
    config.instance_group.add(kind=9)


@on_config("IG")
def odd_count(random: Random, config: Any) -> None:
    config.instance_group.add(kind=random.choice((0, 2)), count=random.choice((0, -1, -5)))


@on_config("IG7")
def only_passive(random: Random, config: Any) -> None:
    for group in config.instance_group or [config.instance_group.add(kind=2)]:
        group.passive = True


@on_config("IG8")
def secondary_device(random: Random, config: Any) -> None:
    group = config.instance_group.add(kind=random.choice((0, 1)))
    for device in range(random.choice((1, 2))):
        group.secondary_devices.add(device_id=device)


@on_config("IG10")
def resource_global_and_local(random: Random, config: Any) -> None:
    group = config.instance_group.add(kind=2)
    for everywhere in (True, False):
        resource = group.rate_limiter.resources.add(name="R1", count=1)
        setattr(resource, "global", everywhere)


@on_config("M metric tags")
def harmless_metric_tag(random: Random, config: Any) -> None:
    config.metric_tags[random.choice(("", "1st", "model", "version", "gpu_uuid"))] = random.choice(("", "ü", "a b"))


@on_config("M metric tags", crashes=True)
def metric_tag(random: Random, config: Any) -> None:
    config.metric_tags[random.choice(("my-team", "app.tier", "a b", "a:b", "site/owner", "équipe", "__x"))] = "1"


@on_config("M agents", crashes=True)
def empty_agents(random: Random, config: Any) -> None:
    config.model_repository_agents.SetInParent()


@on_config("M agents")
def missing_agent(random: Random, config: Any) -> None:
    config.model_repository_agents.agents.add(name=random.choice(("checksum_x", "")))


@on_config("M candidates")
def negative_candidates(random: Random, config: Any) -> None:
    _sequence(random, config).oldest.max_candidate_sequences = 0


@on_config("M candidates", crashes=True)
def fatal_candidates(random: Random, config: Any) -> None:
    _sequence(random, config).oldest.max_candidate_sequences = -1


@on_config("2.3")
def graph_spec(random: Random, config: Any) -> None:
    graphs(random, config)
    spec = config.optimization.cuda.graph_spec.add(batch_size=random.choice((0, -1, max(0, config.max_batch_size) + 1)))
    if random.random() < 0.4:
        spec.graph_lower_bound.batch_size = 99


@on_config("2.3")
def negative_spec_dim(random: Random, config: Any) -> None:
    graphs(random, config)
    config.optimization.cuda.graph_spec.add(batch_size=config.max_batch_size).input["x"].dim.extend((-1, 4))


@on_config("none")
def useless(random: Random, config: Any) -> None:
    """What is useless and yet loads."""
    way = random.randrange(6)
    if way == 0:
        config.version_policy.SetInParent()
    elif way == 1:
        _dynamic(random, config).priority_queue_policy[3].max_queue_size = 1
    elif way == 2:
        _dynamic(random, config).default_priority_level = 5
    elif way == 3:
        _dynamic(random, config)
        config.model_transaction_policy.decoupled = True
        config.ClearField("response_cache")
    elif way == 4:
        one = config.output[0]
        config.input.add(name=one.name, data_type=one.data_type, dims=one.dims)
    else:
        config.optimization.input_pinned_memory.SetInParent()


@on_part("whole family")
def sequences_added(random: Random, part: Part) -> None:
    part.config.ClearField("dynamic_batching")
    sequence(random, part)
