"""Mutations of instance groups and CUDA graphs; what ends a server; what is of no use and yet loads. Labels as in
changes_batching.py."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.batchers import dynamic_batcher, sequence_batcher
from tests.conformance.mutation import on_config, on_part
from tests.conformance.sample import Part
from tests.conformance.valid_extras import graphs
from tests.conformance.valid_schedulers import sequence


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
    sequence_batcher(config).oldest.max_candidate_sequences = 0


@on_config("M candidates", crashes=True)
def fatal_candidates(random: Random, config: Any) -> None:
    sequence_batcher(config).oldest.max_candidate_sequences = -1


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
        dynamic_batcher(random, config).priority_queue_policy[3].max_queue_size = 1
    elif way == 2:
        dynamic_batcher(random, config).default_priority_level = 5
    elif way == 3:
        dynamic_batcher(random, config)
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
