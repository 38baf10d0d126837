"""What else a valid configuration may hold: instance groups, warmup, optimization, and what is seldom written."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.conformance.draws import chance, some
from tests.conformance.frameworks import PYTHON, Framework
from tests.conformance.sample import Part
from tests.conformance.valid_tensors import batch_input, byte_size


def _instance_groups(random: Random, part: Part, framework: Framework) -> None:
    config = part.config
    for n in some(random, 1, 2):
        group = config.instance_group.add()
        kinds = {"tensorrt": (0, 1), "openvino": (2,)}.get(framework.backend, (0, 0, 1, 2, 2, 3))
        group.kind = random.choice(kinds)
        if chance(random, 0.6):
            group.count = random.choice((1, 1, 2, 3))
        if group.kind in (0, 1) and chance(random, 0.3):
            group.gpus.append(0)
        if chance(random, 0.2):
            group.name = f"group_{n}"
        if framework.backend == "tensorrt" and config.platform and chance(random, 0.3):
            group.profile.extend(random.choice((["0"], ["0", "1"])))
        if chance(random, 0.15):
            resource = group.rate_limiter.resources.add()
            resource.name, resource.count = "R1", random.choice((1, 2))
            group.rate_limiter.priority = random.choice((0, 2))
        if chance(random, 0.06):
            group.passive = True
        if chance(random, 0.06):
            group.host_policy = "policy_0"


def _warmup(random: Random, part: Part, framework: Framework) -> None:
    config = part.config
    if framework is PYTHON:
        return
    warmup = config.model_warmup.add()
    warmup.name, warmup.batch_size = "sample", 1
    if chance(random, 0.3):
        warmup.count = 2
    for one in config.input:
        value = warmup.inputs[one.name]
        value.data_type = one.data_type
        value.dims.extend(random.choice((1, 3)) if dim == -1 else dim for dim in one.dims)
        kind = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number[one.data_type].name
        way = random.choice(("zero_data", "random_data", "file"))
        if way == "file" and kind != "TYPE_STRING":
            value.input_data_file = one.name
            part.files[f"warmup/{one.name}"] = bytes(byte_size(kind, value.dims) * max(1, warmup.batch_size))
        elif way == "random_data" and kind not in ("TYPE_STRING", "TYPE_BF16"):
            value.random_data = True
        else:
            value.zero_data = True


def _cache(random: Random, part: Part, framework: Framework) -> None:
    config = part.config
    if not config.HasField("sequence_batching") and not config.model_transaction_policy.decoupled:
        config.response_cache.enable = True


def _decoupled(random: Random, part: Part, framework: Framework) -> None:
    if not part.config.response_cache.enable:
        part.config.model_transaction_policy.decoupled = chance(random, 0.8)


def _optimization(random: Random, part: Part, framework: Framework) -> None:
    policy = part.config.optimization
    policy.SetInParent()
    if chance(random, 0.3):
        policy.graph.level = random.choice((-1, 0, 1, 2))
    if chance(random, 0.2):
        policy.priority = random.choice((0, 1, 2))
    if chance(random, 0.3):
        accelerator = policy.execution_accelerators.gpu_execution_accelerator.add()
        accelerator.name = "tensorrt"
        accelerator.parameters["precision_mode"] = "FP16"
    if chance(random, 0.2):
        policy.input_pinned_memory.enable = chance(random, 0.5)
    if chance(random, 0.15):
        policy.eager_batching = True
        policy.gather_kernel_buffer_threshold = 4
    if chance(random, 0.4):
        graphs(random, part.config)


def graphs(random: Random, config: Any) -> None:
    """CUDA graphs, maybe with specs."""
    cuda = config.optimization.cuda
    cuda.graphs = True
    cuda.busy_wait_events = chance(random, 0.2)
    for _ in some(random, 0, 2):
        spec = cuda.graph_spec.add()
        spec.batch_size = random.randint(1, config.max_batch_size) if config.max_batch_size > 0 else 0
        for one in config.input:
            spec.input[one.name].dim.extend(2 if dim == -1 else dim for dim in one.dims)


def _parameters(random: Random, part: Part, framework: Framework) -> None:
    for key in random.sample(("mode", "INTRA_OP_THREAD_COUNT", "my.key", "path"), random.randint(1, 2)):
        part.config.parameters[key].string_value = random.choice(("1", "fast", ""))


def _metric_tags(random: Random, part: Part, framework: Framework) -> None:
    for key in random.sample(("team", "tier", "owner_1", "_x"), random.randint(1, 2)):
        part.config.metric_tags[key] = random.choice(("vision", "", "a b"))


def _odds(random: Random, part: Part, framework: Framework) -> None:
    config, way = part.config, random.randrange(4)
    if way == 0:
        config.cc_model_filenames["8.0"] = "model_80.plan"
    elif way == 1:
        config.model_operations.op_library_filename.append("custom.so")
    elif way == 2:
        part.folders.append(random.choice(("configs", "assets", "warmup", "9_9")[:3]))
    else:
        part.files["README.md"] = b"a model\n"


EXTRAS: tuple[tuple[float, Callable[[Random, Part, Framework], None]], ...] = (
    (0.4, _instance_groups),
    (0.15, _warmup),
    (0.08, _cache),
    (0.12, _decoupled),
    (0.2, _optimization),
    (0.1, batch_input),
    (0.2, _parameters),
    (0.08, _metric_tags),
    (0.08, _odds),
)
