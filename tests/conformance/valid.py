"""Valid configurations of all families: what a server loads if nothing is changed.

Everything is drawn from a `random.Random`: a seed gives bulk, hypothesis' own gives cases that shrink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.conformance.sample import PYTHON_MODEL, Part, Sample, config_class

_KINDS = ("BOOL", "UINT8", "INT8", "INT32", "INT64", "FP16", "FP32", "FP64", "STRING", "BF16", "UINT64")
TYPES = tuple(f"TYPE_{one}" for one in _KINDS)
_SIZES = {"BOOL": 1, "UINT8": 1, "INT8": 1, "FP16": 2, "BF16": 2, "INT64": 8, "FP64": 8, "UINT64": 8}


@dataclass(frozen=True, slots=True)
class Framework:
    """A backend: its name, its platform ("" where it has none), its file, whether optional inputs are its thing."""

    backend: str
    platform: str
    file: str
    optional: bool = False

    @property
    def guessed(self) -> bool:
        """Whether Triton guesses the backend by the name of the file."""
        return self.file.startswith("model.") and self.file != "model.dali"


FRAMEWORKS = (
    Framework("onnxruntime", "onnxruntime_onnx", "model.onnx", optional=True),
    Framework("tensorrt", "tensorrt_plan", "model.plan"),
    Framework("pytorch", "pytorch_libtorch", "model.pt"),
    Framework("openvino", "", "model.xml"),
    Framework("tensorflow", "tensorflow_savedmodel", "model.savedmodel/saved_model.pb"),
    Framework("tensorflow", "tensorflow_graphdef", "model.graphdef"),
    Framework("identity", "", "", optional=True),
    Framework("dali", "", "model.dali"),
    Framework("fil", "", "xgboost.model"),
)
PYTHON = Framework("python", "", "model.py", optional=True)
_WEIGHTS = (8, 6, 4, 2, 2, 1, 5, 1, 1)


def chance(random: Random, share: float) -> bool:
    """True in that share of the cases."""
    return random.random() < share


def some(random: Random, least: int, most: int) -> range:
    """As many numbers from 0 on."""
    return range(random.randint(least, most))


def byte_size(data_type: str, dims: Sequence[int]) -> int:
    """Bytes of a tensor of fixed dims."""
    return _SIZES.get(data_type.removeprefix("TYPE_"), 4) * math.prod(dims)


def valid_sample(random: Random, name: str) -> Sample:
    """A repository of one model, seldom of a few, or of an ensemble and its parts."""
    from tests.conformance.ensembles import ensemble_sample

    if chance(random, 0.22):
        return ensemble_sample(random, name)
    sample = Sample(name)
    sample.parts[name] = model(random, name)
    if chance(random, 0.05):
        sample.parts[f"{name}_b"] = model(random, f"{name}_b")
    return sample


def model(random: Random, name: str) -> Part:
    """A model with a backend, tensors, and some of what else there is."""
    framework = PYTHON if chance(random, 0.015) else random.choices(FRAMEWORKS, _WEIGHTS)[0]
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
        _input_only(random, one, framework)
    _scheduling(random, part)
    for share, extend in _EXTRAS:
        if chance(random, share):
            extend(random, part, framework)
    return part


def bare(random: Random, name: str, framework: Framework) -> Part:
    """A model with its backend, version folders and file, in one of the ways to say them."""
    part = Part(config_class()())
    config = part.config
    if chance(random, 0.5):
        config.name = name
    how = random.choice(("backend", "backend", "platform", "both", "file", "named"))
    if how in ("file", "named") and not framework.guessed:
        how = "backend"
    if framework is PYTHON or how == "platform" and not framework.platform:
        how = "backend"
    if how in ("backend", "both"):
        config.backend = framework.backend
    if how in ("platform", "both"):
        config.platform = framework.platform
    if how == "named":
        config.default_model_filename = framework.file.split("/")[0]
    versions = random.choice(((1,), (1,), (1,), (1, 2), (3,), (2, 7, 10)))
    for version in versions:
        part.folders.append(str(version))
        if framework is PYTHON:
            part.files[f"{version}/model.py"] = PYTHON_MODEL
        elif framework.file:
            part.files[f"{version}/{framework.file}"] = b""
    if chance(random, 0.25):
        policy = random.choice(("latest", "all", "specific"))
        if policy == "latest":
            config.version_policy.latest.num_versions = random.choice((1, 2, 5))
        elif policy == "all":
            config.version_policy.all.SetInParent()
        else:
            config.version_policy.specific.versions.extend(random.sample(versions, random.randint(1, len(versions))))
    return part


def tensor(random: Random, one: Any, name: str, framework: Framework, batch: int) -> None:
    """An input or output: name, type, dims, maybe a reshape."""
    one.name, one.data_type = name, _type(random, one)
    one.dims.extend(random.choice((1, 2, 3, 4, 16, -1)) for _ in some(random, 1, 4))
    if chance(random, 0.2):
        one.dims[-1] = 224
    if chance(random, 0.15):
        _reshape(random, one, batch)
    if (
        framework.backend == "tensorrt"
        and "reshape" not in {field.name for field, _ in one.ListFields()}
        and chance(random, 0.05)
    ):
        one.is_shape_tensor = True


def _type(random: Random, one: Any) -> int:
    kinds = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_name
    return int(kinds[random.choice(TYPES)].number)


def _reshape(random: Random, one: Any, batch: int) -> None:
    dims = list(one.dims)
    way = random.randrange(4)
    if way == 0 and batch and all(dim == 1 for dim in dims):
        one.reshape.SetInParent()
    elif way == 1:
        one.reshape.shape.extend([1, *dims])
    elif way == 2 and -1 not in dims:
        one.reshape.shape.append(math.prod(dims))
    else:
        one.reshape.shape.extend([*dims, 1])


def _input_only(random: Random, one: Any, framework: Framework) -> None:
    if len(one.dims) == 3 and chance(random, 0.2):
        one.format = random.choice((1, 2))
    if framework.optional and chance(random, 0.1):
        one.optional = True
    elif chance(random, 0.08):
        one.allow_ragged_batch = True


def _scheduling(random: Random, part: Part) -> None:
    way = random.random()
    if way < 0.3:
        dynamic(random, part.config)
    elif way < 0.48:
        sequence(random, part)


def dynamic(random: Random, config: Any) -> None:
    """A dynamic batcher."""
    batcher, batch = config.dynamic_batching, config.max_batch_size
    batcher.SetInParent()
    if batch > 0 and chance(random, 0.5):
        batcher.preferred_batch_size.extend(sorted({random.randint(1, batch) for _ in some(random, 1, 3)}))
    if chance(random, 0.5):
        batcher.max_queue_delay_microseconds = random.choice((0, 100, 5000))
    if chance(random, 0.25):
        batcher.preserve_ordering = True
    if chance(random, 0.3):
        levels = batcher.priority_levels = 1 if batcher.preserve_ordering else random.randint(1, 5)
        batcher.default_priority_level = random.randint(1, levels)
        for level in range(1, levels + 1):
            if chance(random, 0.4):
                queue_policy(random, batcher.priority_queue_policy[level], batcher.preserve_ordering)
    if chance(random, 0.3):
        queue_policy(random, batcher.default_queue_policy, batcher.preserve_ordering)


def queue_policy(random: Random, policy: Any, ordered: bool) -> None:
    """A queue policy; one that delays does not go with a preserved order."""
    policy.timeout_action = 0 if ordered else random.choice((0, 1))
    policy.default_timeout_microseconds = random.choice((0, 1000, 100_000))
    policy.allow_timeout_override = chance(random, 0.3)
    policy.max_queue_size = random.choice((0, 1, 64))


CONTROLS = {
    "CONTROL_SEQUENCE_START": 0,
    "CONTROL_SEQUENCE_READY": 1,
    "CONTROL_SEQUENCE_END": 2,
    "CONTROL_SEQUENCE_CORRID": 3,
}


def sequence(random: Random, part: Part) -> None:
    """A sequence batcher with controls and maybe states."""
    config = part.config
    batcher = config.sequence_batching
    batcher.SetInParent()
    if chance(random, 0.4):
        batcher.max_sequence_idle_microseconds = random.choice((0, 5_000_000))
    for kind in random.sample(sorted(CONTROLS), random.randint(0, 4)):
        entry = batcher.control_input.add()
        entry.name = kind.removeprefix("CONTROL_SEQUENCE_")
        control(random, entry.control.add(), CONTROLS[kind])
    way = random.random()
    if way < 0.35:
        batcher.direct.SetInParent()
        if chance(random, 0.5):
            batcher.direct.minimum_slot_utilization = random.choice((0.0, 0.5, 1.0))
            batcher.direct.max_queue_delay_microseconds = 1000
    elif way < 0.7:
        batcher.oldest.max_candidate_sequences = random.choice((1, 4, 64))
        if config.max_batch_size > 0 and chance(random, 0.5):
            batcher.oldest.preferred_batch_size.append(random.randint(1, config.max_batch_size))
    if chance(random, 0.35):
        for n in some(random, 1, 2):
            state(random, part, batcher.state.add(), n)


def control(random: Random, one: Any, kind: int) -> None:
    """A control of a kind: a type for the correlation ID, two values for the others."""
    one.kind = kind
    if kind == CONTROLS["CONTROL_SEQUENCE_CORRID"]:
        one.data_type = random.choice((8, 9, 4, 13, 5))  # INT32, INT64, UINT64, STRING, …
        kinds = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_name
        one.data_type = kinds[
            random.choice(("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING"))
        ].number
        return
    way = random.choice(("int32_false_true", "fp32_false_true", "bool_false_true"))
    getattr(one, way).extend((False, True) if way.startswith("bool") else (0, 1))


def state(random: Random, part: Part, one: Any, n: int) -> None:
    """A state, maybe with data to begin with."""
    one.input_name, one.output_name = f"state_in_{n}", f"state_out_{n}"
    one.data_type = _type(random, one)
    one.dims.extend(random.choice((1, 4, 16, -1)) for _ in some(random, 1, 3))
    if chance(random, 0.4):
        initial_state(random, part, one, f"initial_{n}")


def initial_state(random: Random, part: Part, one: Any, name: str) -> None:
    """Data that a state begins with, zeros or a file."""
    data = one.initial_state.add()
    data.name, data.data_type = name, one.data_type
    data.dims.extend(2 if dim == -1 else dim for dim in one.dims)
    kind = one.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_number[one.data_type].name
    if kind == "TYPE_STRING" or chance(random, 0.6):
        data.zero_data = True
    else:
        data.data_file = f"{name}.bin"
        part.files[f"initial_state/{name}.bin"] = bytes(byte_size(kind, data.dims))


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


def _batch_input(random: Random, part: Part, framework: Framework) -> None:
    config = part.config
    entry = config.batch_input.add()
    entry.kind = random.choice((0, 1, 2, 3))
    entry.target_name.append("BATCH_AUX")
    entry.data_type = (
        entry.DESCRIPTOR.fields_by_name["data_type"]
        .enum_type.values_by_name[random.choice(("TYPE_INT32", "TYPE_FP32"))]
        .number
    )
    entry.source_input.append(config.input[0].name)
    if chance(random, 0.5):
        scatter = config.batch_output.add()
        scatter.kind = 0
        scatter.target_name.append(config.output[0].name)
        scatter.source_input.append(config.input[0].name)


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


_EXTRAS: tuple[tuple[float, Callable[[Random, Part, Framework], None]], ...] = (
    (0.4, _instance_groups),
    (0.15, _warmup),
    (0.08, _cache),
    (0.12, _decoupled),
    (0.2, _optimization),
    (0.1, _batch_input),
    (0.2, _parameters),
    (0.08, _metric_tags),
    (0.08, _odds),
)
